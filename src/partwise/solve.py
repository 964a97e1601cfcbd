"""``factorize``: check all that was given, then run the course."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from partwise.algorithm import Algorithm
from partwise.algorithms import as_algorithm
from partwise.checkpoint import Checkpoint, alone, place
from partwise.course import Course
from partwise.factorization import Factorization
from partwise.loop import DEFAULT_ALGORITHM, as_problem, check_seed
from partwise.planning import plan, refuse_beyond
from partwise.problem import Problem
from partwise.restarts import RACING, Racing
from partwise.run import default_stop
from partwise.stopping import Rule, Stationarity, rule_list
from partwise.svd import SVD
from partwise.updates import HoyerCone


def factorize(
    matrix: Any,
    rank: int,
    *,
    algorithm: str | Algorithm = DEFAULT_ALGORITHM,
    init: Any = None,
    stop: Rule | Sequence[Rule] | None = None,
    polish: str | Algorithm | None = None,
    polish_stop: Rule | Sequence[Rule] | None = None,
    restarts: int = 1,
    racing: Racing | None = RACING,
    seed: int | None = 0,
    threads: int | None = None,
    keep: Literal["best", "last"] = "best",
    reseed: bool = True,
    settle: bool = False,
    svd: bool | SVD = False,
    checkpoint: str | os.PathLike[str] | None = None,
    every: int | None = None,
    memory_limit: int | str | None = None,
) -> Factorization:
    """Factor a nonnegative m × n matrix into W (m × k) and H (k × n), A ≈ W H.

    Parameters
    ----------
    matrix : numpy array, scipy sparse matrix or data frame, m × n (terms × documents), entries ≥ 0.
    rank : the number of parts k.
    algorithm : a name in ``ALGORITHMS`` or an object such as ``acls(lam_w=.5, lam_h=.5)``.
    init : a name in ``INITS``, an object, W itself, a pair (W, H), or an earlier result; None is the algorithm's own,
        ``sample`` for the default one, and ``random-acol`` with restarts.
    stop : a stopping rule or a list of which any may stop the run (see :func:`default_stop`); without MaxIterations
        among them there is a cap of 1,000 iterations.
    polish : an algorithm that goes on from the result of the first; by name, it keeps the first one's penalty.
    polish_stop : when the polish stops (``Stationarity(1e-4)`` unless given); it counts its own iterations.
    restarts : how many seeds (seed, seed + 1, …) to try; the best is returned, with a table of all in ``restarts``. A
        start that is the same for every seed, such as spa or a given W, is run once.
    racing : when and how strongly starts that are behind are dropped; None takes every start to its end.
    seed : a seed gives the same bits on any number of threads; None draws one and notes it in the certificate.
    threads : how many threads; PARTWISE_NUM_THREADS or all usable cores unless given.
    keep : which iterate to return where the method is not monotone, the "best" or the "last".
    reseed : whether a dead topic gets a new start.
    settle : whether to end with the exact H for the W that was found, which is what ``transform`` gives.
    svd : True to compare the error with the SVD's of the same rank, or that SVD.
    checkpoint : a file to keep the run in as it goes. The same call goes on from there, bit for bit as though it had
        never ended, and at once gives the result of a run that has come to its end; other data or settings are
        refused. The checkpoint before the last one is kept beside it, as ``.previous``.
    every : how many iterations lie between two checkpoints; unless given, at least 10 and half a minute.
    memory_limit : bytes, or a text such as "1GB": a run that would take more (see ``plan``) is refused at once.

    Ctrl-C returns what there is, with that reason; a checkpoint is written first, from which the same call goes on.
    """
    began = time.perf_counter()
    kept = None if checkpoint is None else place(checkpoint)
    if memory_limit is not None:
        expected = plan(matrix, rank, algorithm=algorithm, init=init, restarts=restarts, threads=threads)
        refuse_beyond(memory_limit, expected)
    rules = None if stop is None else rule_list(stop)
    problem = as_problem(matrix, rank, algorithm, init, threads, reseed, restarts)
    rules = rules or (default_stop(problem.algorithm),)
    finish = None if polish is None else _polish(problem.algorithm, polish)
    if finish is not None and (refusal := finish.refuses(problem.rank, problem.data.shape)):
        raise ValueError(refusal)
    if isinstance(svd, SVD):
        _check_svd(problem, svd)
    finish_rules = (Stationarity(1e-4),) if polish_stop is None else rule_list(polish_stop)
    check_seed(seed)
    check_options(restarts, keep, racing, every)
    course = Course(problem, rules, restarts, racing, keep, finish, finish_rules, settle, svd)
    with problem.workers:
        if kept is None:
            return course.run(drawn(seed), began)
        with alone(kept):
            known = course.identity(seed)
            return course.kept(Checkpoint(kept, every, known, drawn(seed), began))


def drawn(seed: int | None) -> int:
    """The seed, or one that is drawn."""
    return int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)


def _polish(first: Algorithm, given: str | Algorithm) -> Algorithm:
    """The polishing algorithm; by name it takes over the penalty."""
    if any(isinstance(side.update, HoyerCone) for side in (first.w, first.h)):
        raise ValueError("A polish would undo the sparsity targets of hoyer; leave polish=None.")
    chosen = as_algorithm(given)
    if chosen.needs_data:
        raise ValueError(f"{chosen.name} minimises another error, so it cannot polish; use hals or anls.")
    return chosen.with_penalties(first.w.penalty, first.h.penalty) if isinstance(given, str) else chosen


def _check_svd(problem: Problem, svd: SVD) -> None:
    same = (len(svd.u), len(svd.v)) == problem.data.shape and np.isclose(svd.norm2, problem.data.norm2, rtol=1e-6)
    if not same:
        raise ValueError("The SVD that was given is of another matrix.")
    svd.truncate(problem.rank)


def check_options(restarts: Any, keep: Any = "best", racing: Any = None, every: Any = None) -> None:
    """Refuse options of a run that cannot work."""
    if racing is not None and not isinstance(racing, Racing):
        raise TypeError(f"racing must be a Racing(...) or None, not {racing!r}.")
    if isinstance(restarts, bool) or not isinstance(restarts, (int, np.integer)) or restarts < 1:
        raise ValueError(f"restarts must be a whole number of at least 1, not {restarts!r}.")
    if keep not in ("best", "last"):
        raise ValueError(f'keep must be "best" or "last", not {keep!r}.')
    if every is not None and (isinstance(every, bool) or not isinstance(every, (int, np.integer)) or every < 1):
        raise ValueError(f"every must be a whole number of iterations, at least 1, or None, not {every!r}.")
