"""Rows times a small matrix against numpy."""

import subprocess
import sys

import numpy as np
import pytest

from partwise.kernels.squares import NEAR_ROWS, square_product

WIDTHS = [1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 50, 64, 65, 91]
TOLERANCE = {"f4": {"rtol": 1e-4, "atol": 1e-4}, "f8": {"rtol": 1e-11, "atol": 1e-12}}


def some(rows, width, dtype):
    """Rows and a matrix, of both signs."""
    rng = np.random.default_rng(rows * 100 + width)
    return rng.standard_normal((rows, width)).astype(dtype), rng.standard_normal((width, width)).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 4, 5, NEAR_ROWS, 2 * NEAR_ROWS + 3])
@pytest.mark.parametrize("width", WIDTHS)
def test_products_with_and_without_a_floor(width, rows, dtype):
    """All rows and columns are there, the ends too."""
    left, square = some(rows, width, dtype)
    exact = left.astype("f8") @ square.astype("f8")
    for floor in (-np.inf, 0.0, 0.25):
        out = np.full(left.shape, np.nan, dtype)
        square_product(left, square, out.dtype.type(floor), out)
        np.testing.assert_allclose(out, np.maximum(exact, floor), **TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("width", [1, 3, 8, 9, 17, 50, 91])
def test_a_row_has_the_same_bits_wherever_it_stands(width, dtype):
    """Alone, at the end of the rows, and in a whole tile."""
    left, square = some(NEAR_ROWS + 23, width, dtype)
    whole, alone = np.empty_like(left), np.empty_like(left)
    zero = whole.dtype.type(0)
    square_product(left, square, zero, whole)
    for i in range(len(left)):
        square_product(left[i : i + 1], square, zero, alone[i : i + 1])
    np.testing.assert_array_equal(whole, alone)


@pytest.mark.parametrize("width", [2, 9, 91])
def test_what_is_not_a_number_is_not_clipped_away(width):
    """The loop must see it."""
    left, square = some(9, width, "f8")
    left[5, 1] = np.nan
    out = np.zeros_like(left)
    square_product(left, square, 0.0, out)
    assert np.isnan(out[5]).all()
    assert np.isfinite(np.delete(out, 5, axis=0)).all()


def test_nothing_beside_the_rows_is_written():
    """The rows before and after stay as they are."""
    left, square = some(7, 10, "f8")
    around = np.full((11, 10), 3.0)
    square_product(left, square, 0.0, around[2:9])
    assert (around[:2] == 3).all()
    assert (around[9:] == 3).all()


INTERRUPTED = """
import sys
import numpy as np
from partwise import kernels

class Finder:
    @staticmethod
    def find_spec(name, *_):
        if name.startswith("scipy.linalg"):
            raise KeyboardInterrupt

assert "scipy.linalg" not in sys.modules
sys.meta_path.insert(0, Finder)
try:
    kernels.squares.square_product(np.ones((3, 2)), np.eye(2), 0.0, np.empty((3, 2)))
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_while_blas_is_loaded_can_be_caught():
    """numba ends the process where the import of BLAS within a kernel does not succeed; compiling it is another way."""
    square_product(np.ones((3, 2)), np.eye(2), 0.0, np.empty((3, 2)))  # so that the other process need not compile it
    process = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout) == (0, "interrupted\n"), process.stderr
