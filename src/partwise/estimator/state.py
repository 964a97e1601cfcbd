"""A fitted estimator as plain values: what pickle, joblib and skops keep."""

from __future__ import annotations

import json
import zlib
from typing import Any

from partwise.algorithms.base import Algorithm
from partwise.algorithms.stored import from_recipe, recipe_of
from partwise.result.certificate import Certificate


def packed(state: dict[str, Any]) -> dict[str, Any]:
    """The state with the certificate and the algorithm as compressed JSON.

    An algorithm that no line of ``ALGORITHMS`` could make again stays an object.
    """
    plain = dict(state)
    if isinstance(certificate := plain.get("certificate_"), Certificate):
        plain["certificate_"] = _small(certificate.as_dict())
    if isinstance(algorithm := plain.get("algorithm_"), Algorithm) and (recipe := recipe_of(algorithm)):
        plain["algorithm_"] = _small(recipe)
    return plain


def unpacked(state: dict[str, Any]) -> dict[str, Any]:
    """The state again; what was kept as an object, as version 0.1 did, is taken as it is."""
    known = dict(state)
    if isinstance(content := known.get("certificate_"), bytes):
        known["certificate_"] = Certificate.from_dict(json.loads(zlib.decompress(content)))
    if isinstance(content := known.get("algorithm_"), bytes):
        known["algorithm_"] = from_recipe(json.loads(zlib.decompress(content)))
    sums = known.pop("_sums", None)  # version 0.1
    if sums is not None:
        known |= {"_seen_gram": sums.gram, "_seen_rhs": sums.rhs}
    return known


def _small(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 9)
