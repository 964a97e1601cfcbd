"""On Dask: real worker processes give the factors of the run in memory, and losing one of them changes nothing."""

import os
import pickle
import signal
import time
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw
from partwise.data.as_data import as_data
from partwise.engine import driver
from partwise.losses.table import LOSSES
from partwise.study.held_out import fold
from partwise.testing import check_data

da = pytest.importorskip("dask.array", reason="dask is not installed: pip install partwise[dask]")


from distributed import Client, Future, LocalCluster  # noqa: E402

from partwise.data.dask import on_worker, parts, waiting  # noqa: E402
from partwise.data.dask.waiting import Lost  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # the cluster's own warnings are not ours


def sparse(dtype="f8"):
    """120 terms × 300 documents, with an empty row and an empty column."""
    matrix = sp.random_array((120, 300), density=0.08, rng=np.random.default_rng(0), format="lil", dtype=dtype)
    matrix[7] = 0
    matrix[:, 11] = 0
    matrix = sp.csr_array(matrix)
    matrix.eliminate_zeros()
    return matrix


def chunked(matrix, chunks):
    """A dask array of dense blocks."""
    return da.from_array(matrix.toarray(), chunks=chunks)


def sparse_blocks(matrix, chunks):
    """A dask array of scipy sparse blocks."""
    return chunked(matrix, chunks).map_blocks(sp.csr_matrix, dtype=matrix.dtype)


def same(near, far):
    """The factors of two runs to 1e-6."""
    for one, other in ((near.W, far.W), (near.H, far.H)):
        np.testing.assert_allclose(np.asarray(other), one, rtol=0, atol=1e-6 * abs(one).max())
    np.testing.assert_allclose(far.history.error, near.history.error, rtol=1e-7)


def held(client):
    """How many tasks the scheduler knows."""
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


def test_without_a_client_the_blocks_are_computed_in_turn():
    """The default scheduler; the long factor comes back as a dask array in the blocks of the input."""
    matrix = sparse()
    array = sparse_blocks(matrix, (60, 100))
    check_data(pw.as_data(array), matrix.toarray())
    near, far = (pw.factorize(a, 4, stop=pw.MaxIterations(15)) for a in (matrix, array))
    same(near, far)
    assert isinstance(far.H, da.Array)
    assert far.H.chunks[1] == (100, 100, 100)


def test_many_small_chunks_make_few_parts():
    """One-column chunks: the factors of wide ones, in as many parts as are worth a task."""
    matrix = sparse()
    near, far = (
        pw.factorize(a, 4, algorithm="hals", init="random", stop=pw.MaxIterations(3))
        for a in (matrix, sparse_blocks(matrix, (120, 3)))
    )
    same(near, far)
    assert far.H.numblocks == (1, 1)
    assert [list(group) for group in parts._groups([1] * 40, 5, 10)] == [list(range(i, i + 4)) for i in range(0, 40, 4)]
    assert [len(group) for group in parts._groups([1] * 40 + [9, 1], 5, 1)] == [5] * 8 + [1, 1]
    assert len(parts._groups([1] * 32, 5, 1)) == 32


def every_range(data, matrix, borders):
    """Rows of both sides that end or begin at a border or one past it."""
    for side, dense in ((data, matrix), (data.T, matrix.T)):
        edges = sorted({0, len(dense), *(b + d for b in borders for d in (-1, 0, 1) if 0 < b + d <= len(dense))})
        for i, lo in enumerate(edges):
            for hi in edges[i + 1 : i + 3]:
                assert np.array_equal(side.rows(lo, hi), dense[lo:hi])


def test_rows_at_the_borders_of_blocks():
    """A range that takes one row of a block has that row."""
    matrix = np.random.default_rng(0).random((12, 10))
    every_range(pw.as_data(da.from_array(matrix, chunks=(12, 4))), matrix, (4, 8))
    every_range(pw.as_data(da.from_array(matrix, chunks=(5, 10))), matrix, (5, 10))


