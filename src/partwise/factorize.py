"""``factorize`` and ``iterate``: check what was asked for, drive the runs, certify the result."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import as_algorithm, frozen
from partwise.arguments import check_rank, check_seed, whole_number
from partwise.data.as_data import as_data
from partwise.data.unknown import observed
from partwise.engine.checkpoint import MISFIT, Checkpoint, Identity, Phase, Single, State, alone, misfit, place
from partwise.engine.driver import drain, drive
from partwise.engine.plan import plan, refuse_beyond
from partwise.engine.problem import Clock, Problem
from partwise.engine.restarts import RACING, Race, Racing, StartRow, race, start_row
from partwise.engine.run import EXACT, HISTORY, Run, default_stop
from partwise.engine.step import Step
from partwise.engine.stopping import Reason, Rule, Stationarity, any_rules, rule_list
from partwise.engine.warm_start import Sample as Sample  # its line in INITS
from partwise.inits.base import Given
from partwise.inits.biases import Biased
from partwise.inits.table import as_init, is_seeded, is_warm, name_of, start_for
from partwise.linalg.svd import SVD, block_svd
from partwise.losses.table import algorithm_for, loss_of, suited
from partwise.result.certificate import certify, versions
from partwise.result.factorization import Factorization
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers
from partwise.types import Data

NO_POLISH = (Reason.INTERRUPTED, Reason.TIME_LIMIT)
"""The ends after which no polish follows."""


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
    weights : numbers ≥ 0 of the same shape, an array or sparse; 0, and in a sparse one what is not stored, is unknown,
    unstored : unless this gives the weight of all that a sparse ``weights`` does not store (implicit feedback).
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
        refused. The checkpoint before the last one is kept beside it, as ``.previous``.
    every : how many iterations lie between two checkpoints; unless given, at least 10 and half a minute.
    memory_limit : bytes, or a text such as "1GB": a run that would take more (see ``plan``) is refused at once.

    Ctrl-C returns what there is, with that reason; a checkpoint is written first, from which the same call goes on.
    """
    clock = Clock()
    path = None if checkpoint is None else place(checkpoint)
    chosen = algorithm_for(algorithm, loss)
    matrix = observed(matrix, missing=missing, weights=weights, unstored=unstored)
    if biases:
        matrix, rank, chosen, init = _with_biases(as_data(matrix), rank, chosen, init)
    if memory_limit is not None:
        expected = plan(matrix, rank, algorithm=chosen, init=init, restarts=restarts, threads=threads)
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
                fit = call.drive_kept(Checkpoint(path, every, call.identity(), drawn_seed(seed), versions()))
    warn_of(fit)
    return fit


def _with_biases(data: Data, rank: Any, algorithm: Algorithm, init: Any) -> tuple[Data, int, Algorithm, Any]:
    """The call with two further components, each held on one side."""
    if init is not None:
        raise ValueError("biases=True makes its own start; leave out init.")
    k = check_rank(rank, data.shape)
    held = frozen(suited(algorithm, data), w=[k + 1], h=[k])
    return data, k + 2, held, Biased()


def checked_call(
    matrix: Any,
    rank: Any,
    *,
    algorithm: Any = None,
    init: Any = None,
    stop: Any = None,
    polish: Any = None,
    polish_stop: Any = None,
    restarts: Any = 1,
    racing: Any = RACING,
    seed: Any = 0,
    threads: Any = None,
    keep: Any = None,
    reseed: bool | None = None,
    settle: bool = False,
    svd: bool | SVD = False,
    clock: Clock | None = None,
    lenient: bool = False,
) -> Call:
    """The arguments of :func:`factorize`, checked before any work; ``lenient`` as for :func:`iterate`."""
    rules = None if stop is None else rule_list(stop)
    problem = as_problem(matrix, rank, algorithm, init, threads, reseed, restarts, clock, lenient)
    check_seed(seed)
    if racing is not None and not isinstance(racing, Racing):
        raise TypeError(f"racing must be a Racing(...) or None, not {racing!r}.")
    whole_number("restarts", restarts)
    if keep is None:
        keep = "last" if problem.algorithm.plain else "best"
    if keep not in ("best", "last"):
        raise ValueError(f'keep must be "best" or "last", not {keep!r}.')
    if isinstance(svd, SVD):
        _check_svd(problem, svd)
    return Call(
        problem=problem,
        rules=rules or (default_stop(problem.algorithm),),
        seed=seed,
        restarts=int(restarts),
        racing=racing,
        keep=keep,
        polish=None if polish is None else _polish(problem, polish),
        polish_rules=(Stationarity(1e-4),) if polish_stop is None else rule_list(polish_stop),
        settle=settle,
        svd=svd,
    )


