"""Starts: W⁽⁰⁾ by name. A new one is a file here and a line in ``INITS``; it sees the data protocol alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass, replace
from typing import Any

from partwise.algorithms.base import Algorithm
from partwise.arguments import choose
from partwise.inits.base import Given, Init
from partwise.inits.centroid import Centroid
from partwise.inits.co_occurrence import CoOccurrence
from partwise.inits.columns import RandomColumns
from partwise.inits.longest_columns import LongestColumns
from partwise.inits.nndsvd import NNDSVD, NNDSVDa, NNDSVDar
from partwise.inits.nnsvd_lrc import NNSVDLRC
from partwise.inits.successive_projection import SuccessiveProjection
from partwise.inits.svd_centroid import SVDCentroid
from partwise.inits.uniform import Uniform, UniformPair
from partwise.linalg.svd import SVD
from partwise.types import Data

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
    "nndsvdar": NNDSVDar,
    "nnsvd-lrc": NNSVDLRC,
    "spa": SuccessiveProjection,
    "random-pair": UniformPair,
}
"""Name -> factory; add a line to add an initialisation. Those that run the engine first,
``sample`` and ``svd-best``, add theirs in ``engine/warm_start``."""


def name_of(init: Init) -> str:
    """The name of a start in the table, or of its class."""
    if isinstance(init, Given):
        return "given"
    named = next((name for name, factory in INITS.items() if factory is type(init)), None)
    return named or str(getattr(init, "__name__", type(init).__name__))


def with_svd(init: Init, svd: SVD) -> Init:
    """The start with an SVD that is known, where it takes one and has none."""
    for name in ("svd", "v"):
        if is_dataclass(init) and getattr(init, name, svd) is None:
            with_one: Init = replace(init, **{name: svd})
            return with_one
    return init


def start_for(init: Any, algorithm: Algorithm, restarts: Any, data: Data | None) -> Init:
    """The start that was asked for, else the algorithm's own, or a random one where entries have weights."""
    if init is None and data is not None and data.weighted:
        init = "random" if data.for_starts is None else RANDOM
    return as_init(init, algorithm, restarts)


def as_init(start: Any, algorithm: Algorithm | None = None, restarts: Any = 1) -> Init:
    """A start by name, an object, W itself, a pair (W, H), or anything that has both, such as an earlier result.

    None is the algorithm's own, but where starts race against each other the usual random one: the race is the scout.
    """
    if start is None:
        start = algorithm.init if algorithm is not None and (restarts == 1 or algorithm.plain) else RANDOM
    if isinstance(start, str):
        named: Init = choose("initialisation", start, INITS)()
        return named
    if isinstance(start, tuple):
        if len(start) != 2:
            raise ValueError(f"A start given as a tuple must be (W, H), not {len(start)} things.")
        return Given(*start)
    if hasattr(start, "W") and hasattr(start, "H"):
        return Given(start.W, start.H)
    if hasattr(start, "shape") or isinstance(start, list):
        return Given(start)
    if isinstance(start, type):
        raise TypeError(f"init must be an object: call {start.__name__}() with its settings.")
    if not callable(start):
        raise TypeError(f"init must be a name, an object, W or (W, H), not {type(start).__name__}.")
    own: Init = start
    return own