@pytest.mark.parametrize(
    ("algorithm", "make", "chunks"),
    [
        ("acls", chunked, (120, 75)),
        ("hals", sparse_blocks, (60, 75)),
        ("als-hals", sparse_blocks, (30, 300)),
        ("anls", chunked, (30, 300)),
        ("multiplicative", sparse_blocks, (120, 75)),
    ],
)
def test_factors_are_those_of_the_run_in_memory(client, algorithm, make, chunks):
    """8 iterations to 1e-6, dense and sparse blocks along either axis or both; the certificate says the same."""
    matrix = sparse()
    near, far = (
        pw.factorize(a, 4, algorithm=algorithm, stop=pw.MaxIterations(8)) for a in (matrix, make(matrix, chunks))
    )
    same(near, far)
    spread, whole = (far.w, far.h) if chunks[1] == 300 else (far.h, far.w)
    assert isinstance(spread, da.Array)
    assert isinstance(whole, np.ndarray)
    assert far.certificate.kkt == pytest.approx(near.certificate.kkt, rel=1e-4, abs=1e-12)
    assert far.certificate.h.sparsity_by_topic == pytest.approx(near.certificate.h.sparsity_by_topic, rel=1e-6)


def test_weights_and_holes_on_a_cluster(client):
    """Weighted squares and weighted counts: the factors of memory; counts are held out where the parts lie."""
    rng = np.random.default_rng(0)
    a, weights = rng.poisson(4, (60, 40)).astype(float), rng.random((60, 40))
    blocks = [da.from_array(array, chunks=(30, 40)) for array in (a, weights)]
    for algorithm in ("hals", "kl-newton"):
        settings = {"algorithm": algorithm, "init": "random", "stop": pw.MaxIterations(2)}
        near = pw.factorize(a, 3, weights=weights, **settings)
        far = pw.factorize(blocks[0], 3, weights=blocks[1], **settings)
        assert np.allclose(np.asarray(far.W), near.W, atol=1e-9)
        assert np.allclose(np.asarray(far.H), near.H, atol=1e-9)
    folds = [fold(as_data(one), LOSSES["poisson"], 1, 0) for one in (a, blocks[0])]
    assert np.array_equal(folds[0].matrix.rows(0, 60), folds[1].matrix.rows(0, 60))
    assert folds[0].score(near) == pytest.approx(folds[1].score(far))


def test_the_data_law_holds(client):
    """Products, norms, rows and the transpose are those of the dense twin."""
    matrix = sparse()
    data = pw.as_data(sparse_blocks(matrix, (60, 100)))
    check_data(data, matrix.toarray())
    every_range(data, matrix.toarray(), (100, 200))


def test_a_matrix_on_shared_storage(client, tmp_path):
    """The workers read their own parts."""
    matrix = sparse()
    pw.write_matrix(tmp_path / "m", matrix, part_bytes=6000)
    far = pw.factorize(pw.open_matrix(tmp_path / "m", client=client), 4, stop=pw.MaxIterations(6))
    same(pw.factorize(matrix, 4, stop=pw.MaxIterations(6)), far)


def test_the_estimator_and_a_saved_result(client, tmp_path):
    """fit, transform and save; transform gives a dask array, saving gathers."""
    matrix = sparse()
    array = sparse_blocks(sp.csr_array(matrix.T), (100, 120))
    near, far = (pw.NMF(3, random_state=0, max_iter=8, tol=0).fit(x) for x in (matrix.T, array))
    np.testing.assert_allclose(far.components_, near.components_, atol=1e-6)
    weights = far.transform(array)
    assert isinstance(weights, da.Array)
    np.testing.assert_allclose(np.asarray(weights), near.transform(matrix.T), atol=1e-6)
    fit = pw.factorize(array.T, 3, stop=pw.MaxIterations(2))
    fit.save(tmp_path / "fit.npz")
    assert np.array_equal(pw.load(tmp_path / "fit.npz").H, np.asarray(fit.H))


def bad(value):
    """The matrix with one bad entry, at row 5 and column 130."""
    matrix = sparse().toarray()
    matrix[5, 130] = value
    return da.from_array(matrix, chunks=(120, 100))


