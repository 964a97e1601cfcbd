"""Choose the rank: a survey of several, with a recommendation, its runners-up and the reason."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from partwise.algorithms.base import Algorithm
from partwise.arguments import MOST_RUNS, check_rank, choose, whole_number
from partwise.data.as_data import as_data
from partwise.data.unknown import observed
from partwise.engine.stopping import Rule, rule_list
from partwise.factorize import factorize
from partwise.inits.table import as_init, with_svd
from partwise.linalg.svd import truncated_svd
from partwise.losses.table import algorithm_for, loss_of
from partwise.result.coherence import mean_coherence
from partwise.result.factorization import Factorization
from partwise.study.compare import has_zeros
from partwise.study.held_out import Fold, fold
from partwise.study.stability import check_runs, check_seeded, stability
from partwise.threads.pool import thread_count
from partwise.types import Array, Data

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STABLE = 0.9
"""A rank is stable when even its least reliable topic comes back in the other runs with this cosine."""
EXACT = 1e-4
"""An error that counts as none, as by the default stopping rule; beyond such a rank topics have nothing to explain."""
BY = {"stability": "topics that come back from other starts", "held-out": "entries that the fit has not seen"}
NAN = float("nan")


@dataclass(frozen=True)
class RankRow:
    """One rank of a survey."""

    rank: int
    error: float
    """‖A − WH‖_F / ‖A‖_F of the best run."""
    svd_error: float
    """The error of the SVD of this rank, the least possible."""
    reliability: float
    """The mean over the topics of the cosine with their matches in the other runs; NaN for a single run."""
    weakest: float
    """The same for the least reliable topic."""
    cophenetic: float
    dispersion: float
    coherence: float
    """The mean NPMI of the topics' top terms; NaN for a matrix without zeros."""
    seconds: float
    held_out: float = NAN
    """The mean error on what the folds hold out, 1 for a model that knows the mean alone (of counts, the rank-1 model
    alone)."""
    held_out_se: float = NAN
    """Its standard error."""
    folds: tuple[float, ...] = ()
    """The error on each fold; the folds are the same for all ranks."""


