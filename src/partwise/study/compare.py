"""Algorithms × starts on one matrix: seconds, iterations, error, sparsity, stationarity and coherence of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import as_algorithm
from partwise.arguments import check_rank, check_seed, shortened
from partwise.data.as_data import as_data
from partwise.data.unknown import observed
from partwise.engine.default_stop import default_stop
from partwise.engine.stopping import MaxIterations, Reason
from partwise.factorize import factorize
from partwise.inits.base import Init
from partwise.inits.table import as_init, name_of
from partwise.linalg.svd import SVD, truncated_svd
from partwise.losses.table import loss_of
from partwise.result.coherence import mean_coherence
from partwise.threads.pool import thread_count
from partwise.types import Array, Data

COMPARED = ("acls", "multiplicative", "hals", "anls", "als-hals")
STARTS = ("random", "random-acol", "svd-centroid")


@dataclass(frozen=True)
class MethodRow:
    """One algorithm from one start."""

    algorithm: str
    init: str
    seconds: float
    iterations: int
    error: float
    svd_ratio: float | None
    """The error over the SVD's of the same rank; None where the SVD is exact."""
    sparsity_w: float
    """Hoyer's sparsity of W, the mean over the topics; NaN where there is none."""
    sparsity_h: float
    """Hoyer's sparsity of H, the mean over the documents."""
    kkt: float | None
    verdict: str
    coherence: float | None
    """The mean NPMI of the topics' ten strongest terms; None for a matrix without zeros."""

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words, ready for JSON."""
        return {name: None if value != value else value for name, value in asdict(self).items()}


def compare_methods(
    matrix: Any,
    rank: int,
    *,
    algorithms: Sequence[str | Algorithm] | None = None,
    inits: Sequence[str | Init | Array] | None = None,
    most: int = 100,
    missing: str | None = None,
    weights: Any = None,
    unstored: float | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Iterator[MethodRow]:
    """Yield a row for each algorithm and start as it finishes; all arguments are checked before the first run.

    Every run has the same seed, its default stopping rule, and at most ``most`` iterations. Where none are named, those
    of ``COMPARED`` and ``STARTS`` are taken that the data allow. ``missing``, ``weights`` and ``unstored`` are those of
    :func:`factorize`.
    """
    data: Any = as_data(observed(matrix, missing=missing, weights=weights, unstored=unstored))
    check_rank(rank, data.shape)
    check_seed(seed)
    thread_count(threads)
    limit = MaxIterations(most)
    for name, choices in (("algorithms", algorithms), ("inits", inits)):
        if choices is not None and (not isinstance(choices, Iterable) or isinstance(choices, (str, type))):
            raise TypeError(f"{name} must be a list of names or objects, not {shortened(repr(choices))}.")
    chosen = [as_algorithm(choice) for choice in (COMPARED if algorithms is None else algorithms)]
    starts = [as_init(choice) for choice in (STARTS if inits is None else inits)]
    if inits is None and data.for_starts is None:
        starts = [start for start in starts if getattr(start, "reads_nothing", False)]
    if not chosen or not starts:
        raise ValueError("Give at least one algorithm and one start to compare.")
    refusals = [one.refuses(int(rank)) or loss_of(one, data).refuses(data, one) for one in chosen]
    if algorithms is None:
        chosen = [one for one, refusal in zip(chosen, refusals, strict=True) if not refusal]
    elif any(refusals):
        raise ValueError(next(filter(None, refusals)))
    return _rows(data, int(rank), chosen, starts, limit, seed, threads)


def has_zeros(data: Data) -> bool:
    """Whether any entry is zero; without zeros every term is in every document and coherence means nothing."""
    return any((data.rows(i, i + 1) == 0).any() for i in range(data.shape[0]))


def _rows(
    data: Data,
    rank: int,
    algorithms: list[Algorithm],
    starts: list[Init],
    limit: MaxIterations,
    seed: int,
    threads: int | None,
) -> Iterator[MethodRow]:
    weighted = data.weighted
    svd = False if weighted else truncated_svd(data, rank, seed=seed, threads=threads)
    zeros = not weighted and has_zeros(data)
    _warm_up(data, rank, algorithms, starts, seed, threads)
    for algorithm in algorithms:
        for start in starts:
            yield _row(data, rank, algorithm, start, limit, seed, threads, svd, zeros)


def _warm_up(
    data: Data, rank: int, algorithms: list[Algorithm], starts: list[Init], seed: int, threads: int | None
) -> None:
    """Run a few iterations of each, so that no row includes the time of imports and compilation."""
    for algorithm, start in [(a, starts[0]) for a in algorithms] + [(algorithms[0], s) for s in starts[1:]]:
        factorize(data, rank, algorithm=algorithm, init=start, stop=MaxIterations(4), seed=seed, threads=threads)


def _row(
    data: Data,
    rank: int,
    algorithm: Algorithm,
    start: Init,
    limit: MaxIterations,
    seed: int,
    threads: int | None,
    svd: SVD | bool,
    zeros: bool,
) -> MethodRow:
    rules = [default_stop(algorithm), limit]
    fit = factorize(data, rank, algorithm=algorithm, init=start, stop=rules, seed=seed, threads=threads, svd=svd)
    if fit.reason is Reason.INTERRUPTED:
        raise KeyboardInterrupt
    certificate = fit.certificate
    coherence = mean_coherence(data, fit.w) if zeros else float("nan")
    return MethodRow(
        algorithm=algorithm.name,
        init=name_of(start),
        seconds=certificate.seconds,
        iterations=certificate.iterations,
        error=certificate.relative_error,
        svd_ratio=certificate.svd_ratio,
        sparsity_w=certificate.w.sparsity_by_topic,
        sparsity_h=certificate.h.sparsity_by_row,
        kkt=certificate.kkt,
        verdict=certificate.verdict,
        coherence=None if coherence != coherence else coherence,
    )
