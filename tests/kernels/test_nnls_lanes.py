"""Exact rows, one in every lane."""

import numpy as np
import pytest

from partwise.algorithms.updates import Pivoting
from partwise.kernels import nnls, nnls_lanes


def skew_gram(rng, rank):
    """A Gram matrix of unit diagonal with negative entries, on which some rows run out of patience."""
    turned = np.linalg.qr(rng.normal(size=(rank, rank)))[0]
    columns = rng.normal(size=(rank, rank)) * 10.0 ** rng.uniform(-2, 0, rank) @ turned
    columns /= np.linalg.norm(columns, axis=0)
    gram = columns.T @ columns
    np.fill_diagonal(gram, 1)
    return gram


def worst(gram, rhs, x):
    """How far rows are from x ≥ 0, xG − r ≥ 0, one of them 0 in each place, beside the largest entry."""
    return abs(np.minimum(x, x @ gram - rhs)).max() / max(x.max(), 1)


@pytest.mark.parametrize("narrow", [0, nnls_lanes.NARROW])
@pytest.mark.parametrize("rank", [1, 2, 6, 12, 20])
def test_rows_are_optimal_and_have_the_same_bits_alone(rank, narrow, monkeypatch):
    """Whatever their number, without FNNLS, on Gram matrices where all wrong signs at once do not lead to the end."""
    monkeypatch.setattr(nnls_lanes, "NARROW", narrow)
    for file in (nnls, nnls_lanes):
        monkeypatch.setattr(file, "fnnls_rows", None)
    rng = np.random.default_rng(rank)
    for rows in (1, nnls_lanes.LANES, 3 * nnls_lanes.LANES + 5):
        for _ in range(8):
            gram, rhs = skew_gram(rng, rank), rng.normal(size=(rows, rank))
            rhs[1::7] = 0
            together = Pivoting()(gram, rhs, rhs)
            assert worst(gram, rhs, together) < 1e-12
            alone = np.concatenate([Pivoting()(gram, row, row) for row in np.split(rhs, rows)])
            if nnls_lanes.suits(rank):
                np.testing.assert_array_equal(together, alone)


def test_a_singular_system_is_left_to_fnnls():
    """Twin components have no least-squares solution of their own; rows that want one of them alone are solved."""
    gram = np.array([[4.0, 4, 0], [4, 4, 0], [0, 0, 1]])
    rhs = np.random.default_rng(0).normal(size=(20, 3))
    rhs[:, 1] = rhs[:, 0]
    found = Pivoting()(gram, rhs, rhs)
    assert worst(gram, rhs, found) < 1e-12
    assert found.any(axis=0)[[0, 2]].all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_component_that_is_zero_on_the_other_side_gets_zeros(dtype):
    """And the others the solution of their own problem, in either precision."""
    rng = np.random.default_rng(1)
    fixed, a = rng.random((30, 4)), rng.random((9, 30))
    fixed[:, 2] = 0
    gram, rhs = fixed.T @ fixed, (a @ fixed).astype(dtype)
    found = Pivoting()(gram, rhs, rhs)
    assert found.dtype == dtype
    assert not found[:, 2].any()
    assert worst(gram, rhs, found) < 32 * np.finfo(dtype).eps


@pytest.mark.skipif(not nnls_lanes.suits(2), reason="without vectors the sweeps before pivoting make it zero")
def test_what_is_not_a_number_stays():
    """So that a product which left the range of numbers is refused later on, and not taken for zeros."""
    rhs = np.array([[1.0, 2.0], [np.inf, 1.0], [3.0, 1.0]])
    with np.errstate(invalid="ignore"):
        found = Pivoting()(np.array([[1.0, 0.5], [0.5, 1.0]]), rhs, rhs)
    assert np.isfinite(found).all(axis=1).tolist() == [True, False, True]
