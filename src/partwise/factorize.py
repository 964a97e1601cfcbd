"""``factorize`` and ``iterate``: check what was asked for, drive the runs, certify the result."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import frozen
from partwise.arguments import check_rank, check_seed, whole_number
from partwise.data.as_data import as_data
from partwise.data.unknown import observed
from partwise.engine.call import Call, as_problem, checked_call, drawn_seed
from partwise.engine.checkpoint import MISFIT, Checkpoint, alone, misfit, place
from partwise.engine.driver import drive
from partwise.engine.plan import plan, refuse_beyond
from partwise.engine.problem import Clock
from partwise.engine.restarts import RACING, Racing, StartRow
from partwise.engine.run import HISTORY, Run
from partwise.engine.stationarity import EXACT
from partwise.engine.step import Step
from partwise.engine.stopping import Reason, Rule
from partwise.inits.biases import Biased
from partwise.kernels import load_compiler
from partwise.linalg.svd import SVD
from partwise.losses.table import algorithm_for, suited
from partwise.result.certificate import certify, versions
from partwise.result.factorization import Factorization
from partwise.types import Data


def iterate(
    matrix: Any,
    rank: int,
    *,
    algorithm: str | Algorithm | None = None,
    loss: str | None = None,
    missing: Literal["nan", "zeros"] | None = None,
    weights: Any = None,
    unstored: float | None = None,
    init: Any = None,
    seed: int | None = 0,
    threads: int | None = None,
    reseed: bool | None = None,
    lenient: bool = False,
) -> Iterator[Step]:
    """The steps of a factorisation, without end: take as many as you like.

    All arguments are checked here, before the first step. Step 0 holds W⁽⁰⁾ and its H⁽⁰⁾. The iterator
    ends by itself only when a whole factor has become zero, a penalised problem has lost its minimum, or before a step
    with a number that is not finite. ``lenient`` takes an all-zero matrix and a rank above the smaller side, as
    scikit-learn does.
    """
    chosen = algorithm_for(algorithm, loss)
    matrix = observed(matrix, missing=missing, weights=weights, unstored=unstored)
    problem = as_problem(matrix, rank, chosen, init, threads, reseed, lenient=lenient)
    check_seed(seed)
    return _steps(Run(problem, drawn_seed(seed), (), "last", cap=None))


def _steps(run: Run) -> Iterator[Step]:
    """The steps of a run; the threads end with the iterator."""
    with run.problem.workers:
        for _ in drive([run]):
            run.history.clear()
            if run.iterations == 0:
                run.latest.refuse_not_finite()
            if not run.latest.finite:
                return
            yield run.latest


def factorize(
    matrix: Any,
    rank: int,
    *,
    algorithm: str | Algorithm | None = None,
    loss: str | None = None,
    missing: Literal["nan", "zeros"] | None = None,
    weights: Any = None,
    unstored: float | None = None,
    biases: bool = False,
    init: Any = None,
    stop: Rule | Sequence[Rule] | None = None,
    polish: str | Algorithm | None = None,
    polish_stop: Rule | Sequence[Rule] | None = None,
    restarts: int = 1,
    racing: Racing | None = RACING,
    seed: int | None = 0,
    threads: int | None = None,
    keep: Literal["best", "last"] | None = None,
    reseed: bool | None = None,
    settle: bool = False,
    svd: bool | SVD = False,
    checkpoint: str | os.PathLike[str] | None = None,
    every: int | None = None,
    memory_limit: int | str | None = None,
) -> Factorization:
    """Factor a nonnegative m × n matrix into W (m × k) and H (k × n), A ≈ W H.

    Parameters
    ----------
    matrix : numpy array, scipy sparse matrix, data frame, matrix on disk, dask array, or an object of your own with
        the members of ``partwise.types.Local``; m × n (terms × documents), entries ≥ 0.
    rank : the number of components k.
    algorithm : a name in ``ALGORITHMS`` or an object such as ``acls(lam_w=.5, lam_h=.5)``; None is the loss's own.
    loss : what is minimised, a name in ``LOSSES``: "squared", for counts "poisson" (also "kl"), the Kullback–Leibler
        divergence, on dense data "itakura-saito" or ``beta(1.5)``; None is the algorithm's own.
    missing : "nan" takes NaN, masked entries and pandas' NA as unknown; "zeros" takes what a sparse matrix does not
        store as unknown (a stored 0 is an observation), for the squared loss.
    weights : numbers ≥ 0 of the same shape, an array or sparse; what has the weight 0 is unknown.
    unstored : the weight of every entry that a sparse ``weights`` does not store (implicit feedback); None is 0.
    biases : whether two further components hold a nonnegative bias of each row and of each column (the last two, with
        W's last column and H's last row but one held at half the root of the mean entry).
    init : a name in ``INITS``, an object, W itself, a pair (W, H), or an earlier result; None is the algorithm's own,
        ``svd-best`` for the default one, and ``random-acol`` with restarts.
    stop : a stopping rule or a list of which any may stop the run (see :func:`default_stop`); without MaxIterations
        among them there is a cap of 1,000 iterations.
    polish : an algorithm that goes on from the result of the first; by name, it keeps the first one's penalty.
    polish_stop : when the polish stops (``Stationarity(1e-4)`` unless given); it counts its own iterations.
    restarts : how many seeds (seed, seed + 1, …) to try; the best is returned, with a table of all in ``restarts``. A
        start that is the same for every seed, such as spa or a given W, is run once.
    racing : when and how strongly starts that are behind are dropped; None takes every start to its end.
    seed : a seed gives the same bits on any number of threads; None draws one and notes it in the certificate.
    threads : how many threads; PARTWISE_NUM_THREADS or all usable cores unless given.
    keep : which iterate to return where the method is not monotone, the "best" or the "last"; None is the best, or the
        last for an algorithm ``as_written``.
    reseed : whether a dead component gets a new start; None is yes, or no for an algorithm ``as_written``.
    settle : whether to end with the exact H for the W that was found, which is what ``transform`` gives.
    svd : True to compare the error with the SVD's of the same rank, or that SVD.
    checkpoint : a file to keep the run in as it goes. The same call goes on from there, bit for bit as though it had
        never ended, and at once gives the result of a run that has come to its end; other data or settings are
        refused, but a larger ``MaxIterations`` takes one start on from there, and the matrix may lie elsewhere, in
        memory, on disk or on a cluster. The checkpoint before the last one is kept beside it, as ``.previous``.
    every : how many iterations lie between two checkpoints; unless given, at least 10 and half a minute.
    memory_limit : bytes, or a text such as "1GB": a run that would take more (see ``plan``) is refused at once.

    Ctrl-C returns what there is, with that reason; a checkpoint is written first, from which the same call goes on.
    """
    load_compiler()
    clock = Clock()
    path = None if checkpoint is None else place(checkpoint)
    chosen = algorithm_for(algorithm, loss)
    matrix = observed(matrix, missing=missing, weights=weights, unstored=unstored)
    if biases:
        matrix, rank, chosen, init = _with_biases(as_data(matrix), rank, chosen, init)
    if memory_limit is not None:
        expected = plan(matrix, rank, algorithm=chosen, init=init, restarts=restarts, racing=racing, threads=threads)
        refuse_beyond(memory_limit, expected)
    call = checked_call(
        matrix,
        rank,
        algorithm=chosen,
        init=init,
        stop=stop,
        polish=polish,
        polish_stop=polish_stop,
        restarts=restarts,
        racing=racing,
        seed=seed,
        threads=threads,
        keep=keep,
        reseed=reseed,
        settle=settle,
        svd=svd,
        clock=clock,
    )
    if every is not None:
        whole_number("every", every, hint="or None")
    with call.problem.workers:
        if path is None:
            fit = certified(*call.drive())
        else:
            with alone(path):
                fit = _kept(call, Checkpoint(path, every, call.identity(), drawn_seed(seed), versions()))
    warn_of(fit)
    return fit


def _with_biases(data: Data, rank: Any, algorithm: Algorithm, init: Any) -> tuple[Data, int, Algorithm, Any]:
    """The call with two further components, each held on one side."""
    if init is not None:
        raise ValueError("biases=True makes its own start; leave out init.")
    k = check_rank(rank, data.shape)
    held = frozen(suited(algorithm, data), w=[k + 1], h=[k])
    return data, k + 2, held, Biased()


def certified(run: Run, table: Sequence[StartRow], svd_error: float | None = None) -> Factorization:
    """The result of a run with its certificate; the row of the returned iterate gets its KKT residual."""
    run.iterate.refuse_not_finite()
    certificate = certify(run, svd_error)
    step, data = run.iterate, run.problem.data
    history = np.array(run.history, HISTORY).view(np.recarray)
    returned = history.iteration == run.returned
    history.kkt[returned], history.error[returned] = step.kkt, step.error
    reason = run.conclusion
    assert reason is not None
    return Factorization(
        w=data.hand_out(step.w),
        h=data.T.hand_out(step.h),
        history=history,
        reason=reason,
        certificate=certificate,
        algorithm=run.exact or step.own(run.problem.algorithm),
        restarts=tuple(table),
    )


def warn_of(fit: Factorization, advice: str | None = None) -> None:
    """Warn the caller's caller of a run that ended no better than zeros, or with the start; ``advice`` says it."""
    certificate = fit.certificate
    failed = fit.reason in (Reason.COLLAPSED, Reason.NO_MINIMUM, Reason.NOT_FINITE) and fit.error > EXACT
    if fit.reason in (Reason.WORTHLESS, Reason.NO_GAIN) or (failed and (certificate.returned == 0 or fit.error >= 1)):
        spent = f"{certificate.algorithm} at iteration {certificate.iterations}, relative error {fit.error:.6g}"
        warnings.warn(f"{advice or fit.reason} ({spent})", RuntimeWarning, stacklevel=3)


