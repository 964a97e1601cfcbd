"""Choose the rank: a survey of several, with a recommendation, its runners-up and the reason."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from partwise.algorithms.base import Algorithm
from partwise.arguments import check_rank, check_seed
from partwise.data.as_data import as_data
from partwise.engine.stopping import Rule, rule_list
from partwise.inits.table import RANDOM, as_init, with_svd
from partwise.linalg.svd import truncated_svd
from partwise.losses.table import algorithm_for, loss_of
from partwise.result.coherence import mean_coherence
from partwise.study.compare import has_zeros
from partwise.study.stability import check_runs, check_seeded, stability
from partwise.threads.pool import thread_count
from partwise.types import Data

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STABLE = 0.9
"""A rank is stable when even its least reliable topic comes back in the other runs with this cosine."""


@dataclass(frozen=True)
class RankRow:
    """One rank of a survey."""

    rank: int
    error: float
    """‖A − WH‖_F / ‖A‖_F of the best run."""
    svd_error: float
    """The error of the SVD of this rank, the least possible."""
    reliability: float
    """The mean over the topics of the cosine with their matches in the other runs."""
    weakest: float
    """The same for the least reliable topic."""
    cophenetic: float
    dispersion: float
    coherence: float
    """The mean NPMI of the topics' top terms; NaN for a matrix without zeros."""
    seconds: float


@dataclass(frozen=True)
class Ranks:
    """A survey of ranks."""

    rows: tuple[RankRow, ...]
    recommended: int
    runners_up: tuple[int, ...]
    why: str
    """The sentence for the recommendation."""

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words, ready for JSON."""
        rows = [{k: None if v != v else v for k, v in asdict(row).items()} for row in self.rows]
        return {
            "recommended": self.recommended,
            "runners_up": list(self.runners_up),
            "why": self.why,
            "rows": rows,
        }

    def __str__(self) -> str:
        names = ("k", "error", "SVD", "reliability", "weakest", "dispersion", "coherence", "s")
        head = "".join(f"{name:>{width}}" for name, width in zip(names, (4, 10, 10, 13, 9, 12, 11, 8), strict=True))
        lines = [
            f"{r.rank:>4}{r.error:>10.5f}{r.svd_error:>10.5f}{r.reliability:>13.3f}{r.weakest:>9.3f}"
            f"{r.dispersion:>12.3f}{r.coherence:>11.3f}{r.seconds:>8.2f}"
            for r in self.rows
        ]
        return "\n".join([head, *lines, self.why])

    def plot(self) -> Figure:
        """The errors, and the reliability and dispersion, against the rank; the recommended rank is marked."""
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        figure = Figure(figsize=(9, 3.8), layout="constrained")
        left, right = figure.subplots(1, 2)
        ks = [row.rank for row in self.rows]
        left.plot(ks, [row.error for row in self.rows], "o-", label="partwise")
        left.plot(ks, [row.svd_error for row in self.rows], "--", color="grey", label="SVD")
        left.set(xlabel="rank", ylabel="relative error")
        for name in ("reliability", "weakest", "dispersion"):
            right.plot(ks, [getattr(row, name) for row in self.rows], "o-", label=name)
        right.set(xlabel="rank", ylabel="agreement of the runs", ylim=(0, 1.02))
        for axis in (left, right):
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            axis.axvline(self.recommended, color="tab:red", linewidth=1, label=f"recommended: {self.recommended}")
            axis.legend()
        return figure


def ranks(matrix: Any, candidates: Iterable[int], **settings: Any) -> Ranks:
    """Factor a matrix at several ranks and recommend one; the settings are those of :func:`survey`.

    The recommendation is the largest rank at which every topic comes back in the other runs; past it topics begin to
    depend on the start.
    """
    return recommend(list(survey(matrix, candidates, **settings)))


def survey(
    matrix: Any,
    candidates: Iterable[int],
    *,
    runs: int = 6,
    algorithm: str | Algorithm | None = None,
    loss: str | None = None,
    init: Any = RANDOM,
    stop: Rule | Sequence[Rule] | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Iterator[RankRow]:
    """Yield the rows of a survey, smallest rank first; all arguments are checked before the first run.

    One SVD serves all ranks, and every rank uses the same seeds.
    """
    data = as_data(matrix)
    tried = list(candidates) if isinstance(candidates, Iterable) else []
    if not tried:
        raise ValueError("Give at least one rank to try, e.g. range(2, 11).")
    for rank in tried:
        check_rank(rank, data.shape)
    check_runs(runs)
    check_seed(seed)
    thread_count(threads)
    algorithm, init = algorithm_for(algorithm, loss), as_init(init)
    check_seeded(init)
    stop = None if stop is None else rule_list(stop)
    settings = {"runs": runs, "algorithm": algorithm, "init": init, "stop": stop, "seed": seed, "threads": threads}
    return _rows(data, sorted(set(tried)), settings)


def _rows(data: Data, tried: list[int], settings: dict[str, Any]) -> Iterator[RankRow]:
    svd = truncated_svd(data, tried[-1], tol=1e-4, seed=settings["seed"], threads=settings["threads"])
    settings = settings | {"init": with_svd(settings["init"], svd)}
    zeros, comparable = has_zeros(data), loss_of(settings["algorithm"]).comparable
    for rank in tried:
        began = time.perf_counter()
        agreement = stability(data, rank, **settings)
        yield RankRow(
            rank=int(rank),
            error=agreement.best.error,
            svd_error=svd.truncate(rank).error if comparable else float("nan"),
            reliability=float(agreement.reliability.mean()),
            weakest=float(agreement.reliability.min()),
            cophenetic=agreement.cophenetic,
            dispersion=agreement.dispersion,
            coherence=mean_coherence(data, agreement.best.w) if zeros else float("nan"),
            seconds=time.perf_counter() - began,
        )


def recommend(rows: list[RankRow]) -> Ranks:
    """The largest stable rank; where none is stable, the most reliable one."""
    stable = [row.rank for row in rows if row.weakest >= STABLE and row.rank > 1]
    by_reliability = [row.rank for row in sorted(rows, key=lambda row: (-row.reliability, -row.rank))]
    if stable:
        chosen = stable[-1]
        others = (stable[:-1][::-1] + [k for k in by_reliability if k not in stable])[:2]
        why = f"{chosen} is the largest rank at which every topic comes back from other starts"
        later = [row for row in rows if row.rank > chosen]
        if later:
            why += f"; at {later[0].rank} the least reliable topic keeps a cosine of only {later[0].weakest:.2f}."
        else:
            why += "; it is also the largest one tried, so try larger ones."
    else:
        chosen, others = by_reliability[0], by_reliability[1:3]
        best = next(row for row in rows if row.rank == chosen)
        why = (
            f"No rank has all its topics come back from other starts; {chosen} comes nearest, "
            f"with a mean cosine of {best.reliability:.2f}."
        )
    return Ranks(tuple(rows), chosen, tuple(others), why)
