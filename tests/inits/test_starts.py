"""Every start: its law, awkward matrices, scale, storage, threads, and that it sees the data protocol alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from partwise.data.as_data import as_data
from partwise.inits.clustering import k_means
from partwise.inits.compact import apart, compact
from partwise.inits.table import INITS
from partwise.linalg.svd import truncated_svd
from partwise.testing import check_init
from partwise.threads.pool import Workers

POWER = {
    "random": 0,
    "random-pair": 0,
    "nndsvd": 0.5,
    "nndsvda": 0.5,
    "nndsvdar": 0.5,
    "nnsvd-lrc": 0.5,
    "svd-best": 0.5,
    "co-occurrence": 2,
}
"""W(cA) = c^power W(A); 1 for the others."""
SEEDLESS = ("co-occurrence", "spa")
SPARSE = ("centroid", "svd-centroid", "random-acol", "random-c", "co-occurrence", "spa")

every_start = pytest.mark.parametrize("name", list(INITS))


def start(init, matrix, rank, seed=0, threads=1):
    with Workers(threads) as workers:
        return init(as_data(matrix), rank, np.random.default_rng(seed), workers)


def dense(w):
    return w.toarray() if sp.issparse(w) else w


def text_like(m=600, n=400, topics=5, words=12, seed=0):
    """Documents of a few words each, most of them from the words of one topic."""
    rng = np.random.default_rng(seed)
    columns = []
    for j in range(n):
        own = rng.integers(0, m // 10, words) + m // 10 * (j % topics)
        columns.append(np.bincount(np.append(own, rng.integers(0, m, 3)), minlength=m))
    counts = np.array(columns, float).T
    return sp.csr_array(counts / np.linalg.norm(counts, axis=0))


def awkward():
    """Matrices with too few directions, zero or equal columns, single rows and columns."""
    rng = np.random.default_rng(0)
    one, two = rng.random((6, 1)), rng.random((6, 1))
    return {
        "equal columns": np.tile(one, (1, 5)),
        "parallel columns": one * np.arange(1, 6),
        "two distinct columns": np.hstack([np.tile(one, (1, 3)), np.tile(two, (1, 3))]),
        "zero columns": np.hstack([rng.random((6, 3)), np.zeros((6, 4))]),
        "one column not zero": np.hstack([np.zeros((6, 4)), one]),
        "one row not zero": np.vstack([np.zeros((4, 6)), rng.random((1, 6))]),
        "a single entry": np.pad([[2.0]], ((2, 3), (1, 4))),
        "one row": rng.random((1, 7)),
        "one column": rng.random((7, 1)),
        "one number": np.array([[3.0]]),
        "ones": np.ones((5, 6)),
        "identity": np.eye(6),
        "equal blocks": np.kron(np.eye(3), np.ones((3, 3))),
        "columns of every size": rng.random((9, 5)) * np.logspace(4, -44, 5),
        "full rank asked": rng.random((5, 5)),
    }


def sound(init, matrix, rank):
    """The law, and no topic zero or equal to another."""
    w = check_init(init, as_data(matrix), rank)
    assert w.any(axis=0).all()
    assert len(np.unique(w, axis=1).T) == rank
    return w


@every_start
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_awkward_matrices_get_a_sound_start(name, dtype, form):
    """Never NaN, never a zero or a double topic, at rank 1, in between and at the largest rank."""
    for matrix in awkward().values():
        for rank in {1, (min(matrix.shape) + 1) // 2, min(matrix.shape)}:
            sound(INITS[name](), form(matrix.astype(dtype)), rank)


@st.composite
def matrices(draw):
    """Small matrices whose columns are drawn from few distinct ones, some of them zero; and a rank."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    m, n, distinct = draw(st.integers(1, 9)), draw(st.integers(1, 9)), draw(st.integers(1, 9))
    columns = rng.random((m, distinct)) * (rng.random((m, distinct)) < draw(st.sampled_from([0.3, 0.7, 1])))
    columns[rng.integers(m), 0] = 1
    matrix = np.hstack([columns[:, :1], columns[:, rng.integers(0, distinct, n - 1)]])
    matrix = (matrix * draw(st.sampled_from([1, 1e-6, 1e6]))).astype(draw(st.sampled_from(["f4", "f8"])))
    rank = draw(st.integers(1, min(m, n)))
    return (sp.csr_array(matrix) if draw(st.booleans()) else matrix), rank


@every_start
@given(drawn=matrices())
def test_law(name, drawn):
    """m × k, ≥ 0, finite, the data's precision, the same on one thread and two; topics not zero, not equal."""
    sound(INITS[name](), *drawn)


