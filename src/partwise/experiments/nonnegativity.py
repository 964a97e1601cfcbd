"""Ways to keep the factors nonnegative: clipping, NNLS, a linear program, a logarithmic penalty; what each costs."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.as_written import as_written
from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import acls, alp, anls, anls_fnnls, anls_lawson_hanson, barrier
from partwise.algorithms.updates import Barrier, FastActiveSet, LawsonHanson, LeastSquares, Pivoting
from partwise.data.as_data import as_data
from partwise.data.products import product
from partwise.datasets import load_cbcl
from partwise.engine.stopping import MaxIterations
from partwise.experiments.corpora import PAPER_LIKE, reuters_corpus, smart_corpus, weight_note
from partwise.experiments.drawing import canvas, label
from partwise.experiments.experiment import Context, Experiment, Record, Result, Table
from partwise.experiments.nonnegativity_claims import (
    CLIPPED,
    COLLECTIONS,
    FAST_NNLS,
    LOG,
    NNLS,
    PIVOTING,
    PRODUCT,
    SERIAL,
    SOLVE,
    verdicts,
)
from partwise.experiments.numbers import above, median, rounded, seconds_of, timed
from partwise.factorize import iterate
from partwise.linalg.svd import truncated_svd
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers
from partwise.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAM, FACES, FEW = 0.5, 30, 5
"""λ; the faces on which linear programs are run; iterations of what is very slow."""
METHODS: dict[str, Callable[[float, float], Algorithm]] = {
    CLIPPED: lambda w, h: as_written(acls(w, h)),
    FAST_NNLS: anls_fnnls,
    PIVOTING: anls,
    NNLS: anls_lawson_hanson,
    LOG: barrier,
}


def run(
    context: Context,
    *,
    rank: int = 10,
    iterations: int = 40,
    seeds: int = 3,
    weight: str = PAPER_LIKE[0],
    stem: str = PAPER_LIKE[1],
) -> Result:
    """The same penalty and the same starts for every way, the half-step by itself, and linear programs on a corner."""
    rows = []
    for name in COLLECTIONS:
        matrix = smart_corpus(name, context.data, weight, stem).matrix
        opt = truncated_svd(matrix, rank).error
        for way in context.track(f"ways on {name}", list(METHODS)):
            rows.append({"data": name, "way": way, **_ways(context, matrix, rank, way, iterations, seeds, opt)})
    costs = {}
    for name in context.track("half-steps", (*COLLECTIONS, "reuters10")):
        options = (context.data, weight, stem)
        text = reuters_corpus(*options) if name == "reuters10" else smart_corpus(name, *options)
        costs[name] = _half_step(context, text.matrix, rank)
    programs = _programs(context, rank)
    notes = (
        f"k = {rank}, {iterations} iterations from {seeds} random starts, λ = {LAM:g} for every way, so that all have "
        f"one objective; Lawson and Hanson's NNLS (scipy's) has {FEW} iterations from one start. "
        + weight_note(weight, stem),
        "Times are seconds of the processor on one thread. A half-step is H from W, with WᵀW and WᵀA at hand, "
        "medians; column by column is numpy's solve in a loop. Linear programs (HiGHS) find least absolute errors, "
        f"for which sparse text is best left zero, so they have {programs['shape'][1]} faces of "
        f"{programs['shape'][0]} pixels, k = {programs['rank']}.",
    )
    series = {"rows": rows, "costs": costs, "programs": programs}
    tables = (
        Table("ways", "Five ways to a nonnegative factor",
              ("collection", "way", "ms an iteration", "zeros", "W by row", "H by row", "Error, %", "KKT residual",
               "iterations"), tuple(tuple(row.values()) for row in rows)),
        Table("costs", "A half-step, ms", ("collection", *costs["medlars"]),
              tuple((name, *(rounded(1e3 * s, 3) for s in own.values())) for name, own in costs.items())),
    )  # fmt: skip
    return Result(tables, verdicts(series), notes, series)


def _ways(
    context: Context, matrix: sp.csr_array, rank: int, way: str, iterations: int, seeds: int, opt: float
) -> Record:
    """Milliseconds, sparsity, error and KKT residual of one way, medians and means over the starts."""
    length, starts = (min(iterations, FEW), 1) if way == NNLS else (iterations, seeds)
    fits = [
        context.fit(matrix, rank, algorithm=METHODS[way](LAM, LAM), init="random", seed=seed,
                    stop=MaxIterations(length), keep="last")
        for seed in range(starts)
    ]  # fmt: skip
    certificates = [fit.certificate for fit in fits]
    zeros = [(np.sum(fit.w == 0) + np.sum(fit.h == 0)) / (fit.w.size + fit.h.size) for fit in fits]
    return {
        "ms": rounded(1e3 * _iteration(matrix, rank, METHODS[way](LAM, LAM), min(length, 2 * FEW)), 3),
        "zeros": rounded(np.mean(zeros), 4),
        "w": rounded(np.mean([c.w.sparsity_by_row for c in certificates]), 4),
        "h": rounded(np.mean([c.h.sparsity_by_row for c in certificates]), 4),
        "error": rounded(np.mean([above(fit.error, opt) for fit in fits]), 4),
        "kkt": rounded(median([c.kkt if c.kkt is not None else np.nan for c in certificates]), 2),
        "iterations": length,
    }


def _iteration(matrix: Array | sp.csr_array, rank: int, algorithm: Algorithm, count: int) -> float:
    """Processor seconds of an iteration on one thread, the median of so many."""
    steps = timed(iterate(matrix, rank, algorithm=algorithm, init="random", threads=1))
    return median(np.diff([seconds for seconds, _ in islice(steps, count + 1)]))


def _half_step(context: Context, matrix: sp.csr_array, rank: int) -> dict[str, float]:
    """Seconds of WᵀA and of each way from there to H, at the fifth iterate of ACLS."""
    fit = context.fit(matrix, rank, algorithm=as_written("acls"), seed=0, stop=MaxIterations(FEW))
    data, w, h = as_data(matrix), fit.w, fit.h
    gram = w.T @ w + LAM * np.eye(rank)
    with Workers(1) as workers, single_threaded_blas():
        rhs = product(data.T, w, workers)
        tasks: dict[str, tuple[Callable[[], object], int]] = {
            PRODUCT: (lambda: product(data.T, w, workers), 9),
            SOLVE: (lambda: np.maximum(np.linalg.solve(gram, rhs.T), 0), 9),
            SERIAL: (lambda: [np.linalg.solve(gram, column) for column in rhs], 3),
            CLIPPED: (lambda: LeastSquares()(gram, rhs, h), 9),
            FAST_NNLS: (lambda: FastActiveSet()(gram, rhs, h), 3),
            PIVOTING: (lambda: Pivoting()(gram, rhs, h), 3),
            NNLS: (lambda: LawsonHanson()(gram, rhs, h), 1),
            LOG: (lambda: Barrier()(gram, rhs, h), 3),
        }
        return {
            name: rounded(seconds_of(task, repeats, time.process_time), 3) for name, (task, repeats) in tasks.items()
        }


def _programs(context: Context, rank: int) -> Record:
    """Seconds of an iteration by linear programs and by ACLS on a few faces."""
    some = load_cbcl(context.data).pixels[:, :FACES].astype(np.float64) / 255
    rank = min(rank, 5)
    seconds = {}
    for name, algorithm in (("alp", alp()), ("acls", as_written("acls"))):
        seconds[name] = rounded(_iteration(some, rank, algorithm, 2), 3)
    return {"shape": list(some.shape), "rank": rank, **seconds}


def draw(result: Result) -> Figure:
    """The milliseconds of a half-step and of an iteration, and the error."""
    costs, rows = result.series["costs"], result.series["rows"]
    figure, axes = canvas(1, 2, 11.0, 3.8)
    names = list(costs)
    ways = list(costs[names[0]])
    colors = ("#0b6e4f", "#08a4bd", "#20335c")
    for place, name in enumerate(names):
        at = np.arange(len(ways)) + 0.27 * (place - 1)
        axes[0, 0].barh(at, [1e3 * costs[name][way] for way in ways], 0.25, color=colors[place], label=name)
    axes[0, 0].set_yticks(range(len(ways)), ways)
    axes[0, 0].invert_yaxis()
    axes[0, 0].set_xscale("log")
    axes[0, 0].legend(fontsize=8, frameon=False)
    label(axes[0, 0], "H from W, on one thread", "ms", "")
    for place, name in enumerate(COLLECTIONS):
        for row in (row for row in rows if row["data"] == name):
            axes[0, 1].plot([row["ms"]], [row["error"]], "os"[place], color=colors[place], ms=6)
            axes[0, 1].annotate(row["way"], (row["ms"], row["error"]), fontsize=7.5, xytext=(5, 3),
                                textcoords="offset points")  # fmt: skip
    axes[0, 1].set_xscale("log")
    axes[0, 1].set_ylim(0)
    label(axes[0, 1], "λ = .5 on MEDLARS (circles) and CISI (squares)", "ms an iteration", "above the SVD's error, %")
    return figure


NEEDS = ("medlars", "cisi", "reuters-21578", "cbcl-faces")
EXPERIMENT = Experiment("Ways to nonnegativity", "Sections 3.1, 3.3.1, 3.3.3 and 3.3.4", run, verdicts, draw, NEEDS)
