"""The paper's algorithms as its boxes have them, with nothing around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import acls, ahcls, als, gdcls, multiplicative
from partwise.arguments import choose

WRITTEN: dict[str, Callable[[], Algorithm]] = {
    "als": als,
    "acls": lambda: acls(0.5, 0.5),
    "ahcls": lambda: ahcls(0.5, 0.5, 0.5, 0.5),
    "multiplicative": multiplicative,
    "gdcls": lambda: gdcls(0.0, 0.5),
}
"""The algorithms of section 3 with the paper's λ = .5 (table 2); it names none for AHCLS, and no α."""


def as_written(algorithm: str | Algorithm) -> Algorithm:
    """One of the paper's algorithms as it writes it: als, acls, ahcls, multiplicative (Lee–Seung) or gdcls.

    λ is a number; W begins as random numbers between 0 and 1, and so does H for Lee and Seung's method, which needs
    one; the last iterate is returned, and a dead topic stays dead. An object such as ``acls(.1, .2)`` keeps its own λ.
    """
    chosen = algorithm if isinstance(algorithm, Algorithm) else choose("algorithm of the paper", algorithm, WRITTEN)()
    choose("algorithm of the paper", chosen.name, WRITTEN)
    if chosen.relative:
        raise ValueError(f"The paper's λ is a number, so {chosen} cannot be as written; give it one, such as .5.")
    pair = not any(side.update.cold for side in chosen.sides)
    return replace(chosen, plain=True, init="random-pair" if pair else "random")
