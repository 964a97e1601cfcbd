"""Sweeps over rows whose grams differ from a shared one, against the same sweeps on grams that are formed."""

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw
from partwise.kernels.row_systems import row_gains, sweep_rows, triangle, weighted_systems, width
from partwise.kernels.shared_gram import sweep_entries


@pytest.mark.parametrize(("rank", "sweeps", "settled"), [(1, 1, 0.0), (5, 3, 0.0), (13, 5, 0.1)])
def test_rows_and_gains_are_those_of_formed_grams(rank, sweeps, settled):
    """Weights of both signs, penalties, a dead component, rows without entries; a row alone has the same bits."""
    rng = np.random.default_rng(rank)
    matrix, fixed = rng.random((37, 23)), rng.random((23, rank)) * (rng.random((23, rank)) < 0.7)
    fixed[:, rank - 1] *= rank == 1
    entries = sp.random_array(matrix.shape, density=0.15, rng=rng, format="csr")
    places = np.repeat(np.arange(37), np.diff(entries.indptr)), entries.indices
    known = (entries.indptr, entries.indices, matrix[places], rng.uniform(-1, 0.5, entries.nnz), fixed)
    gram, right, linear, ridge = fixed.T @ fixed, matrix @ fixed, 0.1 * rng.random((37, rank)), 0.1 * rng.random(37)
    before = rng.random((37, rank)) * (rng.random((37, rank)) < 0.6)
    out, gains = np.empty_like(before), np.empty(37)
    sweep_entries(*known, gram, right, linear, ridge, before, sweeps, settled, out, gains)

    systems = np.hstack([right, np.tile(gram[triangle(rank)], (37, 1))])
    assert systems.shape[1] == width(rank)
    weighted_systems(*known, systems)
    expected, expected_gains = np.empty_like(out), np.empty(37)
    sweep_rows(systems, linear, ridge, before, np.ones(rank, bool), sweeps, settled, expected)
    row_gains(systems, expected, expected_gains)
    np.testing.assert_allclose(out, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(gains, expected_gains, rtol=1e-9, atol=1e-12)

    one, gain = np.empty((1, rank)), np.empty(1)
    for i in range(37):
        row = (array[i : i + 1] for array in (right, linear, ridge, before))
        sweep_entries(known[0][i : i + 2], *known[1:], gram, *row, sweeps, settled, one, gain)
        np.testing.assert_array_equal(one[0], out[i])
        assert gain[0] == gains[i]


def test_holes_and_weights_of_zero_are_the_same():
    """Holes are taken off a shared gram, weights make one for every row."""
    rng = np.random.default_rng(0)
    matrix = rng.random((60, 14)) @ rng.random((14, 50)) + 0.1 * rng.random((60, 50))
    gone = rng.random(matrix.shape) < 0.1
    settings = {"algorithm": "hals", "init": rng.random((60, 14)), "stop": pw.MaxIterations(8)}
    holes = pw.factorize(np.where(gone, np.nan, matrix), 14, missing="nan", **settings)
    weights = pw.factorize(matrix, 14, weights=(~gone).astype(float), **settings)
    np.testing.assert_allclose(holes.W, weights.W, rtol=1e-6, atol=1e-8)
    assert holes.error == pytest.approx(weights.error, rel=1e-9)
