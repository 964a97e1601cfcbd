"""The product of a dense matrix with a few columns, against numpy."""

import numpy as np
import pytest

from partwise.data.as_data import as_data
from partwise.kernels.dense import FEW, few_columns


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("rows", [1, 3, 4, 9])
@pytest.mark.parametrize("width", [FEW.start, 5, FEW.stop - 1])
def test_every_row_is_right_and_has_the_bits_that_it_has_alone(width, rows, dtype):
    """In any range of rows, whatever stands beside it; the data take the kernel by rows and BLAS for the transpose."""
    rng = np.random.default_rng(rows)
    matrix, factor = rng.random((rows + 2, 37)).astype(dtype), rng.random((37, width)).astype(dtype)
    matrix.flags.writeable = False
    out = np.full((rows, width), np.nan, dtype)
    few_columns(matrix, factor, 1, rows + 1, out)
    np.testing.assert_allclose(out, (matrix.astype("f8") @ factor)[1:-1], rtol=1e-5 if dtype == "f4" else 1e-13)
    for i in range(rows):
        alone = np.empty((1, width), dtype)
        few_columns(matrix, factor, i + 1, i + 2, alone)
        np.testing.assert_array_equal(alone[0], out[i])
    for data in (as_data(matrix), as_data(np.asfortranarray(matrix))):
        by_data = np.empty((rows, width), dtype)
        data.product(1, rows + 1, factor, by_data)
        np.testing.assert_allclose(by_data, out, rtol=1e-5 if dtype == "f4" else 1e-13)