@dataclass(frozen=True)
class Ranks:
    """A survey of ranks."""

    rows: tuple[RankRow, ...]
    recommended: int
    runners_up: tuple[int, ...]
    why: str
    """The sentence for the recommendation."""
    by: str = "stability"

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words, ready for JSON."""
        rows = [{k: None if v != v else v for k, v in asdict(row).items()} for row in self.rows]
        return {
            "recommended": self.recommended,
            "runners_up": list(self.runners_up),
            "by": self.by,
            "why": self.why,
            "rows": rows,
        }

    @property
    def columns(self) -> dict[str, str]:
        """The columns of the table to print: name -> field."""
        shown = {"error": "error", "SVD": "svd_error", "reliability": "reliability", "weakest": "weakest"}
        if self.by == "held-out":
            return {"held-out": "held_out", "±": "held_out_se"} | shown
        return shown | {"cophenetic": "cophenetic", "dispersion": "dispersion", "coherence": "coherence"}

    def __str__(self) -> str:
        widths = [max(9, len(name) + 2) for name in self.columns]
        head = "".join(f"{name:>{width}}" for name, width in zip(self.columns, widths, strict=True))
        lines = [
            f"{row.rank:>4}"
            + "".join(f"{getattr(row, f):>{w}.4f}" for f, w in zip(self.columns.values(), widths, strict=True))
            + f"{row.seconds:>8.2f}"
            for row in self.rows
        ]
        return "\n".join([f"{'k':>4}{head}{'s':>8}", *lines, self.why])

    def plot(self) -> Figure:
        """The errors, and the agreement of the runs, against the rank; the recommended rank is marked.

        The held-out error has bars of one standard error.
        """
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        figure = Figure(figsize=(9, 3.8), layout="constrained")
        left, right = figure.subplots(1, 2)
        ks = [row.rank for row in self.rows]
        if self.by == "held-out":
            bars = [row.held_out_se for row in self.rows]
            left.errorbar(ks, [row.held_out for row in self.rows], bars, fmt="o-", capsize=3, label="held out")
            left.set(xlabel="rank", ylabel="error on held-out entries")
        else:
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


def ranks(
    matrix: Any, candidates: Iterable[int], *, by: Literal["stability", "held-out"] = "stability", **settings: Any
) -> Ranks:
    """Factor a matrix at several ranks and recommend one; the settings are those of :func:`survey`.

    by : "stability" recommends the largest rank at which every topic comes back in the other runs; past it topics
        begin to depend on the start. "held-out" recommends the smallest rank that predicts entries which the fit has
        not seen as well as the best one does, within one standard error of the paired difference.
    """
    return recommend(list(survey(matrix, candidates, by=by, **settings)))


def survey(
    matrix: Any,
    candidates: Iterable[int],
    *,
    by: str = "stability",
    runs: int = 6,
    folds: int = 5,
    algorithm: str | Algorithm | None = None,
    loss: str | None = None,
    missing: str | None = None,
    weights: Any = None,
    unstored: float | None = None,
    init: Any = None,
    stop: Rule | Sequence[Rule] | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Iterator[RankRow]:
    """Yield the rows of a survey, smallest rank first; all arguments are checked before the first run.

    One SVD serves all ranks, and every rank uses the same seeds and the same folds. ``runs`` is how many starts the
    stability is taken from; by held-out entries 1 will do, and leaves stability out. ``missing``, ``weights`` and
    ``unstored`` are those of :func:`factorize`.
    """
    choose("way to choose a rank", by, BY)
    data: Any = as_data(observed(matrix, missing=missing, weights=weights, unstored=unstored))
    tried = list(candidates) if isinstance(candidates, Iterable) else []
    if not tried:
        raise ValueError("Give at least one rank to try, e.g. range(2, 11).")
    for rank in tried:
        check_rank(rank, data.shape)
    held_out = by == "held-out"
    whole_number("runs", runs, most=MOST_RUNS) if held_out else check_runs(runs)
    whole_number("folds", folds, 2, most=MOST_RUNS)
    whole_number("seed", seed, 0)
    thread_count(threads)
    algorithm = algorithm_for(algorithm, loss)
    start = as_init("random" if init is None and data.for_starts is None else init)
    check_seeded(start)
    stop = None if stop is None else rule_list(stop)
    usual = {"algorithm": algorithm, "stop": stop, "seed": seed, "threads": threads}
    parts = [fold(data, loss_of(algorithm), number, seed) for number in range(folds)] if held_out else []
    for part in parts[:1]:
        train = as_data(part.matrix)
        if refusal := loss_of(algorithm, train).refuses(train, algorithm):
            raise ValueError(refusal)
    return _rows(data, sorted(set(tried)), parts, init, usual | {"init": start, "runs": runs})


def _rows(data: Any, tried: list[int], parts: list[Fold], init: Any, settings: dict[str, Any]) -> Iterator[RankRow]:
    comparable = loss_of(settings["algorithm"], data).comparable
    svd = None
    if comparable:
        svd = truncated_svd(data, tried[-1], tol=1e-4, seed=settings["seed"], threads=settings["threads"])
        settings = settings | {"init": with_svd(settings["init"], svd)}
    zeros = not data.weighted and has_zeros(data)
    alone = {name: value for name, value in settings.items() if name != "runs"} | {"init": init}
    for rank in tried:
        began = time.perf_counter()
        errors = np.array([part.score(factorize(part.matrix, rank, **alone)) for part in parts])
        fit, agreement = _agreement(data, rank, settings)
        yield RankRow(
            rank=int(rank),
            error=fit.error,
            svd_error=NAN if svd is None else svd.truncate(rank).error,
            **agreement,
            coherence=mean_coherence(data, fit.w) if zeros else NAN,
            seconds=time.perf_counter() - began,
            held_out=float(errors.mean()) if len(errors) else NAN,
            held_out_se=_standard_error(errors) if len(errors) else NAN,
            folds=tuple(float(error) for error in errors),
        )


def _agreement(data: Data, rank: int, settings: dict[str, Any]) -> tuple[Factorization, dict[str, float]]:
    """(the best fit to all of A, the agreement of the runs by field); a single run agrees with nothing."""
    if settings["runs"] == 1:
        fit = factorize(data, rank, **{name: value for name, value in settings.items() if name != "runs"})
        return fit, dict.fromkeys(("reliability", "weakest", "cophenetic", "dispersion"), NAN)
    agreement = stability(data, rank, **settings)
    return agreement.best, {
        "reliability": float(agreement.reliability.mean()),
        "weakest": float(agreement.reliability.min()),
        "cophenetic": agreement.cophenetic,
        "dispersion": agreement.dispersion,
    }


def _standard_error(errors: Array) -> float:
    return float(errors.std(ddof=1) / np.sqrt(len(errors)))


def recommend(rows: list[RankRow]) -> Ranks:
    """By the held-out errors where the rows have them, else by stability."""
    return _by_held_out(rows) if rows[0].folds else _by_stability(rows)


def _by_held_out(rows: list[RankRow]) -> Ranks:
    """The smallest rank whose paired difference to the best one is within its standard error."""
    errors = np.array([row.folds for row in rows])
    best = int(errors.mean(axis=1).argmin())
    worse = errors - errors[best]
    near = [i for i, row in enumerate(worse) if row.mean() <= _standard_error(row)]
    chosen, folds = rows[near[0]], errors.shape[1]
    others = [rows[i].rank for i in (best, *near) if rows[i].rank != chosen.rank]
    if chosen is rows[best]:
        why = f"{chosen.rank} predicts what {folds} folds hold out best, with an error of {chosen.held_out:.4f}"
        if best + 1 < len(rows):
            more = rows[best + 1]
            why += f"; {more.rank} has {more.held_out:.4f}."
    else:
        why = (
            f"{chosen.rank} is the smallest rank that predicts what {folds} folds hold out as well as the best one, "
            f"{rows[best].rank}, within one standard error ({chosen.held_out:.4f} against {rows[best].held_out:.4f})."
        )
    if best + 1 == len(rows):
        why = why.rstrip(".") + f"; {rows[best].rank} is also the largest rank tried, so try larger ones."
    return Ranks(tuple(rows), chosen.rank, tuple(dict.fromkeys(others))[:2], why + _stability_of(chosen), "held-out")


def _stability_of(row: RankRow) -> str:
    """What stability says of a rank that was chosen otherwise."""
    if row.weakest != row.weakest or row.rank == 1:
        return ""
    if row.weakest >= STABLE:
        return " Every topic comes back from other starts."
    return (
        f" Not every topic comes back from other starts: the mean cosine is {row.reliability:.2f}, the least "
        f"{row.weakest:.2f}."
    )


def _by_stability(rows: list[RankRow]) -> Ranks:
    """The largest stable rank up to the first exact fit; where none is stable, the most reliable one."""
    exact = next((row.rank for row in rows if row.error <= EXACT), None)
    needed = [row for row in rows if exact is None or row.rank <= exact]
    stable = [row.rank for row in needed if row.weakest >= STABLE and row.rank > 1]
    by_reliability = [row.rank for row in sorted(needed, key=lambda row: (-row.reliability, -row.rank))]
    if stable:
        chosen = stable[-1]
        others = (stable[:-1][::-1] + [k for k in by_reliability if k not in stable])[:2]
        why = f"{chosen} is the largest rank at which every topic comes back from other starts"
        later = [row for row in rows if row.rank > chosen]
        if chosen == exact:
            why += ", and its fit is exact: there is nothing left to explain."
        elif later:
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
