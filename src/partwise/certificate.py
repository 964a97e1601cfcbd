"""What a factorisation is worth, in numbers and in words."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from partwise.measures import duplicate_topics, sparsity_of, tally
from partwise.plot.html import rows_html
from partwise.problem import Problem
from partwise.reseeding import dead_topics
from partwise.steps import Optimality, Step
from partwise.stopping import Reason
from partwise.walks import over

STATIONARY, NEARLY = 1e-4, 1e-2


def verdict(check: Optimality) -> str:
    """A stationarity check in words."""
    if not check.bounded:
        return "the penalised row problem has no minimum"
    if check.residual is None:
        return "not defined for the least absolute error"
    if check.residual <= STATIONARY:
        return "stationary"
    return "nearly stationary" if check.residual <= NEARLY else "not stationary"


@dataclass(frozen=True)
class FactorCertificate:
    """One factor: sparsity by row (vectors of length k) and by topic, zeros, wrongly locked zeros, storage."""

    sparsity_by_row: float
    sparsity_by_topic: float
    zero_rows: int
    zeros: float
    locked: int
    sparse_bytes: int
    dense_bytes: int

    @classmethod
    def of(cls, factor: Any, locked: int) -> FactorCertificate:
        """Measure a tall factor, a part at a time where it is spread."""
        rows, width = factor.shape
        filled, by_row, known, zero_rows, ones, squares = over(tally, factor)
        by_topic = sparsity_of(ones, squares, rows)
        by_topic = by_topic[~np.isnan(by_topic)]
        return cls(
            float(by_row / known) if known else float("nan"),
            float(by_topic.mean()) if len(by_topic) else float("nan"),
            int(zero_rows),
            float(1 - filled / (rows * width)),
            locked,
            int(filled) * (factor.dtype.itemsize + 4) + 4 * (rows + 1),
            factor.nbytes,
        )

    @classmethod
    def from_dict(cls, known: dict[str, Any]) -> FactorCertificate:
        """The certificate that gave this dict, in which NaN is None."""
        found: dict[str, Any] = {name: float("nan") if value is None else value for name, value in known.items()}
        return cls(**found)

    def __str__(self) -> str:
        left_out = f" ({self.zero_rows} zero rows left out)" if self.zero_rows else ""
        return (
            f"sparsity {self.sparsity_by_row:.3f} by row{left_out}, {self.sparsity_by_topic:.3f} by topic; "
            f"{self.zeros:.1%} zeros, {self.locked:,} of them wrongly locked"
        )


@dataclass(frozen=True)
class StartCertificate:
    """The start: its name, what W⁽⁰⁾ took in seconds and bytes, and the relative error of W⁽⁰⁾ with its H⁽⁰⁾."""

    init: str
    seconds: float
    nbytes: int
    error: float

    def __str__(self) -> str:
        return f"{self.init}: {self.seconds:.2g} s, {_size(self.nbytes)}, error {self.error:.6g}"


@dataclass(frozen=True)
class Certificate:
    """Everything a reader needs to trust a factorisation or not; ``print`` it, or take ``as_dict()``."""

    shape: tuple[int, int]
    nonzeros: int
    dtype: str
    rank: int
    algorithm: str
    relative_error: float
    explained: float
    svd_ratio: float | None
    kkt: float | None
    verdict: str
    angles: tuple[float, ...] | None
    w: FactorCertificate
    h: FactorCertificate
    data_bytes: int
    svd_bytes: int
    dead_topics: tuple[int, ...]
    duplicate_topics: tuple[tuple[int, int], ...]
    reseeded: int
    start: StartCertificate | None
    reason: str
    iterations: int
    returned: int
    seconds: float
    seed: int | None
    threads: int
    versions: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, words, lists and dicts, ready for JSON."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain

    @classmethod
    def from_dict(cls, known: dict[str, Any]) -> Certificate:
        """The certificate that gave this dict."""
        angles = known["angles"]
        return cls(
            **known
            | {
                "shape": tuple(known["shape"]),
                "angles": None if angles is None else tuple(angles),
                "dead_topics": tuple(known["dead_topics"]),
                "duplicate_topics": tuple((a, b) for a, b in known["duplicate_topics"]),
                "w": FactorCertificate.from_dict(known["w"]),
                "h": FactorCertificate.from_dict(known["h"]),
                "start": None if known["start"] is None else StartCertificate(**known["start"]),
            }
        )

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)

    def _repr_html_(self) -> str:
        return rows_html("Certificate", self.rows())

    def rows(self) -> list[tuple[str, str]]:
        """What there is to say, each with its name."""
        m, n = self.shape
        svd = "not computed (svd=True asks for it)"
        if self.svd_ratio is not None:
            svd = f"{self.svd_ratio:.5f} times the error of the rank-{self.rank} SVD"
        kkt = "" if self.kkt is None else f"KKT residual {self.kkt:.1e}: "
        turned = "no iteration yet"
        if self.angles is not None:
            turned = f"at most {max(self.angles):.3g}° in the last iteration"
        doubles = ", ".join(f"{a} and {b}" for a, b in self.duplicate_topics) or "none"
        dead = ", ".join(map(str, self.dead_topics)) or "none"
        both = self.w.sparse_bytes + self.h.sparse_bytes
        kept = "" if self.returned == self.iterations else f", iterate {self.returned} returned"
        return [
            ("matrix", f"{m:,} × {n:,}, {self.nonzeros:,} entries stored, {self.dtype}"),
            ("method", f"{self.algorithm}, rank {self.rank}, seed {self.seed}"),
            ("start", str(self.start or "none")),
            ("error", f"{self.relative_error:.6g} of ‖A‖; {self.explained:.1%} of the squares explained"),
            ("against the SVD", svd),
            ("stationarity", kkt + self.verdict),
            ("topics turned", turned),
            ("W", str(self.w)),
            ("H", str(self.h)),
            ("storage", f"W and H sparse {_size(both)}, dense {_size(self.w.dense_bytes + self.h.dense_bytes)}; "
                        f"the SVD's factors {_size(self.svd_bytes)}; A {_size(self.data_bytes)}"),
            ("topics", f"dead: {dead}; the same twice: {doubles}; re-seeded: {self.reseeded}"),
            ("ended", f"{self.reason} ({self.iterations} iterations, {self.seconds:.3g} s{kept})"),
            ("made with", ", ".join(f"{name} {found}" for name, found in self.versions.items())),
        ]  # fmt: skip


def certify(
    problem: Problem,
    step: Step,
    *,
    reason: Reason,
    iterations: int,
    seconds: float,
    seed: int | None,
    start: StartCertificate | None = None,
    svd_error: float | None = None,
) -> Certificate:
    """Measure a step: this runs the stationarity check and counts what there is to count."""
    data, check = problem.data, step.optimality
    ratio = None
    if svd_error is not None:
        ratio = step.error / svd_error if svd_error > 0 else None
    return Certificate(
        shape=data.shape,
        nonzeros=data.nnz,
        dtype=str(data.dtype),
        rank=problem.rank,
        algorithm=str(problem.algorithm),
        relative_error=step.error,
        explained=1 - step.error**2,
        svd_ratio=ratio,
        kkt=check.residual,
        verdict=verdict(check),
        angles=None if step.angles is None else tuple(float(a) for a in step.angles),
        w=FactorCertificate.of(step.w, check.locked_w),
        h=FactorCertificate.of(step.h, check.locked_h),
        data_bytes=data.nbytes,
        svd_bytes=(sum(data.shape) + 1) * problem.rank * data.dtype.itemsize,
        dead_topics=tuple(int(c) for c in dead_topics(step.gram_w, step.gram_h, data.norm2)),
        duplicate_topics=duplicate_topics(step.gram_w),
        reseeded=len(step.reseeded),
        start=start,
        reason=str(reason),
        iterations=iterations,
        returned=step.iteration,
        seconds=seconds,
        seed=seed,
        threads=problem.workers.threads,
        versions=versions(),
    )


def versions() -> dict[str, str]:
    """What made the numbers."""
    return dict(_versions())


@cache  # the packages' metadata are read from disk
def _versions() -> dict[str, str]:
    names = ("partwise", "numpy", "scipy", "numba")
    return {name: version(name) for name in names} | {"python": platform.python_version()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def _size(count: float) -> str:
    power = min(int(np.log10(max(count, 1)) // 3), 4)
    return f"{count / 1000**power:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"
