"""The generated text: as many nonzeros as asked for, Zipf's law, planted topics, the same for a seed."""

import numpy as np
import pytest
from generated import text
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds


@pytest.fixture(scope="module")
def matrix():
    """A small one."""
    return text(60_000, 4_000, topics=20, seed=3)


def test_the_number_of_nonzeros_is_the_one_asked_for(matrix):
    """To within a document; rows are sorted, of unit length, and no word is missing."""
    assert matrix.nnz == pytest.approx(60_000, rel=0.02)
    assert matrix.has_sorted_indices
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    np.testing.assert_allclose(matrix.multiply(matrix).sum(axis=1), 1)
    assert np.bincount(matrix.indices, minlength=matrix.shape[1]).min() > 0


def test_the_words_follow_zipf(matrix):
    """The logarithm of a word's frequency falls with that of its rank, by about one to one."""
    frequency = np.sort(np.bincount(matrix.indices))[::-1]
    ranks = np.arange(30, 1500)
    slope = np.polyfit(np.log(ranks), np.log(frequency[ranks]), 1)[0]
    assert -1.4 < slope < -0.7


def test_topics_are_planted(matrix):
    """Twenty parts explain far more than they do when the words of each column are dealt out anew."""
    rng = np.random.default_rng(0)
    dealt = csr_matrix(np.column_stack([rng.permutation(column) for column in matrix.toarray().T]))
    kept = [np.sort(svds(each, 20, return_singular_vectors=False, rng=rng))[:-1] for each in (matrix, dealt)]
    assert np.sum(kept[0] ** 2) > 1.5 * np.sum(kept[1] ** 2)


def test_a_seed_gives_the_same_matrix(matrix):
    """The same seed the same bits, another seed another matrix."""
    again, other = (text(60_000, 4_000, topics=20, seed=seed) for seed in (3, 4))
    assert all(np.array_equal(getattr(matrix, part), getattr(again, part)) for part in ("data", "indices", "indptr"))
    assert matrix.shape != other.shape or not np.array_equal(matrix.data, other.data)