@every_start
def test_the_same_bits_on_any_number_of_threads(name):
    """Data with several blocks, sparse and dense."""
    matrix = sp.random_array((1500, 1200), density=0.1, rng=np.random.default_rng(3), format="coo")
    matrix.data *= np.where(matrix.row % 5 == matrix.col % 5, 20, 1)
    matrix = sp.csr_array(matrix)
    for form in (matrix, matrix[:600].toarray()):
        data = as_data(form)
        assert min(len(data.blocks), len(data.T.blocks)) > 1
        found = [dense(start(INITS[name](), data, 4, threads=threads)) for threads in (1, 2, 3)]
        assert all(np.array_equal(found[0], other) for other in found[1:])


@every_start
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scale(name, dtype):
    """W(cA) = c^power W(A): bit for bit for c = 4, to rounding for c = 10."""
    matrix = text_like(150, 90).astype(dtype)
    power = POWER.get(name, 1)
    found = {c: dense(start(INITS[name](), matrix * dtype(c), 4)) for c in (1, 4, 10)}
    assert np.array_equal(found[4], found[1] * dtype(4**power))
    loose = 1e-9 if dtype is np.float64 else 1e-3
    np.testing.assert_allclose(found[10], found[1] * 10**power, rtol=loose, atol=loose * found[10].max())