@dataclass(frozen=True)
class Call:
    """The checked arguments of a call."""

    problem: Problem
    rules: Sequence[Rule]
    seed: int | None
    restarts: int
    racing: Racing | None
    keep: str
    polish: Algorithm | None
    polish_rules: Sequence[Rule]
    settle: bool
    svd: bool | SVD

    def drive(
        self,
        seed: int | None = None,
        tick: Callable[[State], None] = lambda state: None,
        state: State | None = None,
    ) -> tuple[Run, list[StartRow], float | None]:
        """(the run to return, a row for every start, the SVD's error): the starts, the polish and the exact H."""
        phase = state if isinstance(state, Single) else self._starts(seed, tick, state)
        with single_threaded_blas():  # once, and not in every iteration
            drain([phase.run], tick=lambda: tick(phase))
        if not phase.run.begun:
            raise KeyboardInterrupt
        phase.run.iterate.refuse_not_finite()
        table = phase.table or [start_row(phase.run)]
        try:
            if self.polish is not None and not phase.polishing and phase.run.reason not in NO_POLISH:
                phase = Single(phase.run.polish(self.polish, self._polish_rules), table, polishing=True)
                drain([phase.run], tick=lambda: tick(phase))
            if self.settle:
                phase.run.settle()
            return phase.run, table, self._svd_error()
        except KeyboardInterrupt:
            phase.run.reason = Reason.INTERRUPTED
            return phase.run, table, None

    def _starts(self, seed: int | None, tick: Callable[[State], None], state: Race | None) -> Single:
        """The only start, not yet begun, or the best of several, which has come to its end."""
        seed = drawn_seed(self.seed) if seed is None else seed
        count = self.restarts if is_seeded(self.problem.init) else 1
        if count == 1:
            return Single(Run(self.problem, seed, self.rules, self.keep), [])
        seeds = range(seed, seed + count)
        with single_threaded_blas():
            return Single(*race(self.problem, seeds, self.rules, self.keep, self.racing, state=state, tick=tick))

    @property
    def _polish_rules(self) -> tuple[Rule, ...]:
        """The polish's own, and before them the limits on the time of the whole."""
        limits = tuple(rule for rule in any_rules(self.rules) if getattr(rule, "deadline", np.inf) < np.inf)
        return limits + tuple(self.polish_rules)

    def identity(self) -> Identity:
        """What a checkpoint of this run is known by; the number of threads changes no bits."""
        problem = self.problem
        settings = {
            "rank": problem.rank,
            "algorithm": problem.algorithm,
            "restarts": self.restarts,
            "init": problem.init,
            "seed": self.seed,
            "stop": tuple(self.rules),
            "polish": self.polish,
            "reseed": problem.reseed,
            "svd": self.svd is not False,
            "racing": self.racing,
            "keep": self.keep,
            "polish_stop": tuple(self.polish_rules),
            "settle": self.settle,
        }
        missing = getattr(problem.data, "missing", None)
        if missing is not None:
            settings["missing"] = missing
        return Identity.of(problem.data, settings, init=name_of(problem.init))

    def drive_kept(self, checkpoint: Checkpoint) -> Factorization:
        """The whole run, or the rest of it, its state kept in a file."""
        if checkpoint.result is not None:
            return self._stored_result(checkpoint)
        problem = self.problem
        problem.clock.passed = checkpoint.passed
        polish = None
        if self.polish is not None:
            polish = Phase(replace(problem, algorithm=self.polish, warm=True), self._polish_rules, self.keep)
        state = checkpoint.state(Phase(problem, self.rules, self.keep), polish)
        fit = certified(*self.drive(checkpoint.seed, checkpoint.tick, state))
        if fit.reason is Reason.INTERRUPTED:
            checkpoint.flush()
        else:
            checkpoint.finish(*fit.stored(), fit.certificate.iterations, fit.error)
        return fit

    def _stored_result(self, checkpoint: Checkpoint) -> Factorization:
        """The result from the file, its factors of the kind that the matrix asks for."""
        assert checkpoint.result is not None
        data = self.problem.data
        algorithms = (self.problem.algorithm, *(() if self.polish is None else (self.polish,)))
        try:
            fit = Factorization.from_stored(*checkpoint.result)
            algorithm = next(one for one in algorithms if str(one) == fit.certificate.algorithm)
            algorithm = fit.algorithm if algorithm.adjusts else algorithm.scaled(fit.certificate.scales)
        except (*MISFIT, StopIteration):
            raise misfit(checkpoint.path) from None
        w, h = (side.hand_out(side.hold(rows)) for side, rows in ((data, fit.w), (data.T, fit.h)))
        return replace(fit, algorithm=algorithm, w=w, h=h)

    def _svd_error(self) -> float | None:
        problem = self.problem
        if isinstance(self.svd, SVD):
            return self.svd.truncate(problem.rank).error
        if not self.svd or not problem.loss.comparable:
            return None
        with single_threaded_blas():
            return block_svd(problem.data, problem.rank, 1e-6, np.random.default_rng(0), problem.workers).error


