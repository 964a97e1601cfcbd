"""Topics in the order of their part of the collection, the largest first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partwise.result.factorization import Factorization
from partwise.text.mixtures import degrees, unit_weights
from partwise.types import Array


def by_share(found: Factorization) -> Factorization:
    """The same factorisation with its topics put in the order of their mean degree; the certificate goes along."""
    share = degrees(unit_weights(found.w, found.h)).mean(axis=0)
    return reordered(found, np.argsort(-share, kind="stable"))


def reordered(found: Factorization, order: Array) -> Factorization:
    """The topics ``order[0], order[1], …`` as topics 0, 1, …"""
    place = {int(old): new for new, old in enumerate(order)}
    told = found.certificate
    pairs = sorted((min(place[a], place[b]), max(place[a], place[b])) for a, b in told.duplicate_topics)
    certificate = replace(
        told,
        angles=None if told.angles is None else tuple(told.angles[c] for c in order),
        dead_topics=tuple(sorted(place[c] for c in told.dead_topics)),
        duplicate_topics=tuple(pairs),
    )
    w, h = (np.ascontiguousarray(factor[:, order]) for factor in (found.w, found.h))
    return replace(found, w=w, h=h, certificate=certificate)
