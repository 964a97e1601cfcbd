"""The memory and disk that a run will take, before it starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from partwise.algorithms.base import Algorithm
from partwise.arguments import as_bytes, check_rank, readable_bytes, whole_number
from partwise.data.as_data import Outline, outline
from partwise.engine.restarts import RACING, WIDTH, Racing, check_racing
from partwise.engine.stretch import for_one_kernel
from partwise.inits.base import declared
from partwise.inits.table import as_init, start_for
from partwise.losses.table import algorithm_for, loss_of, suited
from partwise.threads.pool import thread_count

PROGRAM = 135_000_000
"""The interpreter with numpy, scipy and the compiled kernels, measured; to compile those takes 70 MB more, once."""
PLAIN, MOVING, HELD = 4.2, 7.3, 3.5
"""Pairs of factors at once, measured: an iteration without and with momentum, a start that waits."""
HELD_SYSTEMS = 1.2
"""The systems of all rows and of the blocks that are being made, in units of the former."""
KEPT = {False: 1.6, True: 2.6}
"""Pairs of factors in a checkpoint, without and with momentum."""


@dataclass(frozen=True)
class Plan:
    """The bytes that a run will take."""

    data: int
    """The matrix as it was given."""
    copies: int
    """What is made of it: a sparse one is walked by rows and by columns."""
    factors: int
    """All W and H that are held at once, and what makes them, with what accumulates over the parts of A."""
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
        listed = ", ".join(f"{name} {readable_bytes(getattr(self, name))}" for name in parts)
        return f"memory {readable_bytes(self.memory)} ({listed}); checkpoints {readable_bytes(self.disk)} on disk"


def plan(
    matrix: Any,
    rank: int,
    *,
    nnz: int | None = None,
    dtype: Any = np.float64,
    algorithm: str | Algorithm | None = None,
    loss: str | None = None,
    init: Any = None,
    restarts: int = 1,
    racing: Racing | None = RACING,
    threads: int | None = None,
) -> Plan:
    """The bytes of ``factorize`` for a matrix, or for a shape (m, n) with ``nnz`` entries, dense where not given."""
    whole_number("restarts", restarts)
    check_racing(racing)
    chosen = algorithm_for(algorithm, loss)
    as_init(init, chosen, restarts)  # a wrong name is refused before the data are read
    data = outline(matrix, nnz, dtype)
    chosen = chosen if data.data is None else suited(chosen, data.data)
    start = start_for(init, chosen, restarts, data.data)
    rank, (m, n), kind = check_rank(rank, data.shape), data.shape, data.dtype
    pair = (m + n) * rank * kind.itemsize
    moving = chosen.extrapolation is not None
    beside = max(0, min(restarts, max(1, WIDTH // rank)) - 1)
    ahead = 1 if racing is None else racing.cuts(restarts)[0][1]
    waiting = max(0, ahead - 1 - beside)
    count = (MOVING if moving else PLAIN) * (1 + beside) + HELD * waiting
    start_peak = int(declared(start).peak_bytes(data, rank))  # type: ignore[arg-type]
    factors, width = max(int(count * pair), start_peak), rank * (1 + beside)
    buffers = 2 * thread_count(threads) * max(1, max(m, n) // 4) * width * kind.itemsize
    kept = int(pair * KEPT[moving] * (1 + beside + waiting))
    factors += _accumulated(chosen, data, rank) * (1 + beside) + _held_systems(chosen, data, rank)
    copies = data.copies + (2 * m * n * kind.itemsize if for_one_kernel(data, rank, chosen) else 0)
    return Plan(data.resident, copies, factors, min(buffers, pair * (1 + beside)), PROGRAM, kept)


def _accumulated(algorithm: Algorithm, data: Outline, rank: int) -> int:
    """The bytes of what parts of A give the rows scattered over them, beyond a right-hand side: summed, and in use."""
    beyond = loss_of(algorithm, data.data).share_width(rank) - rank
    return 2 * data.scattered * beyond * data.dtype.itemsize


def _held_systems(algorithm: Algorithm, data: Outline, rank: int) -> int:
    """The bytes of all rows' own systems, which the targets of a side need at once, and of a block more."""
    numbers = loss_of(algorithm, data.data).share_width(rank)
    sizes = [size for side, size in zip(algorithm.sides, data.shape, strict=True) if side.penalty.target is not None]
    return int(HELD_SYSTEMS * 8 * max(sizes, default=0) * numbers) if numbers > rank else 0


def refuse_beyond(limit: Any, expected: Plan) -> None:
    """Raise where a run will not keep within a limit."""
    allowed = as_bytes(limit)
    if expected.memory > allowed:
        hint = "use a smaller rank, float32, fewer restarts, or a larger limit"
        raise ValueError(f"The run would take {expected}, more than memory_limit={readable_bytes(allowed)}; {hint}.")
