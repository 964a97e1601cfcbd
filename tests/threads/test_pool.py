"""Threads: the same bits on any number of them, and a process that is left as it was found."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from itertools import count, islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
import threadpoolctl
from takes import skip_unless_taken
from threadpoolctl import OpenBLASController, threadpool_info, threadpool_limits

import partwise as pw
from partwise.data.dense import DenseData
from partwise.threads.blas import single_threaded_blas
from partwise.threads.cores import allowed_threads
from partwise.threads.pool import OutOfTime, Workers, borders, even_borders

PACKAGE = Path(pw.__file__).parent
FITS = [name for name in pw.ALGORITHMS if name not in ("alp", "anls-lawson-hanson")]


@cache
def sparse(dtype: type = np.float64) -> sp.csr_array:
    """Large enough for several row blocks on both sides, by the count of nonzeros."""
    return sp.random_array((700, 640), density=0.22, rng=np.random.default_rng(0), format="csr").astype(dtype)


@cache
def dense(dtype: type = np.float64) -> np.ndarray:
    """Large enough for several row blocks on both sides, by the count of entries."""
    return np.random.default_rng(1).random((600, 600)).astype(dtype)


def tiny() -> np.ndarray:
    """For the methods that solve every row in Python; they run block by block all the same."""
    return np.random.default_rng(2).random((12, 9))


def bits(fit: pw.Factorization) -> list[bytes]:
    """What must be the same: both factors, and the history but for the seconds (NaNs compare as bytes)."""
    columns = [fit.history[name].tobytes() for name in ("iteration", "error", "angle", "kkt")]
    return [fit.w.tobytes(), fit.h.tobytes(), *columns, json.dumps(fit.certificate.kkt).encode()]


def blas_threads() -> dict[str, int]:
    """The number of threads of each BLAS in the process, by its path."""
    return {lib["filepath"]: lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}


def numpy_threads() -> int:
    """The number of threads of numpy's own BLAS, which is the one that the package calls."""
    return next(count for path, count in blas_threads().items() if "numpy" in path)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that matrices of a test's size have several, and yet as large ones are walked."""
    monkeypatch.setattr("partwise.threads.pool.BLOCK_WORK", 2**14)
    monkeypatch.setattr("partwise.data.sparse.NEAR_BYTES", 0)


@pytest.fixture(autouse=True)
def two_blas_threads() -> Iterator[None]:
    """BLAS at two threads, which nobody holds, so that a limit left behind would show; and there must be none."""
    limit = threadpool_limits(2, user_api="blas")
    if hasattr(OpenBLASController, "clear_controlling_thread"):  # threadpoolctl 3.7: one thread may set limits
        OpenBLASController.clear_controlling_thread(force=True)
    before = blas_threads()
    assert set(before.values()) == {2}
    yield
    after = blas_threads()
    limit.restore_original_limits()
    assert {path: after[path] for path in before} == before


