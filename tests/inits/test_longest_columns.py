"""random-c: means of random columns among the longest."""

import numpy as np
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.inits.longest_columns import LongestColumns, longest
from partwise.threads.pool import Workers


def start(init, matrix, rank, seed=0):
    with Workers(2) as workers:
        w = init(as_data(matrix), rank, np.random.default_rng(seed), workers)
    return w.toarray() if sp.issparse(w) else w


def ranking(matrix):
    with Workers(1) as workers:
        return longest(as_data(matrix), workers).tolist()


def test_against_sorting_by_hand(small):
    """The columns are sorted by their length; each topic is the mean of p of the first ``pool``, drawn in turn."""
    order = sorted(range(24), key=lambda j: -np.linalg.norm(small[:, j]))
    for p, pool in ((3, 8), (5, 12), (2, 24)):
        rng = np.random.default_rng(7)
        drawn = [rng.choice(order[:pool], p, replace=False) for _ in range(4)]
        wanted = np.stack([small[:, columns].mean(axis=1) for columns in drawn], axis=1)
        np.testing.assert_allclose(start(LongestColumns(p, pool), small, 4, seed=7), wanted, rtol=1e-12)


def test_a_tenth_of_the_columns_at_least_twice_p():
    """The default pool: with p = 1 and one topic, W is one of them."""
    rng = np.random.default_rng(0)
    matrix = rng.random((6, 300)) * (1 + np.arange(300))
    first = sorted(range(300), key=lambda j: -np.linalg.norm(matrix[:, j]))
    seen = {tuple(column) for seed in range(150) for column in start(LongestColumns(1), matrix, 1, seed).T}
    pool = {tuple(matrix[:, j]) for j in first[:30]}
    assert seen <= pool
    assert len(seen) > 25
    topics = np.hstack([start(LongestColumns(5), np.diag(np.arange(1.0, 31)), 1, seed) for seed in range(30)])
    assert (np.count_nonzero(topics, axis=0) == 5).all()
    assert np.flatnonzero(topics.any(axis=1)).tolist() == list(range(20, 30))


def test_equal_lengths_stand_in_the_order_of_their_sums():
    """Among unit columns those with more terms come first, then those that stand first; zero columns are left out."""
    columns = [np.r_[np.ones(count), np.zeros(8 - count)] / np.sqrt(count) for count in (1, 4, 2, 4, 8)]
    matrix = np.stack([*columns, np.zeros(8)], axis=1)
    assert ranking(matrix) == [4, 1, 3, 2, 0]
    assert ranking(10 * matrix) == [4, 1, 3, 2, 0]
    assert ranking(matrix * [1, 1, 1, 3, 1, 1]) == [3, 4, 1, 2, 0]


def test_a_small_pool_gives_half_of_itself(small):
    """p beyond the pool: the mean of half the pool, so that topics differ."""
    w = start(LongestColumns(p=20, pool=4), small, 3)
    best = small[:, sorted(range(24), key=lambda j: -np.linalg.norm(small[:, j]))[:4]]
    pairs = [best[:, [a, b]].mean(axis=1) for a in range(4) for b in range(a)]
    assert all(any(np.allclose(column, pair) for pair in pairs) for column in w.T)
