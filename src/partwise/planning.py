"""What a run will take: memory and disk, before it starts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from partwise.algorithm import Algorithm
from partwise.algorithms import as_algorithm
from partwise.blocks import thread_count
from partwise.inits import as_init, name_of
from partwise.inits.sample import Sample
from partwise.loop import DEFAULT_ALGORITHM
from partwise.restarts import WIDTH
from partwise.structure import check_structure

PROGRAM = 180_000_000
"""The interpreter with numpy, scipy and the compiled kernels."""
PLAIN, MOVING, HELD, FROM_SVD = 4.6, 7.3, 3.5, 9.4
"""Pairs of factors at once, measured: an iteration without and with momentum, a start that waits, an SVD's start."""
KEPT = {False: 1.6, True: 2.6}
"""Pairs of factors in a checkpoint, without and with momentum."""
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


@dataclass(frozen=True)
class Plan:
    """The bytes that a run will take."""

    data: int
    """The matrix as it was given."""
    copies: int
    """What is made of it: a sparse one is walked by rows and by columns."""
    factors: int
    """All W and H that are held at once, and what makes them."""
    buffers: int
    program: int
    checkpoint: int
    """One checkpoint; two are kept, and a third while it is being written."""

    @property
    def memory(self) -> int:
        """At the most, in memory."""
        return self.data + self.copies + self.factors + self.buffers + self.program

    @property
    def disk(self) -> int:
        """At the most, on disk, where the run is kept in checkpoints."""
        return 3 * self.checkpoint

    def __str__(self) -> str:
        parts = ("data", "copies", "factors", "buffers", "program")
        told = ", ".join(f"{name} {size(getattr(self, name))}" for name in parts)
        return f"memory {size(self.memory)} ({told}); checkpoints {size(self.disk)} on disk"


def plan(
    matrix: Any,
    rank: int,
    *,
    nnz: int | None = None,
    dtype: Any = np.float64,
    algorithm: str | Algorithm = DEFAULT_ALGORITHM,
    init: Any = None,
    restarts: int = 1,
    threads: int | None = None,
) -> Plan:
    """What ``factorize`` will take for a matrix, or for a shape (m, n) with ``nnz`` entries, dense where not given."""
    chosen = as_algorithm(algorithm)
    start = as_init(init, chosen, restarts)
    (m, n), kind, data, copies = _sizes(matrix, nnz, dtype)
    pair = (m + n) * int(rank) * kind.itemsize
    moving = chosen.extrapolation is not None
    beside = max(0, min(int(restarts), max(1, WIDTH // int(rank))) - 1)
    waiting = max(0, int(np.ceil(0.3 * restarts)) - 1 - beside) if restarts > 1 else 0
    count = (MOVING if moving else PLAIN) * (1 + beside) + HELD * waiting
    if "svd" in name_of(start):
        count = max(count, FROM_SVD * 8 / kind.itemsize)
    factors, width = int(count * pair), int(rank) * (1 + beside)
    if isinstance(start, Sample):  # before there are factors, in both orders, and its longest rows again
        entries = int(getattr(matrix, "nnz", nnz or m * n))
        factors = max(factors, 4 * (kind.itemsize + 4) * entries * start.columns(int(rank), n, entries) // n)
    buffers = 2 * thread_count(threads) * max(1, max(m, n) // 4) * width * kind.itemsize
    kept = int(pair * KEPT[moving] * (1 + beside + waiting))
    return Plan(data, copies, factors, min(buffers, pair * (1 + beside)), PROGRAM, kept)


def _sizes(matrix: Any, nnz: int | None, dtype: Any) -> tuple[tuple[int, int], np.dtype[Any], int, int]:
    """(shape, precision, bytes as given, bytes of what is made of it)."""
    if hasattr(matrix, "resident"):  # on disk, a part at a time
        return matrix.shape, matrix.dtype, matrix.resident, 0
    if issparse(matrix):
        check_structure(matrix)
    if hasattr(matrix, "shape"):
        m, n = (int(side) for side in matrix.shape)
        given = np.dtype(getattr(matrix, "dtype", dtype))
        nnz = int(matrix.nnz) if hasattr(matrix, "nnz") and (issparse(matrix) or matrix.nnz < m * n) else None
        ours, asked = getattr(matrix, "format", "csr") == "csr", given in (np.float32, np.float64)
    else:
        (m, n), given, ours, asked = matrix, np.dtype(dtype), True, True
    kind = np.dtype(np.float32 if given in (np.float16, np.float32) else np.float64)
    if nnz is None:
        return (m, n), kind, m * n * given.itemsize, 0 if asked else m * n * kind.itemsize
    one = nnz * (kind.itemsize + 4) + 4 * (m + 1)
    return (m, n), kind, one, one + 4 * (n - m) + (0 if ours and asked else one)


def refuse_beyond(limit: Any, made: Plan) -> None:
    """Raise where a run will not keep within a limit."""
    allowed = as_bytes(limit)
    if made.memory > allowed:
        hint = "use a smaller rank, float32, fewer restarts, or a larger limit"
        raise ValueError(f"The run would take {made}, more than memory_limit={size(allowed)}; {hint}.")


def as_bytes(given: Any) -> int:
    """A number of bytes, or a text such as "1.5 GB" or "512MiB"."""
    if isinstance(given, (int, float, np.number)) and not isinstance(given, bool) and 0 < given < np.inf:
        return int(given)
    found = re.fullmatch(r"\s*(\d+\.?\d*)\s*([kmgt]?i?b?)\s*", given, re.IGNORECASE) if isinstance(given, str) else None
    unit = found and (found[2].upper() if found[2].upper().endswith("B") or not found[2] else found[2].upper() + "B")
    if not found or unit not in UNITS or float(found[1]) <= 0:
        raise ValueError(f'A memory limit must be a number of bytes or a text such as "1GB", not {given!r}.')
    return int(float(found[1]) * UNITS[unit])


def size(count: float) -> str:
    """Bytes for the reader."""
    power = min(int(np.log10(max(count, 1)) // 3), 4)
    return f"{count / 1000**power:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"