def _kept(call: Call, checkpoint: Checkpoint) -> Factorization:
    """The whole run, or the rest of it, its state kept in a file."""
    if checkpoint.result is not None:
        return _stored_result(call, checkpoint)
    call.problem.clock.passed = checkpoint.passed
    fit = certified(*call.drive(checkpoint.seed, checkpoint.tick, checkpoint.state(*call.phases())))
    if fit.reason is Reason.INTERRUPTED:
        checkpoint.flush()
    else:
        checkpoint.finish(*fit.stored(), fit.certificate.iterations, fit.error)
    return fit


def _stored_result(call: Call, checkpoint: Checkpoint) -> Factorization:
    """The result from the file, its factors of the kind that the matrix asks for."""
    assert checkpoint.result is not None
    data = call.problem.data
    algorithms = (call.problem.algorithm, *(() if call.polish is None else (call.polish,)))
    try:
        fit = Factorization.from_stored(*checkpoint.result)
        algorithm = next(one for one in algorithms if str(one) == fit.certificate.algorithm)
        algorithm = fit.algorithm if algorithm.adjusts else algorithm.scaled(fit.certificate.scales)
    except (*MISFIT, StopIteration):
        raise misfit(checkpoint.path) from None
    w, h = (side.hand_out(side.hold(rows)) for side, rows in ((data, fit.w), (data.T, fit.h)))
    return replace(fit, algorithm=algorithm, w=w, h=h)