@pytest.mark.parametrize("name", SPARSE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_starts_from_sparse_data_are_sparse(name, dtype):
    """CSR, smaller than dense, nonzeros only where A has them."""
    matrix = text_like().astype(dtype)
    w = start(INITS[name](), matrix, 5)
    assert isinstance(w, sp.csr_array)
    assert w.dtype == dtype
    assert w.data.nbytes + w.indices.nbytes + w.indptr.nbytes < 600 * 5 * w.dtype.itemsize
    assert w.data.all()


@pytest.mark.parametrize("name", ["nndsvd", "nnsvd-lrc"])
def test_parts_of_singular_vectors_are_sparse_where_topics_are_apart(name):
    """Equal blocks on the diagonal: each topic has the rows of few blocks."""
    matrix = sp.csr_array(np.kron(np.diag(np.arange(1.0, 9)), np.ones((10, 10))))
    assert isinstance(start(INITS[name](), matrix, 8), sp.csr_array)


@every_start
def test_dense_data_give_dense_arrays(name, small):
    """Where W has few zeros the array is the smaller storage."""
    w = start(INITS[name](), small + 0.1, 5)
    assert isinstance(w, np.ndarray) or name in ("nndsvd", "nnsvd-lrc")
    if isinstance(w, np.ndarray):
        assert w.flags.c_contiguous


def test_compact_counts_bytes():
    """CSR exactly when its three arrays take fewer bytes."""
    for filled in range(0, 41):
        w = np.zeros((10, 4))
        w.ravel()[:filled] = 1
        found = compact(w)
        assert sp.issparse(found) == (filled * 12 + 11 * 4 < w.nbytes)
        assert np.array_equal(dense(found), w)


class Protocol:
    """The data protocol and nothing else."""

    def __init__(self, data):
        self._data = data

    def __getattr__(self, name):
        allowed = (
            "shape",
            "dtype",
            "nnz",
            "nbytes",
            "blocks",
            "split",
            "parts",
            "walk",
            "row_norms2",
            "norm2",
            "product",
            "weighted",
            "rows",
            "some",
            "for_starts",
            "for_many_products",
            "hold",
            "widens",
            "clipped_product",
        )
        if name not in allowed:
            raise AttributeError(f"{name} is not in the protocol")
        return getattr(self._data, name)

    @property
    def T(self):
        return Protocol(self._data.T)


@every_start
def test_only_the_protocol_is_seen(name):
    """The same start from an object that has the protocol's names and no others."""
    data = as_data(text_like(100, 70))
    with Workers(1) as workers:
        found = [INITS[name]()(d, 3, np.random.default_rng(0), workers) for d in (data, Protocol(data))]
    assert np.array_equal(dense(found[0]), dense(found[1]))


@every_start
def test_seeds(name, sparse):
    """Another seed gives another start, except where the docstring says that the seed plays no part."""
    one, two = (dense(start(INITS[name](), sparse, 4, seed)) for seed in (0, 1))
    assert np.allclose(one, two, rtol=1e-12) == (name in SEEDLESS)


def test_apart_leaves_good_topics_alone():
    """The same array, and nothing drawn."""
    w, rng = np.random.default_rng(0).random((6, 3)), np.random.default_rng(1)
    assert apart(w, rng) is w
    assert rng.random() == np.random.default_rng(1).random()


def test_apart_mends_zero_and_parallel_topics():
    """Only those change; the new ones are mean topic times numbers in (0, 2], and zero rows stay zero."""
    one = np.array([1.0, 2, 0, 4])
    w = np.stack([one, 3 * one, 0 * one, [0, 1, 0, 0]], axis=1)
    found = apart(w, np.random.default_rng(0))
    assert np.array_equal(found[:, [0, 3]], w[:, [0, 3]])
    assert not found[2].any()
    ratio = found[[0, 1, 3]][:, [1, 2]] / w.mean(axis=1)[[0, 1, 3], None]
    assert ((ratio > 0) & (ratio <= 2)).all()
    assert len(np.unique(ratio)) == 6


@pytest.mark.parametrize(("size", "dtype"), [(1e-80, "f8"), (1e80, "f8"), (1e-15, "f4"), (1e15, "f4")])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_co_occurrences_out_of_range_are_refused_in_a_sentence(size, dtype, form):
    """They are squares of A's entries, and their own squares must be numbers still."""
    matrix = form((size * np.ones((4, 3))).astype(dtype))
    with pytest.raises(ValueError, match="leaves the range of numbers"):
        start(INITS["co-occurrence"](), matrix, 2)


@pytest.mark.parametrize("name", [name for name in INITS if name != "co-occurrence"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_size_that_data_may_have(name, dtype):
    """Near both ends of the range of squares, the others start as they do in the middle."""
    matrix = text_like(60, 40).astype(dtype)
    end = 28 if dtype is np.float32 else 240
    loose = 1e-9 if dtype is np.float64 else 1e-3
    wanted = dense(start(INITS[name](), matrix, 3))
    for unit in (4.0**-end, 4.0**end):
        found = dense(start(INITS[name](), matrix * dtype(unit), 3)).astype(float) / unit ** POWER.get(name, 1)
        np.testing.assert_allclose(found, wanted, rtol=loose, atol=loose * wanted.max())


@pytest.mark.parametrize("value", [0, -1, 2.5, True, "many"])
@pytest.mark.parametrize(
    ("name", "setting"),
    [("random-acol", "p"), ("random-c", "p"), ("random-c", "pool"), ("co-occurrence", "pool"), ("centroid", "rounds")],
)
def test_settings_that_are_no_whole_numbers_are_refused(name, setting, value):
    """A sentence with the start, the setting and the value."""
    with pytest.raises(ValueError, match=rf"{name} \({setting}=...\) must be a whole number of at least 1, not "):
        INITS[name](**{setting: value})


def test_a_value_of_many_lines_is_shown_in_one():
    """An array in the place of a number."""
    with pytest.raises(ValueError, match=r"not array\(\[\[0\., 0\.\], \[0\., 0\.\]\]\)\.$"):
        INITS["centroid"](rounds=np.zeros((2, 2)))


def test_more_columns_asked_than_there_are(small):
    """p larger than n: means of half of the columns, each topic its own."""
    for name in ("random-acol", "random-c"):
        w = start(INITS[name](p=1000), small, 4)
        assert len(np.unique(w, axis=1).T) == 4
        assert w.max() <= small.max()


def test_svd_centroid_takes_v_or_the_svd(small):
    """V and the SVD that has it give the same start, which is the mean of A's columns in each cluster."""
    svd = truncated_svd(small, 6, tol=1e-12)
    labels = k_means(svd.v[:, :4], 4, np.random.default_rng(0))
    wanted = np.stack([small[:, labels == c].mean(axis=1) for c in range(4)], axis=1)
    for form in (svd, svd.v, svd.v.tolist()):
        np.testing.assert_allclose(dense(start(INITS["svd-centroid"](form), small, 4)), wanted, rtol=1e-12)


def test_svd_centroid_refuses_a_wrong_v(small):
    """Too few rows or columns, or numbers that are none."""
    v = truncated_svd(small, 3).v
    for wrong, words in ((v[:-1], "24 rows"), (v[:, :2], "at least 3 columns"), (v * np.nan, "finite")):
        with pytest.raises(ValueError, match=words):
            start(INITS["svd-centroid"](wrong), small, 3)


def test_zero_columns_are_in_no_cluster():
    """They would be a cluster of their own, and a zero topic."""
    one, two = (np.repeat(rows, 6)[:, None] for rows in ([1.0, 0, 0], [0, 1.0, 1]))
    matrix = np.hstack([np.tile(one, (1, 4)), np.zeros((18, 5)), np.tile(two, (1, 3))])
    for name in ("svd-centroid", "centroid"):
        w = dense(start(INITS[name](), matrix, 2))
        assert np.allclose(w[:, np.argsort(w[0])[::-1]], np.hstack([one, two]))


def test_k_means_of_fewer_points_than_clusters():
    """Each point is a cluster of its own."""
    assert sorted(k_means(np.arange(3.0)[:, None], 5, np.random.default_rng(0))) == [0, 1, 2]
