"""What a factorisation is worth, in numbers and in words."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from partwise.arguments import readable_bytes
from partwise.data.passes import sum_rows
from partwise.engine.component_sparsity import HAS, SPARSER, ComponentTarget, component_targets
from partwise.engine.problem import Problem
from partwise.engine.reseeding import dead_components
from partwise.engine.run import Run
from partwise.engine.stationarity import NEARLY, STATIONARY
from partwise.engine.step import Optimality, StartCost, Step
from partwise.inits.table import name_of
from partwise.linalg.measures import duplicate_topics, sparsity_of, tally
from partwise.losses.base import Loss
from partwise.losses.table import LOSSES, as_loss
from partwise.plot.html import rows_html
from partwise.storage.settings import Reader, plain


def verdict(check: Optimality, undefined: str = "not defined") -> str:
    """A stationarity check in words; ``undefined`` says what a loss without one has instead."""
    if not check.bounded:
        return "the penalised row problem has no minimum"
    if check.residual is None:
        return undefined
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
        filled, by_row, known, zero_rows, ones, squares = sum_rows(tally, factor)
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

    @classmethod
    def of(cls, init: str, cost: StartCost, error: float) -> StartCertificate:
        """From the cost and the error of step 0."""
        return cls(init, cost.seconds, cost.nbytes, error)

    def __str__(self) -> str:
        return f"{self.init}: {self.seconds:.2g} s, {readable_bytes(self.nbytes)}, error {self.error:.6g}"


@dataclass(frozen=True)
class KnownEntries:
    """Data with weights or unknown entries: what is known of them, and how well that is fitted."""

    share: float
    """The share of the entries that is known."""
    rmse: float
    r2: float | None
    """1 − Σ v (a − y)² / Σ v (a − mean)²; None where all known entries are the same."""
    mean: float
    poor_rows: int
    """Rows with fewer known entries than components, which the data alone do not determine,"""
    poor_columns: int
    empty_rows: int
    """and rows of which nothing is known."""
    empty_columns: int

    @classmethod
    def of(cls, data: Any, rank: int, quality: Quality) -> KnownEntries:
        """From the data and how well they are fitted."""
        counts = [side.row_counts for side in (data, data.T)]
        return cls(
            share=float(counts[0].sum() / (data.shape[0] * data.shape[1])),
            rmse=quality.rmse,
            r2=quality.r2,
            mean=data.mean,
            poor_rows=int((counts[0] < rank).sum()),
            poor_columns=int((counts[1] < rank).sum()),
            empty_rows=int((counts[0] == 0).sum()),
            empty_columns=int((counts[1] == 0).sum()),
        )

    def __str__(self) -> str:
        few = [(self.poor_rows, self.empty_rows, "rows"), (self.poor_columns, self.empty_columns, "columns")]
        poor = "; ".join(
            f"{count:,} {what} with fewer known entries than parts are not determined by the data"
            + (f" ({none:,} with none)" if none else "")
            for count, none, what in few
            if count
        )
        share = f"{self.share:.2%} of all"
        return f"{share}; {poor}" if poor else share


class Quality(NamedTuple):
    """How well the known entries are fitted, in the squares of every loss."""

    value: float
    rmse: float
    r2: float | None

    @classmethod
    def of(cls, problem: Problem, step: Step) -> Quality:
        """The squares come from the relative error where that is made of them, else from a pass over A."""
        data: Any = problem.data
        loss, squared = problem.loss, LOSSES["squared"].on(data)
        algorithm = step.own(problem.algorithm)
        value = step.objective - problem.penalties(algorithm, step.basis, step.weights)
        if loss.squares:
            squares = step.error**2 * data.norm2
        else:
            inner = squared.sums(data, step.h, step.w, problem.workers)[1]
            squares = squared.value(data, step.basis, step.weights, inner, problem.workers)[1]
        weight = float(data.row_weights.sum()) if data.weighted else float(data.shape[0] * data.shape[1])
        total = float(data.row_sums.sum())
        around = data.norm2 - total * (total / weight)  # total² may be out of range where weights are large
        r2 = float(1 - squares / around) if around > 1e-12 * data.norm2 else None
        return cls(value, float(np.sqrt(squares / weight)), r2)


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
    loss: str = "squared"
    scales: tuple[float, float] | None = None
    """What a relative λ of W and of H is a share of: the mean diagonals of HHᵀ and WᵀW at step 0."""
    known: KnownEntries | None = None
    value: float | None = None
    """The loss itself, without penalties: Σ v (a − y)² for the squared one, the divergence for the others."""
    rmse: float | None = None
    """√ of the mean of (a − y)² over the known entries, whatever the loss."""
    r2: float | None = None
    """1 − Σ v (a − y)² / Σ v (a − mean)² over the known entries."""
    targets: tuple[ComponentTarget, ...] = ()
    """The components that were to have a sparsity, and whether they do."""
    compiling: float = 0.0
    """The seconds of these that went into compiling kernels, which are then kept on disk."""

    @property
    def duration(self) -> str:
        """The seconds in words, those of compiling told apart."""
        compiling = f", {self.compiling:.3g} s of them compiling, once" if self.compiling else ""
        return f"{self.seconds:.3g} s{compiling}"

    @property
    def units(self) -> tuple[str, str]:
        """What the relative error, and what is explained, are shares of, in words."""
        return self._loss.units if self.known is None else self._loss.weighted_units

    @property
    def comparable(self) -> bool:
        """Whether the error can be compared with the SVD's."""
        return self.known is None and self._loss.comparable

    @property
    def _loss(self) -> Loss:
        try:
            return as_loss(self.loss)
        except ValueError:  # a file may name a loss that is not in the table
            return as_loss("squared")

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, words, lists and dicts, ready for JSON."""
        values: dict[str, Any] = plain(self, kinds=False)
        return values

    @classmethod
    def from_dict(cls, known: dict[str, Any]) -> Certificate:
        """The certificate that gave this dict; what does not fit is refused."""
        certificate = Reader().read(cls, known)
        if not certificate._sound:
            raise ValueError("The numbers of the certificate do not fit together.")
        return certificate

    @property
    def _sound(self) -> bool:
        """Whether these can be the numbers of a run."""
        counts = (*self.shape, self.rank, self.threads, self.nonzeros, self.iterations, self.returned, self.reseeded)
        topics = (*self.dead_topics, *(topic for pair in self.duplicate_topics for topic in pair))
        return (
            min(counts) >= 0
            and 0 <= self.relative_error < np.inf
            and 0 <= self.seconds < np.inf
            and (self.angles is None or len(self.angles) == self.rank)
            and all(0 <= topic < self.rank for topic in topics)
        )

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)

    def _repr_html_(self) -> str:
        return rows_html("Certificate", self.rows())

    def _targets(self) -> str:
        counts = [(sum(one.verdict == word for one in self.targets), word) for word in (HAS, SPARSER)]
        said = ", ".join(f"{count} {word}" for count, word in counts if count) or "none met"
        missed = [
            f"{one.factor}'s component {one.component} has "
            f"{'none' if one.sparsity is None else format(one.sparsity, '.3f')} for {one.target:g}, since {one.verdict}"
            for one in self.targets
            if not one.fulfilled
        ]
        return "; ".join([f"{said} of {len(self.targets)}", *missed])

    def rows(self) -> list[tuple[str, str]]:
        """What there is to say, each with its name."""
        m, n = self.shape
        svd = "not computed (svd=True asks for it)" if self.loss == "squared" else "another loss, not compared"
        if self.known is not None:
            svd = "not compared: it needs all entries"
        if self.svd_ratio is not None:
            svd = f"{self.svd_ratio:.5f} times the error of the rank-{self.rank} SVD"
        kkt = "" if self.kkt is None else f"KKT residual {self.kkt:.1e}: "
        turned = "no iteration yet"
        if self.angles is not None:
            turned = f"at most {max(self.angles):.3g}° in the last iteration"
        doubles = ", ".join(f"{a} and {b}" for a, b in self.duplicate_topics) or "none"
        dead = ", ".join(map(str, self.dead_topics)) or "none"
        both, dense = self.w.sparse_bytes + self.h.sparse_bytes, self.w.dense_bytes + self.h.dense_bytes
        quality = "" if self.rmse is None else f", RMSE {self.rmse:.4g}"
        quality += "" if self.r2 is None else f", R² {self.r2:.3f}"
        value = "" if self.value is None else f" {self.value:.6g}{quality}"
        shares = "" if self.scales is None else " (shares of {:.4g} for W and {:.4g} for H)".format(*self.scales)
        kept = "" if self.returned == self.iterations else f", iterate {self.returned} returned"
        return [
            ("matrix", f"{m:,} × {n:,}, {self.nonzeros:,} entries stored, {self.dtype}"),
            ("method", f"{self.algorithm}{shares}, rank {self.rank}, seed {self.seed}"),
            ("start", str(self.start or "none")),
            ("error", f"{self.relative_error:.6g} {self.units[0]}; {self.explained:.1%} {self.units[1]}"),
            ("loss", f"{self.loss}{value}"),
            *([("known entries", str(self.known))] if self.known is not None else []),
            ("against the SVD", svd),
            ("stationarity", kkt + self.verdict),
            ("topics turned", turned),
            ("W", str(self.w)),
            ("H", str(self.h)),
            *([("sparsity targets", self._targets())] if self.targets else []),
            ("storage", f"W and H sparse {readable_bytes(both)}, dense {readable_bytes(dense)}; "
                        f"the SVD's factors {readable_bytes(self.svd_bytes)}; A {readable_bytes(self.data_bytes)}"),
            ("topics", f"dead: {dead}; the same twice: {doubles}; re-seeded: {self.reseeded}"),
            ("ended", f"{self.reason} ({self.iterations} iterations, {self.duration}{kept})"),
            ("made with", ", ".join(f"{name} {version}" for name, version in self.versions.items())),
        ]  # fmt: skip


def certify(run: Run, svd_error: float | None = None) -> Certificate:
    """Measure the iterate that a run returns: this makes the stationarity check and counts what there is to count."""
    problem, step = run.problem, run.iterate
    data, check = problem.data, step.optimality
    compared = svd_error is not None and svd_error > 0 and problem.loss.comparable
    ratio = step.error / svd_error if svd_error is not None and compared else None
    quality = Quality.of(problem, step)
    known = KnownEntries.of(data, problem.rank, quality) if data.weighted else None
    return Certificate(
        shape=data.shape,
        nonzeros=data.nnz,
        dtype=str(data.dtype),
        rank=problem.rank,
        algorithm=str(problem.algorithm),
        relative_error=step.error,
        explained=problem.loss.explained(data, step.error),
        svd_ratio=ratio,
        kkt=check.residual,
        verdict=verdict(check, problem.loss.why_not_stationary),
        angles=None if step.angles is None else tuple(float(a) for a in step.angles),
        w=FactorCertificate.of(step.w, check.locked_w),
        h=FactorCertificate.of(step.h, check.locked_h),
        data_bytes=data.nbytes,
        svd_bytes=(sum(data.shape) + 1) * problem.rank * data.dtype.itemsize,
        dead_topics=tuple(int(c) for c in dead_components(step.basis.gram, step.weights.gram, data.norm2)),
        duplicate_topics=duplicate_topics(step.basis.gram),
        reseeded=len(step.reseeded),
        start=None if run.start is None else StartCertificate.of(name_of(problem.init), *run.start),
        reason=str(run.conclusion),
        iterations=run.history[-1][0],
        returned=run.returned,
        seconds=problem.clock.seconds,
        seed=run.seed,
        threads=problem.workers.threads,
        versions=versions(),
        loss=problem.loss.name,
        scales=step.scales,
        known=known,
        compiling=problem.clock.compiling,
        **quality._asdict(),
        targets=()
        if step.thetas is None
        else component_targets(problem.algorithm, step.thetas, step.basis, step.weights, step.error),
    )


def versions() -> dict[str, str]:
    """What made the numbers."""
    return dict(_versions())


@cache  # metadata of packages are read from disk, 2 ms each, so only of those that are not imported
def _versions() -> dict[str, str]:
    names = ("partwise", "numpy", "scipy", "numba")
    known = {name: getattr(sys.modules.get(name), "__version__", None) for name in names}
    return {name: here or version(name) for name, here in known.items()} | {"python": platform.python_version()}
