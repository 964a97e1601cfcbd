"""Coordinate sweeps of many rows together."""

import numpy as np
import pytest

from partwise.kernels import coordinate


def plain_sweeps(gram, inverse, right, row, sweeps, settled):
    """The definition: one entry at a time from the whole gradient, in double precision."""
    x, first = row.astype(float), 0.0
    if right.max() == 0:
        return np.zeros_like(x)
    for sweep in range(sweeps):
        gain = 0.0
        for c in range(len(x)):
            slope = gram[c] @ x - right[c]
            new = max(0.0, x[c] - slope * inverse[c]) if inverse[c] or slope <= 0 else 0.0
            gain += (new - x[c]) ** 2 * max(gram[c, c], 0)
            x[c] = new
        first = gain if sweep == 0 else first
        if gain <= settled * first:
            break
    return x


@pytest.mark.parametrize(("narrow", "nearest"), [(0, 0), (coordinate.NARROW, 0), (coordinate.NARROW, 2**20)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rank", [1, 5, 12])
def test_rows_are_those_of_the_definition_and_have_the_same_bits_alone(dtype, rank, narrow, nearest, monkeypatch):
    """Whatever their number, with a component without curvature, rows whose right-hand side is 0, and an early end.

    Row by row, by the vectors of every machine, and by the widest.
    """
    monkeypatch.setattr(coordinate, "NARROW", narrow)
    monkeypatch.setattr(coordinate, "NEAREST", nearest)
    rng = np.random.default_rng(rank)
    lanes = coordinate.VECTORS * coordinate.WIDEST // np.dtype(dtype).itemsize
    fixed = rng.random((40, rank)) * (rng.random((40, rank)) < 0.6)
    gram = fixed.T @ fixed - 0.2
    inverse = 1 / np.where(gram.diagonal() > 0.5, gram.diagonal(), np.inf)
    for rows in (1, lanes, 2 * lanes + 3):
        factor = rng.random((rows, rank)) * (rng.random((rows, rank)) < 0.6)
        rhs = factor @ gram + rng.normal(size=factor.shape)
        rhs[1::7] = 0
        arrays = [array.astype(dtype) for array in (gram, inverse, rhs, factor)]
        for sweeps, settled in ((1, 0.0), (6, 0.0), (6, 0.1)):
            together, alone = np.empty_like(arrays[2]), np.empty_like(arrays[2])
            coordinate.coordinate_rows(*arrays, sweeps, settled, together)
            for i in range(rows):
                some = [array[i : i + 1] for array in arrays[2:]]
                coordinate.coordinate_rows(*arrays[:2], *some, sweeps, settled, alone[i : i + 1])
            np.testing.assert_array_equal(together, alone)
            expected = [plain_sweeps(gram, inverse, *pair, sweeps, settled) for pair in zip(rhs, factor, strict=True)]
            np.testing.assert_allclose(together, expected, rtol=0, atol=1e-11 if dtype is np.float64 else 1e-3)


@pytest.mark.parametrize("narrow", [0, coordinate.NARROW])
def test_a_component_without_curvature(narrow, monkeypatch):
    """Its entry stays, so that the other side may come back from it, unless a penalty pulls it down."""
    monkeypatch.setattr(coordinate, "NARROW", narrow)
    gram, rhs = np.diag([2.0, 0.0]), np.array([[1.0, 0.0], [1.0, -0.1]])
    out = np.empty_like(rhs)
    coordinate.coordinate_rows(gram, np.array([0.5, 0.0]), rhs, np.ones((2, 2)), 3, 0.0, out)
    assert out.tolist() == [[0.5, 1.0], [0.5, 0.0]]
