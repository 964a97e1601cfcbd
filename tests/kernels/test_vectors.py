"""Vectors in a kernel, lane by lane."""

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError

from partwise.kernels.vectors import BYTES, at_least, fused, load, spread, store


@numba.njit
def moved(given, i, j, number, floor, out):
    """out[0] = max(floor, number · given[i, j:] + given[i, j:]) in as many places as a vector has."""
    vector = load(given, i, j)
    store(out, 0, 0, at_least(fused(spread(number), vector, vector), spread(floor)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_every_lane(dtype):
    """From any place in a matrix, aligned or not; the places beside the vector stay as they are."""
    kind = np.dtype(dtype).type
    lanes = BYTES // kind().itemsize
    given = np.random.default_rng(0).standard_normal((3, lanes + 5)).astype(dtype)
    given[1, 3] = np.nan
    for i in range(3):
        for j in range(6):
            out = np.full((1, lanes + 2), 9, dtype)
            moved(given, i, j, kind(2), kind(0), out)
            expected = 3 * given[i, j : j + lanes].astype("f8")
            expected[expected < 0] = 0
            np.testing.assert_allclose(out[0, :lanes], expected, rtol=1e-6)
            assert (out[0, lanes:] == 9).all()


@pytest.mark.parametrize(
    ("given", "number", "out", "told"),
    [
        (np.ones((10, 20))[:, ::2], 1.0, np.ones((1, 8)), "C-ordered"),
        (np.ones((10, 20), int), 1.0, np.ones((1, 8)), "floating-point"),
        (np.ones((10, 20)), np.float32(1), np.ones((1, 8)), "one kind"),
        (np.ones((10, 20)), 1.0, np.ones((1, 8), "f4"), "one kind"),
        (np.ones((10, 20)), 1.0, np.broadcast_to(1.0, (1, 8)).copy(), "read-only"),
    ],
    ids=["columns", "whole numbers", "two kinds", "another array", "read-only"],
)
def test_what_a_vector_cannot_be(given, number, out, told):
    """It would read or write other numbers than are meant."""
    out.flags.writeable = told != "read-only"
    with pytest.raises(TypingError, match=told):
        moved(given, 0, 0, number, number, out)