def certified(run: Run, table: Sequence[StartRow], svd_error: float | None = None) -> Factorization:
    """The result of a run with its certificate; the stationarity check is part of the history's row."""
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


def as_problem(
    matrix: Any,
    rank: Any,
    algorithm: Any,
    init: Any,
    threads: int | None,
    reseed: bool | None = None,
    restarts: Any = 1,
    clock: Clock | None = None,
    lenient: bool = False,
) -> Problem:
    """The checked problem, before any work."""
    chosen = algorithm_for(algorithm)
    as_init(init, chosen, restarts)  # a wrong name is refused before the data are read
    data = as_data(matrix, zero=lenient)
    chosen = suited(chosen, data)
    start = start_for(init, chosen, restarts, data)
    rank = check_rank(rank, data.shape, lenient=lenient)
    if not data.norm2 > 0:
        start = Given(np.zeros((data.shape[0], rank)), np.zeros((rank, data.shape[1])))
    if refusal := chosen.refuses(rank, data.shape) or loss_of(chosen, data).refuses(data, chosen):
        raise ValueError(refusal)
    if data.for_starts is None and not getattr(start, "reads_nothing", False):
        raise ValueError(f"The start {name_of(start)} would read unknown entries as 0; use random, or W itself.")
    check = getattr(start, "check", None)
    if check is not None:
        check(data, rank)
    warm = is_warm(start, data, rank)
    reseed = not chosen.plain if reseed is None else reseed
    return Problem(data, rank, chosen, start, Workers(threads), clock or Clock(), reseed, warm)


def drawn_seed(seed: int | None) -> int:
    """The seed, or one that is drawn."""
    return int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)


def _polish(problem: Problem, polish: str | Algorithm) -> Algorithm:
    """The polishing algorithm; by name it takes over the penalty."""
    first, chosen = problem.algorithm, as_algorithm(polish)
    for side in first.sides:
        if side.update.constraint:
            raise ValueError(f"A polish would undo {side.update.constraint} of {first.name}; leave polish=None.")
    if chosen.loss != first.loss:
        raise ValueError(f"{chosen.name} minimises another error, so it cannot polish; use hals or anls.")
    if isinstance(polish, str):
        chosen = chosen.with_penalties(first.w.penalty, first.h.penalty)
        chosen = frozen(chosen, w=first.w.update.fixed, h=first.h.update.fixed)
    data = problem.data
    if refusal := chosen.refuses(problem.rank, data.shape) or loss_of(chosen, data).refuses(data, chosen):
        raise ValueError(refusal)
    return chosen


def _check_svd(problem: Problem, svd: SVD) -> None:
    same = (len(svd.u), len(svd.v)) == problem.data.shape and np.isclose(svd.norm2, problem.data.norm2, rtol=1e-6)
    if not same:
        raise ValueError("The SVD that was given is of another matrix.")
    svd.truncate(problem.rank)
