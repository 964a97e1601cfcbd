"""Medians, rounding, timing and rank correlation for the experiments."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from partwise.engine.step import Step
from partwise.types import Array


def median(values: Sequence[float] | Array) -> float:
    """The median as a float; NaN of an empty sequence."""
    return float(np.median(values)) if len(values) else float("nan")


def rounded(values: Any, digits: int = 6) -> Any:
    """Numbers with so many significant digits, in nested lists of the same shape; None for NaN and infinity."""
    if isinstance(values, (list, tuple, np.ndarray)):
        return [rounded(value, digits) for value in values]
    number = float(values)
    return float(f"{number:.{digits}g}") if np.isfinite(number) else None


def seconds_of(task: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """The median time of a task, after one call that is not counted."""
    task()
    times = []
    for _ in range(repeats):
        began = clock()
        task()
        times.append(clock() - began)
    return median(times)


def timed(steps: Iterator[Step]) -> Iterator[tuple[float, Step]]:
    """(processor seconds until this step, the step); what is done between steps does not count."""
    seconds = 0.0
    while True:
        began = time.process_time()
        step = next(steps, None)
        seconds += time.process_time() - began
        if step is None:
            return
        yield seconds, step


def above(error: float, opt: float) -> float:
    """The paper's Error: how far an error lies above the SVD's, in per cent."""
    return 100 * (error - opt) / opt


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Spearman's rank correlation; 0 where one of the two is constant."""
    from scipy.stats import spearmanr  # imported late: it takes half a second

    if len(set(x)) < 2 or len(set(y)) < 2:
        return 0.0
    return float(spearmanr(x, y).statistic)


def strongest(column: Array, terms: Sequence[str], count: int) -> list[str]:
    """The terms with the largest weights in a topic, without those that have none."""
    order = np.argsort(-column, kind="stable")[:count]
    return [terms[i] for i in order if column[i] > 0]


def count_noun(number: int, noun: str) -> str:
    """'1 topic', '2 topics'."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
