"""centroid: spherical k-means of the columns."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.inits import centroid
from partwise.inits.centroid import Centroid, spherical_k_means
from partwise.threads.pool import Workers


def start(matrix, rank, seed=0, **settings):
    with Workers(2) as workers:
        w = Centroid(**settings)(as_data(matrix), rank, np.random.default_rng(seed), workers)
    return w.toarray() if sp.issparse(w) else w


def clusters(matrix, rank, seed=0, rounds=50):
    data = as_data(matrix)
    with Workers(1) as workers:
        lengths = np.sqrt(data.T.row_norms2)
        points = np.arange(len(lengths))
        return spherical_k_means(data, points, lengths, rank, rounds, np.random.default_rng(seed), workers)


def seeded(matrix, rank, seed=0):
    data = as_data(matrix)
    with Workers(1) as workers:
        lengths = np.sqrt(data.T.row_norms2)
        return centroid._seeded(data, np.arange(len(lengths)), lengths, rank, np.random.default_rng(seed), workers)


def slowly(matrix, labels, rank):
    """Dhillon and Modha's rounds, one column at a time, and W from the clusters."""
    unit = [column / np.linalg.norm(column) for column in matrix.T]
    while True:
        concepts = []
        for c in range(rank):
            total = sum(u for u, label in zip(unit, labels, strict=True) if label == c)
            concepts.append(total / np.linalg.norm(total))
        found = [int(np.argmax([u @ concept for concept in concepts])) for u in unit]
        if found == list(labels):
            break
        labels = found
    sizes = [np.mean([np.linalg.norm(a) for a, b in zip(matrix.T, labels, strict=True) if b == c]) for c in range(rank)]
    means = [np.mean([u for u, b in zip(unit, labels, strict=True) if b == c], axis=0) for c in range(rank)]
    return np.stack([size * mean for size, mean in zip(sizes, means, strict=True)], axis=1), labels


@pytest.mark.parametrize("seed", range(5))
def test_against_a_slow_version(small, seed):
    """From the same seeds: the same clusters, and topics along the concept vectors."""
    wanted, labels = slowly(small, seeded(small, 4, seed).tolist(), 4)
    assert clusters(small, 4, seed).tolist() == labels
    np.testing.assert_allclose(start(small, 4, seed), wanted, rtol=1e-12)


def test_columns_of_unit_length_give_cluster_means(small):
    """Then the concept vector's direction and the mean are the same thing."""
    unit = small / np.linalg.norm(small, axis=0)
    labels = clusters(unit, 5)
    wanted = np.stack([unit[:, labels == c].mean(axis=1) for c in range(5)], axis=1)
    np.testing.assert_allclose(start(unit, 5), wanted, rtol=1e-12)


def test_length_of_documents_does_not_move_the_clusters(small):
    """Only directions are clustered."""
    scale = np.random.default_rng(0).integers(0, 5, 24)
    assert np.array_equal(clusters(small, 4), clusters(small * 2.0**scale, 4))


def test_rounds_never_lower_the_coherence(small):
    """Σ_j cos(a_j, concept of its cluster) rises with the rounds."""
    unit = small / np.linalg.norm(small, axis=0)

    def coherence(labels):
        return sum(np.linalg.norm(unit[:, labels == c].sum(axis=1)) for c in range(5))

    found = [coherence(clusters(small, 5, seed=1, rounds=rounds)) for rounds in range(1, 7)]
    assert coherence(seeded(small, 5, seed=1)) <= found[0] + 1e-12
    assert all(one <= two + 1e-12 for one, two in pairwise(found))


def test_planted_directions_are_found():
    """Three bundles far apart, whatever the seed: k-means++ seeds one in each."""
    rng = np.random.default_rng(0)
    directions = np.repeat(np.eye(3), 5, axis=0)
    matrix = np.hstack([directions[:, [c]] * rng.uniform(1, 3, 9) + 1e-3 * rng.random((15, 9)) for c in range(3)])
    for seed in range(20):
        w = start(matrix, 3, seed)
        cosines = (w / np.linalg.norm(w, axis=0)).T @ directions / np.sqrt(5)
        assert sorted(cosines.argmax(axis=1)) == [0, 1, 2]
        assert cosines.max(axis=1).min() > 0.999


def test_an_empty_cluster_takes_the_farthest_column(monkeypatch):
    """Seeds that leave a cluster empty: no cluster is empty after a round."""
    monkeypatch.setattr(centroid, "_seeded", lambda data, points, *_: np.zeros(len(points), np.intp))
    matrix = np.eye(6) + 0.1
    assert set(clusters(matrix, 3)) == {0, 1, 2}
    assert np.isfinite(start(matrix, 3)).all()