@pytest.mark.parametrize(
    ("array", "error", "sentence"),
    [
        (lambda: bad(-2.0), ValueError, "Block 1 .* row 5, column 130 is negative"),
        (lambda: bad(np.nan), ValueError, "Block 1 .* row 5, column 130 is NaN"),
        (lambda: da.ones((20, 30), dtype=complex), TypeError, "complex"),
        (lambda: da.zeros((20, 30), chunks=(20, 10)), ValueError, "all zero"),
        (lambda: da.ones((0, 30)), ValueError, "empty"),
        (lambda: da.ones(30), ValueError, "two dimensions"),
        (lambda: da.ones((3, 30)), ValueError, "rank must be"),
        (lambda: (x := da.ones((20, 30), chunks=10))[x[:, 0] > 0], ValueError, "compute_chunk_sizes"),
        (lambda: da.ones((2**20, 2**20), chunks=(2**20, 2**12)), ValueError, "smaller blocks"),
    ],
)
def test_what_is_no_matrix_is_refused_in_a_sentence(client, array, error, sentence):
    """Before the run starts, with the block and the place."""
    with pytest.raises(error, match=sentence):
        pw.factorize(array(), 4)


def test_alp_is_refused(client):
    """Linear programs need the matrix itself."""
    with pytest.raises(ValueError, match="Dask"):
        pw.factorize(da.ones((20, 30), chunks=(20, 10)), 3, algorithm="alp")


def test_nothing_piles_up(client):
    """The scheduler knows no more tasks in iterations 30 to 40 than in 5 to 15; one more at each would be 25 more.

    Tasks are forgotten a little after their last use, later on a busy machine, so single counts vary.
    """
    steps = pw.iterate(sparse_blocks(sparse(), (120, 75)), 4, algorithm="hals")
    counts = [held(client) for _ in islice(steps, 41)]
    assert max(counts[30:]) <= max(counts[5:16]) + 15


def test_a_worker_killed_in_the_middle_changes_nothing(client):
    """SIGKILL while an iteration runs: not one bit differs."""
    array = chunked(sparse(), (120, 75))

    def run(kill=()):
        steps = pw.iterate(array, 4, algorithm="als-hals", seed=3)
        for step in islice(steps, 8):
            if step.iteration in kill:
                client.wait_for_workers(2)
                workers = sorted(client.run(os.getpid).items())
                pid = workers[kill.index(step.iteration)][1]
                client.loop.call_later(0.02, os.kill, pid, signal.SIGKILL)
        return step.w, np.asarray(step.h), step.error

    calm, rough = run(), run(kill=(3,))
    for one, other in zip(calm, rough, strict=True):
        assert np.array_equal(one, other)


def off_the_wire(value):
    """The value as it can arrive at another worker: every array starts one byte off."""
    buffers = []
    frame = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    moved = [memoryview(bytearray(b"\0" + buffer.raw()))[1:] for buffer in buffers]
    return pickle.loads(frame, buffers=moved)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_part_that_moves_between_workers_keeps_its_bits(kind):
    """Arrays off the wire start at any byte, and BLAS is asked for another order on those: they are aligned first."""
    block = sparse() if kind == "sparse" else sparse().toarray()
    part = on_worker.make_part([[block]], 1, 0, 0, "<f8")
    rows, factor = np.random.default_rng(1).random((300, 4)), np.random.default_rng(2).random((120, 4))
    assert not off_the_wire(rows).flags.aligned

    def product(data, tall, shared, shares, workers):
        new, other = np.empty((300, 4)), np.empty((120, 4))
        data.product(0, 300, shared[0], new)
        data.T.product(0, 120, tall[0].factor, other)
        return [new], [[other, tall[0].factor.T @ new]]

    def worked(part, rows, factor):
        settings = {"task": product, "turned": False, "shares": (), "threads": 1}
        return on_worker.run(part, rows, None, None, None, shared=[factor], **settings)

    (near,), sums = worked(part, rows, factor)
    (far,), other_sums = worked(*map(off_the_wire, (part, rows, factor)))
    assert np.array_equal(near, far)
    gathered = on_worker.own(off_the_wire(other_sums))
    for one, other in zip(sums[0], gathered[0], strict=True):
        assert np.array_equal(one, other)
        assert other.flags.aligned


