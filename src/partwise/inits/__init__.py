"""Starts: W⁽⁰⁾ by name. A new one is a file here and a line in ``INITS``; it sees the data protocol alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from partwise.blocks import Workers
from partwise.data import as_factor
from partwise.inits.centroid import Centroid
from partwise.inits.co_occurrence import CoOccurrence
from partwise.inits.columns import RandomColumns
from partwise.inits.longest_columns import LongestColumns
from partwise.inits.nndsvd import NNDSVD, NNDSVDa
from partwise.inits.nnsvd_lrc import NNSVDLRC
from partwise.inits.successive_projection import SuccessiveProjection
from partwise.inits.svd_centroid import SVDCentroid
from partwise.inits.uniform import Uniform
from partwise.names import choose
from partwise.svd import SVD
from partwise.types import Array, Data


class Init(Protocol):
    """A start for W, dense or a CSR array, whichever takes fewer bytes.

    Law: m × k, nonnegative, finite, not zero, in the data's precision; a function of data and seed.
    """

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array: ...


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
}
"""Name -> factory; add a line to add an initialisation."""


class Given:
    """A start that somebody else made: W (m × k), or the pair (W, H) with H k × n."""

    seeded = False

    def __init__(self, w: Any, h: Any = None) -> None:
        self.w, self.h = w, h

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        return np.array(as_factor(self.w, "W", (data.shape[0], rank)), data.dtype, order="C")

    def check(self, data: Data, rank: int) -> None:
        """Refuse factors that do not fit, before any work."""
        as_factor(self.w, "W", (data.shape[0], rank))
        self.other(data, rank)

    def other(self, data: Data, rank: int) -> Array | None:
        """H as a tall factor, where it was given."""
        if self.h is None:
            return None
        return np.array(as_factor(self.h, "H", (rank, data.shape[1])).T, data.dtype, order="C")


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


def as_init(given: Any) -> Init:
    """A start by name, an object, W itself, a pair (W, H), or anything that has both, such as an earlier result."""
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
