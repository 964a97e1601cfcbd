"""co-occurrence: columns of A Aᵀ far apart in L1, without A Aᵀ."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.inits.co_occurrence import CoOccurrence, company_sums
from partwise.threads.pool import Workers


def start(matrix, rank, pool=None, seed=0):
    with Workers(2) as workers:
        w = CoOccurrence(pool)(as_data(matrix), rank, np.random.default_rng(seed), workers)
    return w.toarray() if sp.issparse(w) else w


def slowly(matrix, rank, pool):
    """C in full; the word whose distribution is farthest from the nearest of those chosen, among the heaviest."""
    c = matrix @ matrix.T
    heavy = sorted(range(len(c)), key=lambda j: -c[:, j].sum())[:pool]
    chosen = heavy[:1]
    while len(chosen) < rank:
        distance = {
            i: min(np.abs(c[:, i] / c[:, i].sum() - c[:, s] / c[:, s].sum()).sum() for s in chosen)
            for i in heavy
            if i not in chosen
        }
        chosen.append(max(distance, key=distance.get))
    return c[:, chosen]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("pool", [6, 12, 30])
def test_against_the_whole_matrix_c(small, form, pool):
    """The same words, and W holds their columns of C as they stand."""
    np.testing.assert_allclose(start(form(small), 6, pool), slowly(small, 6, pool), rtol=1e-12)


def test_many_words_come_in_chunks(sparse):
    """A pool wider than a chunk, in both precisions."""
    wanted = slowly(sparse.toarray(), 8, 100)
    np.testing.assert_allclose(start(sparse, 8, 100), wanted, rtol=1e-12)
    np.testing.assert_allclose(start(sparse.astype(np.float32), 8, 100), wanted, rtol=1e-5)


def test_ten_words_for_each_topic_are_the_default_pool(sparse):
    """At rank 8 the 80 heaviest, at rank 2 the 20 heaviest."""
    for rank in (2, 8):
        np.testing.assert_allclose(start(sparse, rank), slowly(sparse.toarray(), rank, 10 * rank), rtol=1e-12)


def test_sums_of_columns(small):
    """‖C e_j‖₁ without C."""
    with Workers(1) as workers:
        np.testing.assert_allclose(company_sums(as_data(small), workers), (small @ small.T).sum(axis=0), rtol=1e-12)


def test_each_planted_topic_is_met_and_noise_words_are_not():
    """Four groups of words and many words that stand in one document only: one word of each group is chosen."""
    rng = np.random.default_rng(0)
    groups = np.kron(np.eye(4), rng.random((8, 25)) * (rng.random((8, 25)) < 0.6))
    noise = np.zeros((300, 100))
    noise[np.arange(300), rng.integers(0, 100, 300)] = 0.1
    w = start(np.vstack([groups, noise]), 4)
    assert sorted(w[:32].reshape(4, 8, 4).sum(axis=1).argmax(axis=0)) == [0, 1, 2, 3]


def test_ties_go_to_the_heavier_word():
    """Groups without a word in common are all at distance 2, to rounding: the heaviest word of each, in turn."""
    rng = np.random.default_rng(0)
    matrix = np.kron(np.diag([1.0, 3, 2, 4]), rng.random((6, 30)))
    sums = (matrix @ matrix.T).sum(axis=0).reshape(4, 6)
    heaviest = [6 * group + int(sums[group].argmax()) for group in (3, 1, 2, 0)]
    np.testing.assert_allclose(start(matrix, 4), (matrix @ matrix.T)[:, heaviest], rtol=1e-12)


def test_c_is_never_formed():
    """30,000 words: C would take 7.2 GB, and even its pool of columns 24 MB; the peak is a small multiple of A."""
    matrix = sp.random_array((30_000, 4_000), density=0.002, rng=np.random.default_rng(0), format="csr")
    data = as_data(matrix)
    with Workers(2) as workers:
        CoOccurrence()(data, 3, np.random.default_rng(0), workers)
        tracemalloc.start()
        CoOccurrence()(data, 10, np.random.default_rng(0), workers)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 5 * data.nbytes
    assert peak < 30_000**2 * 8 / 100
