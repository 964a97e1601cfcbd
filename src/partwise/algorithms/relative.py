"""λ without a scale: a share of what the Gram matrix holds, so that it means the same for A and for cA."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from partwise.arguments import number
from partwise.types import Array


@dataclass(frozen=True)
class Relative:
    """λ as a share of the mean diagonal of the Gram matrix that it is added to, at step 0 and then fixed for the run.

    For H that matrix is W⁽⁰⁾ᵀW⁽⁰⁾, for W it is H⁽⁰⁾H⁽⁰⁾ᵀ. If A becomes cA and the start sW⁽⁰⁾, then λ_H becomes s²λ_H
    and λ_W becomes (c/s)²λ_W, which is what the same path of iterates needs.
    """

    share: float
    of: float | None = None
    """The mean diagonal at step 0 of a run; None before there is one."""

    def __post_init__(self) -> None:
        number("relative(share)", self.share)

    @property
    def value(self) -> float:
        """λ itself."""
        if self.of is None:
            raise ValueError(f"{self} has its number from step 0 of a run; there is none yet.")
        return self.share * self.of

    def at(self, scale: float) -> Relative:
        """The same share of another mean diagonal."""
        return replace(self, of=scale)

    def __bool__(self) -> bool:
        return bool(self.share)

    def __format__(self, spec: str) -> str:
        return f"relative({self.share:{spec}})"

    def __str__(self) -> str:
        return f"{self:g}"


def relative(share: float) -> Relative:
    """λ as this share of the Gram matrix's mean diagonal at step 0, e.g. ``acls(relative(.05), relative(.05))``."""
    return Relative(number("relative(share)", share))


def mean_diagonal(gram: Array) -> float:
    """The mean of the squared lengths of a factor's columns."""
    return float(np.trace(gram)) / len(gram)