@contextmanager
def row_blocks_of(work: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Smaller row blocks, so that small data have several too."""
    with monkeypatch.context() as patch:
        patch.setattr("partwise.threads.pool.BLOCK_WORK", work)
        yield


@pytest.mark.parametrize("make", [sparse, dense])
def test_the_matrices_here_have_several_blocks(make):
    """Otherwise the tests below would prove nothing."""
    data = pw.as_data(make())
    assert len(data.blocks) > 5
    assert len(data.T.blocks) > 5


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize(
    ("make", "dtype"), [(sparse, np.float64), (dense, np.float64), (sparse, np.float32), (dense, np.float32)]
)
def test_any_number_of_threads_gives_the_same_bits(name, make, dtype):
    """1, 2 and 5 threads: factors, errors, angles and KKT residuals are equal, not close."""
    matrix = make(dtype)
    skip_unless_taken(name, matrix)
    stop = [pw.MaxIterations(3), pw.Stationarity(1e-12, every=2)]
    one, two, five = (
        bits(pw.factorize(matrix, 4, algorithm=name, stop=stop, seed=3, threads=threads)) for threads in (1, 2, 5)
    )
    assert one == two == five


@pytest.mark.parametrize("name", ["alp", "anls-lawson-hanson"])
@pytest.mark.parametrize("make", [tiny, lambda: sp.csr_array(np.where(tiny() > 0.5, tiny(), 0))])
def test_the_slow_methods_too(name, make, monkeypatch):
    """The same for the methods that loop over rows in Python, with row blocks made small."""
    with row_blocks_of(8, monkeypatch):
        data = [pw.as_data(make()) for _ in range(3)]
        assert len(data[0].blocks) > 1
        stop = pw.MaxIterations(3)
        one, two, five = (
            bits(pw.factorize(matrix, 2, algorithm=name, stop=stop, threads=threads))
            for matrix, threads in zip(data, (1, 2, 5), strict=True)
        )
    assert one == two == five


@pytest.mark.parametrize("init", ["random-acol", "centroid", "svd-centroid", "nndsvd"])
@pytest.mark.parametrize("make", [sparse, dense])
def test_starts_and_a_polish_give_the_same_bits(init, make):
    """Starts from products and from the SVD, restarts and a polish do not see the threads either."""
    settings = {"algorithm": "acls", "init": init, "polish": "hals", "restarts": 2}
    rules = {"stop": pw.MaxIterations(2), "polish_stop": pw.MaxIterations(4)}
    one, two, five = (bits(pw.factorize(make(), 3, **settings, **rules, threads=threads)) for threads in (1, 2, 5))
    assert one == two == five


@pytest.mark.parametrize("rank", [1, 17])
@pytest.mark.parametrize("make", [sparse, dense])
def test_a_rank_of_one_and_an_odd_rank(make, rank):
    """Widths at which BLAS and the kernels take other ways."""
    one, two, five = (
        bits(pw.factorize(make(np.float32), rank, stop=pw.MaxIterations(3), threads=threads)) for threads in (1, 2, 5)
    )
    assert one == two == five


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("make", [sparse, dense])
def test_the_svd_gives_the_same_bits(make, dtype):
    """truncated_svd on 1, 2 and 5 threads."""
    one, two, five = (pw.truncated_svd(make(dtype), 5, threads=threads, tol=1e-3) for threads in (1, 2, 5))
    for name in ("u", "s", "v"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
        assert np.array_equal(getattr(one, name), getattr(five, name))


@pytest.mark.filterwarnings("ignore:No iteration was better:RuntimeWarning")  # two iterations may be too few
@pytest.mark.parametrize("name", ["acls", "ahcls", "hoyer", "als-hals"])
@pytest.mark.parametrize("make", [sparse, dense])
def test_transform_gives_the_same_bits(make, name):
    """H of other columns on 1, 2 and 5 threads."""
    matrix = make()
    fit = pw.factorize(matrix, 3, algorithm=name, stop=pw.MaxIterations(2))
    one, two, five = (fit.transform(matrix, threads=threads) for threads in (1, 2, 5))
    assert one.any()
    assert np.array_equal(one, two)
    assert np.array_equal(one, five)


def test_two_fits_at_once_give_the_bits_of_each_alone():
    """Two Python threads, each with a pool of its own; BLAS has its threads back after both (see the fixture)."""
    jobs = [("als-hals", sparse()), ("anls", dense()), ("acls", sparse(np.float32)), ("hals", dense(np.float32))]

    def run(name: str, matrix: object) -> list[bytes]:
        return bits(pw.factorize(matrix, 4, algorithm=name, init="nndsvd", stop=pw.MaxIterations(6), threads=2))

    alone = [run(*job) for job in jobs]
    together: dict[int, list[bytes]] = {}
    threads = [threading.Thread(target=lambda i=i: together.update({i: run(*jobs[i])})) for i in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[i] for i in range(len(jobs))] == alone


def test_blas_is_given_back_whoever_leaves_last():
    """The thread that limited BLAS ends first, another one last; in between it is held, afterwards it is not."""
    inside, leave = threading.Event(), threading.Event()

    def first() -> None:
        with single_threaded_blas():
            inside.set()
            leave.wait()

    other = threading.Thread(target=first)
    other.start()
    inside.wait()
    with single_threaded_blas():
        leave.set()
        other.join()
        assert numpy_threads() == 1
    assert numpy_threads() == 2


def test_a_limit_inside_another_one_of_the_thread_does_nothing():
    """BLAS stays at one thread until the outer one ends, and an inner one is forgotten with it."""
    with single_threaded_blas():
        with single_threaded_blas():
            assert numpy_threads() == 1
        assert numpy_threads() == 1
    assert numpy_threads() == 2
    with single_threaded_blas():
        assert numpy_threads() == 1
    assert numpy_threads() == 2


@pytest.mark.parametrize("main_limits", [False, True])
def test_blas_is_held_in_any_thread(main_limits):
    """A fit in another thread holds BLAS too, also after fits in the main one and inside a limit that it has set."""
    seen = []

    def look() -> None:
        with single_threaded_blas():
            seen.append(numpy_threads())

    with single_threaded_blas():
        pass
    with threadpool_limits(2, user_api="blas") if main_limits else nullcontext():
        other = threading.Thread(target=look)
        other.start()
        other.join()
    assert seen == [1]


class Library:
    """A library controller with nothing but a number of threads, as before threadpoolctl 3.7."""

    num_threads = 4

    def set_num_threads(self, number: int) -> None:
        """Set it."""
        self.num_threads = number


@pytest.mark.parametrize("libraries", [None, [], [Library()]], ids=["not listed", "no library", "a plain one"])
def test_another_threadpoolctl_limits_what_it_can(libraries, monkeypatch):
    """Without ``lib_controllers`` nothing is limited, without ``clear_controlling_thread`` nothing is cleared."""
    parts = {} if libraries is None else {"lib_controllers": libraries}
    controller = SimpleNamespace(select=lambda user_api: SimpleNamespace(**parts))
    monkeypatch.setattr("partwise.threads.blas.ThreadpoolController", lambda: controller)
    limit = type(single_threaded_blas)()
    for _ in range(2):
        with limit():
            limit.own_thread()
            assert all(library.num_threads == 1 for library in libraries or ())
        assert all(library.num_threads == 4 for library in libraries or ())


def test_blas_is_held_at_one_thread_inside_and_given_back_between_steps():
    """An iterator leaves BLAS alone while it waits, and when it is abandoned half way."""
    seen = []

    def start(data, rank, rng, workers):
        seen.append(numpy_threads())
        return rng.random((data.shape[0], rank))

    steps = pw.iterate(dense(), 3, init=start, threads=2)
    for _ in islice(steps, 3):
        assert numpy_threads() == 2
    del steps
    assert seen == [1]
    assert numpy_threads() == 2


def test_an_error_inside_gives_blas_back():
    """A start that raises leaves nothing behind (see the fixture), neither limit nor pool."""

    def broken(data, rank, rng, workers):
        raise RuntimeError("no start")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="no start"):
        pw.factorize(dense(), 3, init=broken, threads=3)
    assert threading.active_count() == before


def in_a_child(work: Callable[[], object], seconds: float = 30) -> object:
    """What ``work`` returns in a forked child, through JSON; a child that hangs is killed."""
    source, sink = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: a fork beside threads, which is the point
        child = os.fork()
    if child == 0:
        code = 1
        try:
            answer = json.dumps(work()).encode()
            os.write(sink, answer)
            code = 0
        finally:
            os._exit(code)
    os.close(sink)
    deadline = time.monotonic() + seconds
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail(f"the child hung for {seconds} seconds")
        time.sleep(0.01)
    answer = b""
    with os.fdopen(source, "rb") as pipe:
        answer = pipe.read()
    assert os.waitstatus_to_exitcode(ended[1]) == 0
    return json.loads(answer)


def fit_and_look() -> list[object]:
    """A fit on two threads in whatever process this is: its error, and BLAS's threads around it."""
    before = numpy_threads()
    fit = pw.factorize(dense(), 4, init="nndsvd", stop=pw.MaxIterations(3), threads=2)
    return [before, fit.error, numpy_threads()]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_can_fit_after_its_parent_did():
    """The child has its own pool, the parent's numbers, and BLAS threads of its own."""
    wanted = fit_and_look()
    assert wanted[0] == wanted[2] == 2
    assert in_a_child(fit_and_look) == wanted


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_waits_until_blas_is_limited_or_given_back():
    """A fork that fell between the count and the limit would leave the child's BLAS at one thread for good."""
    entered, leave = threading.Event(), threading.Event()

    def holds_the_lock() -> None:
        with single_threaded_blas._lock:
            entered.set()
            leave.wait()

    holder = threading.Thread(target=holds_the_lock)
    holder.start()
    entered.wait()
    threading.Timer(0.3, leave.set).start()
    began = time.monotonic()
    in_a_child(lambda: 0)
    assert time.monotonic() - began > 0.25
    holder.join()
    assert in_a_child(fit_and_look) == fit_and_look()


def interrupter(at: int, asked: list[int]) -> Callable[[pw.Step], None]:
    """A rule that never stops, and at its ``at``-th question is where Ctrl-C arrives."""

    def rule(step: pw.Step) -> None:
        asked.append(step.iteration)
        if len(asked) == at:
            signal.raise_signal(signal.SIGINT)

    return rule


def survives(matrix: np.ndarray, **settings: object) -> pw.Factorization:
    """The result of a fit that is interrupted; an interrupt that comes through would end pytest itself."""
    try:
        return pw.factorize(matrix, 3, threads=2, **settings)
    except KeyboardInterrupt:
        pytest.fail("the interrupt came through")


@pytest.mark.parametrize("name", ["acls", "als-hals", "multiplicative"])
@pytest.mark.parametrize("at", [1, 2, 5])
def test_an_interrupt_returns_the_best_iterate_with_its_certificate(name, at):
    """Ctrl-C at any step, the first too: the reason, a checked certificate, and a history that has the iterate."""
    matrix = dense()
    fit = survives(matrix, algorithm=name, stop=[interrupter(at, [])])
    assert fit.reason is pw.Reason.INTERRUPTED
    assert fit.certificate.reason == str(pw.Reason.INTERRUPTED)
    assert fit.certificate.kkt is not None
    direct = np.linalg.norm(matrix - fit.W @ fit.H) / np.linalg.norm(matrix)
    assert fit.error == pytest.approx(direct, rel=1e-9)
    assert fit.history.iteration.tolist() == list(range(fit.certificate.iterations + 1))
    returned = fit.history[fit.certificate.returned]
    assert returned.error == fit.error == fit.history.error.min()
    assert returned.kkt == fit.certificate.kkt


def test_an_interrupt_in_a_later_restart_returns_the_best_of_all_with_that_reason():
    """The restarts that are done are not lost, and the reader learns that the last was cut short."""
    matrix = dense()
    asked: list[int] = []
    rules = [interrupter(8, asked), pw.MaxIterations(5)]
    fit = survives(matrix, stop=rules, restarts=4)
    assert len(asked) == 8
    assert fit.reason is pw.Reason.INTERRUPTED
    whole = pw.factorize(matrix, 3, init="random-acol", stop=pw.MaxIterations(5), threads=2)
    assert fit.error <= whole.error


def test_an_interrupt_in_the_start_of_a_later_restart_returns_the_earlier_one():
    """Before a restart has any iterate of its own there is still the result of the one before."""
    calls = []

    def start(data, rank, rng, workers):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return rng.random((data.shape[0], rank))

    fit = survives(dense(), init=start, stop=pw.MaxIterations(2), restarts=3)
    assert fit.reason is pw.Reason.INTERRUPTED
    assert fit.certificate.seed == 0


def test_an_interrupt_at_any_product_returns_what_there_is(monkeypatch):
    """In a half-step, a check of a rule, a restart, a polish or on the way to it: there is a result from step 0 on."""
    matrix = tiny()
    counts = [0, 0]
    plain = DenseData.product

    def counted(self, *arguments):
        counts[0] += 1
        if counts[0] == counts[1]:
            raise KeyboardInterrupt
        plain(self, *arguments)

    monkeypatch.setattr(DenseData, "product", counted)
    rules = {"stop": [pw.MaxIterations(2), pw.Stationarity(1e-9, every=2)], "polish_stop": pw.MaxIterations(4)}
    settings = {"algorithm": "acls", "init": "random", "polish": "hals", "restarts": 2}
    whole = survives(matrix, **settings, **rules)
    total = counts[0] - 2  # the last two are the certificate's, when the run is over
    assert total > 12
    for at in range(2, total + 1):
        counts[:] = [0, at]
        fit = survives(matrix, **settings, **rules)
        assert fit.reason is pw.Reason.INTERRUPTED, at
        assert fit.error >= whole.error
        direct = np.linalg.norm(matrix - fit.W @ fit.H) / np.linalg.norm(matrix)
        assert fit.error == pytest.approx(direct, rel=1e-9)
        (row,) = fit.history[fit.history.iteration == fit.certificate.returned]
        assert row.error == pytest.approx(fit.error, rel=1e-9)


def test_an_interrupt_before_the_first_iterate_is_an_interrupt():
    """There is nothing to return yet."""

    def start(data, rank, rng, workers):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pw.factorize(dense(), 3, init=start)


def python(script: str, timeout: float = 60, **environment: str) -> str:
    """Standard output of a script in a new process; a failure shows what it wrote."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_real_signal_at_any_moment_of_a_run_is_survived():
    """Ctrl-C forty times, wherever it falls: a result with that reason, BLAS as it was, held again by the next fit."""
    script = """
import json, os, signal, threading
import numpy as np, partwise as pw
from threadpoolctl import threadpool_info, threadpool_limits
threadpool_limits(2, user_api="blas")
signal.signal(signal.SIGINT, signal.default_int_handler)
A = np.random.default_rng(0).random((900, 600))

def blas():
    return [lib["num_threads"] for lib in threadpool_info() if "numpy" in lib["filepath"]]

def start(data, rank, rng, workers):
    held.append(blas())
    return rng.random((data.shape[0], rank))

held, outcomes = [], []
pw.factorize(A, 10, algorithm="hals", stop=pw.MaxIterations(1), threads=2)
for i in range(40):
    begun = threading.Event()
    ready = lambda step: begun.set()
    kill = lambda: (begun.wait(), threading.Event().wait(0.0011 * i), os.kill(os.getpid(), signal.SIGINT))
    threading.Thread(target=kill).start()
    rules = [ready, pw.Stationarity(1e-300, every=2)]
    fit = pw.factorize(A, 10, algorithm="hals", init=start, stop=rules, threads=2)
    outcomes.append([fit.reason.name, bool(np.isfinite(fit.error)), fit.certificate.kkt is not None, blas()])
print(json.dumps([outcomes, held, threading.active_count()]))
"""
    outcomes, held, threads = json.loads(python(script))
    assert outcomes == [["INTERRUPTED", True, True, [2]]] * 40
    assert held == [[1]] * 40
    assert threads == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_children_forked_in_the_middle_of_a_fit_can_fit():
    """While another thread is in a fit: children get the same numbers and all of BLAS, and the parent goes on.

    In a process of its own, since OpenBLAS at two threads hangs in the parent when it is forked in the middle.
    """
    script = """
import json, os, threading, warnings
import numpy as np, partwise as pw
from threadpoolctl import threadpool_info, threadpool_limits
threadpool_limits(2, user_api="blas")
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: a fork beside threads, which is the point
A = np.random.default_rng(1).random((900, 600))

def look():
    blas = [lib["num_threads"] for lib in threadpool_info() if "numpy" in lib["filepath"]]
    return blas + [pw.factorize(A, 4, init="nndsvd", stop=pw.MaxIterations(3), threads=2).error]

wanted, begun, end, steps = look(), threading.Event(), threading.Event(), []

def until_the_end(step):
    steps.append(step.iteration)
    begun.set()
    return pw.Reason.MAX_ITERATIONS if end.is_set() else None

fit = {"algorithm": "hals", "stop": [until_the_end, pw.MaxIterations(10**9)], "threads": 2}
busy = threading.Thread(target=lambda: pw.factorize(A, 20, **fit))
busy.start()
begun.wait()
good = []
for _ in range(6):
    child = os.fork()
    if child == 0:
        os._exit(0 if look() == wanted else 1)
    good.append(os.waitpid(child, 0)[1] == 0)
before = len(steps)
while len(steps) < before + 3:
    pass
end.set()
busy.join()
print(json.dumps([good, look() == wanted]))
"""
    assert json.loads(python(script)) == [[True] * 6, True]


def test_the_environment_sets_the_threads_and_the_argument_wins(monkeypatch):
    """PARTWISE_NUM_THREADS, threads=, and the usable cores where neither is given."""

    def used(**settings: int) -> int:
        return pw.factorize(tiny(), 2, stop=pw.MaxIterations(1), **settings).certificate.threads

    monkeypatch.delenv("PARTWISE_NUM_THREADS", raising=False)
    assert used() == allowed_threads()
    monkeypatch.setenv("PARTWISE_NUM_THREADS", "3")
    assert used() == 3
    assert used(threads=1) == 1
    monkeypatch.setenv("PARTWISE_NUM_THREADS", "")
    assert used() == allowed_threads()


def test_the_number_of_threads_is_the_number_at_work(monkeypatch):
    """With threads=3 the caller and two pool threads share the blocks; with 1 there is no pool at all."""
    seen: set[str] = set()
    plain = type(pw.as_data(sparse())).product

    def watched(self, *arguments):
        seen.add(threading.current_thread().name)
        time.sleep(0.001)
        plain(self, *arguments)

    monkeypatch.setattr("partwise.data.sparse.SparseData.product", watched)
    pw.factorize(sparse(), 3, stop=pw.MaxIterations(3), threads=3)
    assert len([name for name in seen if name.startswith("partwise")]) == 2
    assert len(seen) == 3
    seen.clear()
    pw.factorize(sparse(), 3, stop=pw.MaxIterations(3), threads=1)
    assert seen == {threading.current_thread().name}
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("partwise")]


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5", "²"])
def test_a_bad_environment_is_refused_in_a_sentence(value, monkeypatch):
    """A number of threads is a whole number of at least 1."""
    monkeypatch.setenv("PARTWISE_NUM_THREADS", value)
    with pytest.raises(ValueError, match="PARTWISE_NUM_THREADS must be a whole number of at least 1"):
        pw.factorize(tiny(), 2)


def test_threads_start_with_the_first_map_of_several_blocks():
    """A map of one block runs in the caller, and a closed pool starts none again."""
    before = threading.active_count()
    with Workers(3) as workers:
        assert workers.map(lambda lo, hi: threading.get_ident(), ((0, 5),)) == [threading.get_ident()]
        assert threading.active_count() == before
        assert workers.map(lambda lo, hi: (lo, hi), ((0, 2), (2, 5))) == [(0, 2), (2, 5)]
        assert threading.active_count() > before
    assert workers.map(lambda lo, hi: threading.get_ident(), ((0, 2), (2, 5))) == [threading.get_ident()] * 2
    assert threading.active_count() == before


@pytest.mark.parametrize("rows", [1, 7, 63, 64, 200])
def test_rows_of_equal_work_are_cut_as_any_others(rows):
    """The shortcut for one block changes no border, at BLOCK_WORK either."""
    for each in (1.0, 100.5, 2**14 / rows, 2**14 / rows + 1, 3 * 2**14 / rows):
        assert even_borders(rows, each) == borders(np.arange(rows + 1) * each)


@pytest.mark.parametrize("value", [0, -2, 1.5, True, "2"])
def test_bad_threads_are_refused_in_a_sentence(value):
    """The argument likewise."""
    with pytest.raises(ValueError, match="threads must be a whole number of at least 1"):
        pw.factorize(tiny(), 2, threads=value)


LIMITED = """
import sys
from threadpoolctl import ThreadpoolController
from partwise.threads import blas
{change}
with blas.single_threaded_blas():
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    print(len(libraries), *(library.num_threads for library in libraries), "scipy.linalg" in sys.modules)
"""


def test_the_blas_of_scipy_is_limited_without_the_import_of_scipy_linalg():
    """Where its extension module cannot be opened as a library it is imported, and limited all the same."""
    refused = "def refuse(_): raise OSError\nblas.CDLL = refuse"
    at_once, imported = (python(LIMITED.format(change=change)).split() for change in ("", refused))
    assert (at_once.pop(), imported.pop()) == ("False", "True")
    assert at_once == imported
    assert set(at_once[1:]) == {"1"}


FIT = """
import numpy as np, partwise as pw, scipy.sparse as sp
A = sp.csr_array(np.random.default_rng(0).random((20, 12)))
print(pw.factorize(A, 2, algorithm="acls", stop=pw.MaxIterations(2), threads=1).error)
"""


def test_an_install_whose_numba_cache_cannot_be_written_works(tmp_path):
    """Everywhere numba may keep its cache is a file where a directory should be, so that root is refused too."""
    copy = tmp_path / "partwise"
    copy.mkdir()
    for source in PACKAGE.rglob("*.py"):
        target = copy / source.relative_to(PACKAGE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    blocked = tmp_path / "a file"
    blocked.touch()
    (copy / "kernels" / "__pycache__").touch()
    environment = {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": str(blocked)}
    environment |= {"NUMBA_CACHE_DIR": str(blocked)}
    check = f"import partwise; assert partwise.__file__.startswith({str(tmp_path)!r})"
    check += "; from partwise.kernels.products import factor_sums; assert factor_sums._cache.cache_path is None"
    assert float(python(check + FIT, **environment)) > 0
    assert not list(tmp_path.rglob("*.nb?"))


def test_a_full_disk_under_the_numba_cache_is_survived(tmp_path):
    """The directory can be made but nothing written to it (a limit on file sizes stands in for a full disk)."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    assert float(python(limit + FIT, **environment)) > 0


def test_an_interrupt_at_any_moment_of_the_limiting_is_made_good_by_the_next():
    """Ctrl-C at each call and return on the way in and out, one after the other: the next hold is whole again."""
    limit = type(single_threaded_blas)()  # one of our own: what a failure leaves behind is not for other tests
    files = (str(PACKAGE / "threads" / "blas.py"), threadpoolctl.__file__)
    for at in count(1):
        seen = [0]

        def interrupt(frame, event, _, at=at, seen=seen):
            if event in ("call", "c_return") and frame.f_code.co_filename in files:
                seen[0] += 1
                if seen[0] == at:
                    sys.setprofile(None)
                    raise KeyboardInterrupt

        sys.setprofile(interrupt)
        try:
            with limit():
                pass
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
        with limit():
            assert numpy_threads() == 1, at
        assert numpy_threads() == 2, at
        if seen[0] < at:
            break
    assert at > 10


@pytest.mark.parametrize("threads", [1, 2])
def test_a_map_ends_before_the_next_block_once_its_time_is_over(threads):
    """A limit is for the maps inside it alone."""
    begun = []

    def task(lo, hi):
        begun.append(lo)
        time.sleep(0.02)

    blocks = [(i, i + 1) for i in range(200)]
    with Workers(threads) as workers:
        with workers.until(0.05), pytest.raises(OutOfTime):
            workers.map(task, blocks)
        assert 0 < len(begun) < 50
        assert workers.map(lambda lo, hi: hi, blocks[:3]) == [1, 2, 3]


def test_a_map_ends_at_the_nearer_of_two_limits():
    """The inner limit may not put off the outer one, which holds again after it, with its name."""
    with Workers(1) as workers, workers.until(-1, "outer"):
        with workers.until(1000, "inner"), pytest.raises(OutOfTime):
            workers.check_time()
        assert workers.label == "outer"
        with pytest.raises(OutOfTime):
            workers.check_time()
