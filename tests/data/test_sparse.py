"""A sparse matrix in memory, cut into several row blocks."""

import numpy as np
import scipy.sparse as sp

from partwise.data.as_data import as_data


def test_row_sums_of_several_blocks():
    """Row sums are those of scipy, with empty rows at the borders of blocks too."""
    filled = np.ones(60_000)
    filled[[0, 29_999, 30_000, 59_999]] = 0
    matrix = sp.csr_array(sp.diags_array(filled) @ sp.random_array((60_000, 40), density=0.3, rng=0, format="csr"))
    data = as_data(matrix)
    assert len(data.blocks) > 2
    np.testing.assert_allclose(data.row_sums, np.asarray(matrix.sum(axis=1)).ravel(), rtol=1e-12)
