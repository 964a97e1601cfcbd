"""``partwise warm-up``: compile every kernel now, so that no later run has to."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise import kernels
from partwise.algorithms.table import ALGORITHMS
from partwise.cli import options
from partwise.cli.output import print_json, say, working
from partwise.data.dense import LARGE
from partwise.engine.stopping import MaxIterations
from partwise.factorize import factorize
from partwise.kernels.compiling import compile_seconds, compiled_kernels
from partwise.losses.weighted import WIDE
from partwise.text.topic_model import TopicModel
from partwise.text.weighting import Weighting
from partwise.text.word_stream import READY, UNREADY
from partwise.types import Array

Job = tuple[str, Callable[[], object]]

NO_FOLDER = (
    "No folder for them can be written, so every process compiles anew: set NUMBA_CACHE_DIR to a folder of your own."
)


def warm_up(as_json: options.Json = False) -> None:
    """Compile every kernel and keep it on disk, e.g. while a container is built; a second run has nothing to do.

    Example: partwise warm-up
    """
    count, seconds = compiled_kernels(), compile_seconds()
    with working("getting ready") as update, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, job in jobs():
            update(name)
            job()
    count, seconds = compiled_kernels() - count, compile_seconds() - seconds
    folder = kernels.jit.cache_folder(kernels.products.factor_sums)
    if as_json:
        print_json({"kernels": count, "seconds": seconds, "folder": folder})
        return
    say(f"{count} kernels were compiled in {seconds:.1f} s." if count else "All kernels were compiled already.")
    say(f"They are kept in {folder}." if folder else NO_FOLDER)


def jobs() -> Iterator[Job]:
    """Small fits that together call every kernel, for both precisions and both kinds of data."""
    for dtype in (np.float64, np.float32):
        dense: Array = np.random.default_rng(0).uniform(0.1, 1.1, (12, 9)).astype(dtype)
        sparse, gaps = sp.csr_array(np.where(dense > 0.6, dense, 0)), np.where(dense > 0.2, dense, np.nan)
        long = sp.csr_array(sp.eye_array(20_000, 16, dtype=dtype))
        precision = np.dtype(dtype).name
        for name, make in ALGORITHMS.items():
            yield f"{name}, dense, {precision}", partial(_fit, dense, make())
            if not make().loss.startswith("beta"):
                yield f"{name}, sparse, {precision}", partial(_fit, sparse, make())
        for name in ("als", "hals", "anls"):
            yield f"{name}, unknown entries, {precision}", partial(_fit, gaps, ALGORITHMS[name](), missing="nan")
        poisson, start = ALGORITHMS["kl-sweeps"](), np.hstack([np.ones((12, 2)), np.zeros((12, 1))])
        yield f"a dead component, {precision}", partial(_fit, sparse, poisson, init=start)
        for rank in (kernels.vectors.WIDEST // dense.itemsize - 1, 16):  # less than the widest vector, and more
            yield f"als, many rows, {rank} components, {precision}", partial(_fit, long, ALGORITHMS["als"](), rank=rank)
        many = kernels.coordinate.NARROW + 1
        square = np.random.default_rng(0).random((many + 1, many + 1)).astype(dtype)
        for rank in (100, many):
            yield f"hals, {rank} components, {precision}", partial(_fit, square, ALGORITHMS["hals"](), rank=rank)
        blocks = np.random.default_rng(0).random((2048, 64)).astype(dtype)
        name = f"hals, blocks of dense data, {precision}"
        yield name, partial(_fit, blocks, ALGORITHMS["hals"](), rank=20, threads=2)
        square = square.copy()
        square[0, 0] = np.nan
        yield f"hals, an unknown entry, {precision}", partial(_fit, square, ALGORITHMS["hals"](), WIDE, missing="nan")
    large = np.random.default_rng(0).random((LARGE // 64, 64))
    yield "hals, many entries", partial(_fit, large, ALGORITHMS["hals"](), rank=4)
    yield "words", _words


def _fit(matrix: Any, algorithm: Any, rank: int = 3, threads: int = 1, **settings: Any) -> None:
    """Two iterations, a stationarity check, and the exact weights of the columns."""
    fit = factorize(matrix, rank, algorithm=algorithm, stop=MaxIterations(2), seed=0, threads=threads, **settings)
    if "missing" not in settings:
        fit.transform(matrix)


def _words() -> None:
    """A text as long as it must be for the compiled scanner, with more words than its first table holds."""
    words = " ".join(f"w{number}" for number in range(100_000))
    ready = all(map(kernels.jit.is_ready, (kernels.tokens.scan, kernels.tokens.count_terms)))
    least = READY if ready else UNREADY
    documents = [words, words * (1 + least // len(words)), "wind and sails", "hulls, wind and sails"]
    TopicModel(2, threads=2, weighting=Weighting(max_terms=100)).fit(documents)
