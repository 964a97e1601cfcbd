"""Starts: W⁽⁰⁾ by name. A new one is a file here and a line in ``INITS``; it sees the data protocol alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass, replace
from typing import Any

from partwise.algorithm import Algorithm
from partwise.inits.centroid import Centroid
from partwise.inits.co_occurrence import CoOccurrence
from partwise.inits.columns import RandomColumns
from partwise.inits.longest_columns import LongestColumns
from partwise.inits.nndsvd import NNDSVD, NNDSVDa
from partwise.inits.nnsvd_lrc import NNSVDLRC
from partwise.inits.sample import Sample
from partwise.inits.successive_projection import SuccessiveProjection
from partwise.inits.svd_centroid import SVDCentroid
from partwise.inits.uniform import Uniform
from partwise.names import choose
from partwise.starts import Given, Init
from partwise.svd import SVD

RANDOM = "random-acol"
"""The usual start where many are compared: cheap, and another one for every seed."""

INITS: dict[str, Callable[..., Init]] = {
    "random": Uniform,
    "centroid": Centroid,
    "svd-centroid": SVDCentroid,
    "random-acol": RandomColumns,
    "random-c": LongestColumns,
    "co-occurrence": CoOccurrence,
    "nndsvd": NNDSVD,
    "nndsvda": NNDSVDa,
    "nnsvd-lrc": NNSVDLRC,
    "spa": SuccessiveProjection,
    "sample": Sample,
}
"""Name -> factory; add a line to add an initialisation."""


def name_of(init: Init) -> str:
    """The name of a start in the table, or of its class."""
    if isinstance(init, Given):
        return "given"
    named = next((name for name, made in INITS.items() if made is type(init)), None)
    return named or str(getattr(init, "__name__", type(init).__name__))


def is_seeded(init: Init) -> bool:
    """Whether another seed gives another start; without a word from the start itself, yes."""
    return bool(getattr(init, "seeded", True))


def with_svd(init: Init, svd: SVD) -> Init:
    """The start with an SVD that is at hand, where it takes one and has none."""
    for name in ("svd", "v"):
        if is_dataclass(init) and getattr(init, name, svd) is None:
            found: Init = replace(init, **{name: svd})
            return found
    return init


def as_init(given: Any, algorithm: Algorithm | None = None, restarts: Any = 1) -> Init:
    """A start by name, an object, W itself, a pair (W, H), or anything that has both, such as an earlier result.

    None is the algorithm's own, but where starts race against each other the usual random one: the race is the scout.
    """
    if given is None:
        given = RANDOM if algorithm is None or restarts != 1 else algorithm.init
    if isinstance(given, str):
        init: Init = choose("initialisation", given, INITS)()
        return init
    if isinstance(given, tuple):
        if len(given) != 2:
            raise ValueError(f"A start given as a tuple must be (W, H), not {len(given)} things.")
        return Given(*given)
    if hasattr(given, "W") and hasattr(given, "H"):
        return Given(given.W, given.H)
    if hasattr(given, "shape") or isinstance(given, list):
        return Given(given)
    if isinstance(given, type):
        raise TypeError(f"init must be an object: call {given.__name__}() with its settings.")
    if not callable(given):
        raise TypeError(f"init must be a name, an object, W or (W, H), not {type(given).__name__}.")
    found: Init = given
    return found
