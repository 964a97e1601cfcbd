"""Coordinate sweeps of many rows together."""

import numpy as np
import pytest

from partwise.kernels import coordinate


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rank", [1, 5, 12])
def test_rows_together_have_the_bits_of_a_row_alone(dtype, rank, monkeypatch):
    """Whatever their number, with a component without curvature, rows whose right-hand side is 0, and an early end."""
    rng = np.random.default_rng(rank)
    fixed = rng.random((40, rank)) * (rng.random((40, rank)) < 0.6)
    gram = fixed.T @ fixed - 0.2
    inverse = 1 / np.where(gram.diagonal() > 0.5, gram.diagonal(), np.inf)
    for rows in (1, coordinate.LANES, coordinate.LANES + 3):
        factor = rng.random((rows, rank)) * (rng.random((rows, rank)) < 0.6)
        rhs = factor @ gram + rng.normal(size=factor.shape)
        rhs[1::7] = 0
        arrays = [array.astype(dtype) for array in (gram, inverse, rhs, factor)]
        for sweeps, settled in ((1, 0.0), (6, 0.0), (6, 0.1)):
            together, alone = np.empty_like(arrays[2]), np.empty_like(arrays[2])
            monkeypatch.setattr(coordinate, "NARROW", 32)
            coordinate.coordinate_rows(*arrays, sweeps, settled, together)
            monkeypatch.setattr(coordinate, "NARROW", 0)
            coordinate.coordinate_rows(*arrays, sweeps, settled, alone)
            np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("narrow", [0, 32])
def test_a_component_without_curvature(narrow, monkeypatch):
    """Its entry stays, so that the other side may come back from it, unless a penalty pulls it down."""
    monkeypatch.setattr(coordinate, "NARROW", narrow)
    gram, rhs = np.diag([2.0, 0.0]), np.array([[1.0, 0.0], [1.0, -0.1]])
    out = np.empty_like(rhs)
    coordinate.coordinate_rows(gram, np.array([0.5, 0.0]), rhs, np.ones((2, 2)), 3, 0.0, out)
    assert out.tolist() == [[0.5, 1.0], [0.5, 0.0]]