@pytest.mark.parametrize(("algorithm", "chunks"), [("acls", (120, 75)), ("multiplicative", (30, 300))])
def test_a_dead_topic_gets_its_new_start_on_the_workers(client, algorithm, chunks):
    """Whichever factor is spread, with and without an update that locks zeros: as in memory."""
    matrix, start = sparse(), np.random.default_rng(0).random((120, 4))
    start[:, 2] = 0
    settings = {"algorithm": algorithm, "init": start, "stop": pw.MaxIterations(7)}  # past a copy of the factors
    near, far = (pw.factorize(a, 4, **settings) for a in (matrix, sparse_blocks(matrix, chunks)))
    same(near, far)
    assert near.certificate.reseeded == far.certificate.reseeded == 1
    assert not far.certificate.dead_topics


def test_a_checkpoint_on_a_cluster(client, tmp_path, monkeypatch):
    """The factors on the workers are kept too: broken off and called again, the run goes on bit for bit."""
    array, advance, steps = sparse_blocks(sparse(), (120, 75)), driver.advance, iter(range(100))
    settings = {"init": "random-acol", "stop": pw.MaxIterations(8), "checkpoint": tmp_path / "run", "every": 1}

    def breaking(*arguments):
        if next(steps) == 5:
            raise InterruptedError
        return advance(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(driver, "advance", breaking)
        with pytest.raises(InterruptedError):
            pw.factorize(array, 4, **settings)
    assert pw.resume(tmp_path / "run").iteration == 5
    unbroken = pw.factorize(array, 4, init="random-acol", stop=settings["stop"])
    for _ in ("goes on", "is finished"):
        found = pw.factorize(array, 4, **settings)
        assert isinstance(found.H, da.Array)
        assert np.array_equal(np.asarray(found.H), np.asarray(unbroken.H))
        assert np.array_equal(found.W, unbroken.W)


def test_all_workers_lost_at_once(client, tmp_path, monkeypatch):
    """Factors and copies are gone: one sentence; from a checkpoint the run goes on on new workers, bit for bit."""
    array, advance, steps = chunked(sparse(), (120, 75)), driver.advance, iter(range(100))
    settings = {"init": "random-acol", "stop": pw.MaxIterations(14), "checkpoint": tmp_path / "run", "every": 4}
    unbroken = pw.factorize(array, 4, init="random-acol", stop=settings["stop"])
    h = np.asarray(unbroken.H)  # before its workers are lost

    def killing(*arguments):
        if next(steps) == 12:  # when the first factors can be made again no longer
            for pid in client.run(os.getpid).values():
                os.kill(pid, signal.SIGKILL)
        return advance(*arguments)

    client.wait_for_workers(2)
    with monkeypatch.context() as patch:
        patch.setattr(driver, "advance", killing)
        with pytest.raises(Lost, match=r"^Workers that held .* were lost .*; call again, from a checkpoint .*\.$"):
            pw.factorize(array, 4, **settings)
    client.wait_for_workers(2)
    assert pw.resume(tmp_path / "run").iteration == 12
    found = pw.factorize(array, 4, **settings)
    assert np.array_equal(found.W, unbroken.W)
    assert np.array_equal(np.asarray(found.H), h)


def test_counts_on_workers_as_in_memory(client):
    """The Poisson loss takes the method whose rows are sums over entries, along either axis."""
    counts = sp.csr_array(np.random.default_rng(3).poisson(0.4, (60, 90)).astype(float))
    settings = {"stop": pw.MaxIterations(6)}
    near = pw.factorize(counts, 3, algorithm="kl-newton", **settings)
    for chunks in ((60, 30), (20, 90)):
        far = pw.factorize(sparse_blocks(counts, chunks), 3, loss="poisson", **settings)
        same(near, far)
        assert far.certificate.kkt == pytest.approx(near.certificate.kkt, rel=1e-6)


def test_a_client_that_is_not_the_current_one(client, tmp_path):
    """Its factors come here all the same; tasks are named after the iteration and the error before it."""
    matrix = sparse()
    pw.write_matrix(tmp_path / "m", matrix, part_bytes=6000)
    with Client(client.scheduler.address, set_as_default=False) as other:
        fit = pw.factorize(pw.open_matrix(tmp_path / "m", client=other), 4, stop=pw.MaxIterations(2))
        same(pw.factorize(matrix, 4, stop=pw.MaxIterations(2)), fit)
        fit.save(tmp_path / "fit")
    names = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    assert f"iteration 2, error {fit.history.error[1]:.6f}" in names


def test_an_array_on_the_workers_of_a_client_that_is_not_the_current_one():
    """A sentence says what to do, and doing it helps."""
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster, Client(cluster, set_as_default=False) as other:
        array = other.persist(chunked(sparse(), (120, 150)))
        with pytest.raises(ValueError, match=r"within `with client\.as_current\(\):`"):
            pw.factorize(array.T, 4, stop=pw.MaxIterations(2))
        with other.as_current():
            same(pw.factorize(sparse(), 4, stop=pw.MaxIterations(2)), pw.factorize(array, 4, stop=pw.MaxIterations(2)))


def test_a_client_for_one_call_alone(client):
    """``as_current`` ends before the factors are read."""
    other = Client(client.scheduler.address, set_as_default=False)
    with other.as_current():
        fit = pw.factorize(chunked(sparse(), (120, 150)), 4, stop=pw.MaxIterations(2))
    other.close()
    same(pw.factorize(sparse(), 4, stop=pw.MaxIterations(2)), fit)


def test_a_result_whose_cluster_is_closed(tmp_path):
    """Its factors are gone: a sentence says what to do, and no file is written."""
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster, Client(cluster):
        fit = pw.factorize(chunked(sparse(), (120, 150)), 4, stop=pw.MaxIterations(2))
    for use in (lambda: fit.save(tmp_path / "fit"), lambda: fit.predict(0, 0), lambda: fit.recommend(0)):
        with pytest.raises(RuntimeError, match=r"closed or restarted since.*save the result.*\.$"):
            use()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("loss", ["restarted", "deserted", "closed"])
def test_a_cluster_that_is_gone(loss, monkeypatch):
    """What cannot be made again is said in a sentence, and nobody waits for workers that never come back."""
    monkeypatch.setattr(waiting, "PATIENCE", 0.2)
    monkeypatch.setattr(waiting, "LOOK", 0.1)
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        steps = pw.iterate(chunked(sparse(), (120, 150)), 4, algorithm="hals", init="random")
        next(steps)
        if loss == "restarted":
            client.cancel([Future(key, client) for key in list(client.futures)], force=True)
        elif loss == "closed":
            client.close()
        else:
            cluster.scale(0)
            while client.nthreads():
                time.sleep(0.02)
        sentence = "no workers for 0.2 seconds" if loss == "deserted" else "restarted or closed in the middle"
        with pytest.raises(Lost, match=sentence + r".*; .*call again, from a checkpoint if there is one\.$"):
            list(islice(steps, 9))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_blocks_of_a_part_are_joined_in_turn(make):
    """Along the rows and along the columns, dense and sparse; lines of blocks run across the long axis."""
    a = np.arange(1.0, 31).reshape(5, 6)
    by_rows = [[make(a[:2, :4]), make(a[:2, 4:])], [make(a[2:, :4]), make(a[2:, 4:])]]
    by_columns = [[make(a[:2, :4]), make(a[2:, :4])], [make(a[:2, 4:]), make(a[2:, 4:])]]
    for long, lines, expected in ((0, by_rows, a), (1, by_columns, a.T)):
        joined = on_worker._joined(lines, long, "The matrix", "<f8")
        np.testing.assert_array_equal(joined.toarray() if sp.issparse(joined) else joined, expected)
