"""A sparse matrix in memory."""

import numpy as np
import scipy.sparse as sp

from partwise.data.as_data import as_data


def test_row_sums():
    """Row sums are those of scipy, with empty rows at the ends and inside, or with nothing else."""
    filled = np.ones(600)
    filled[[0, 299, 300, 599]] = 0
    matrix = sp.csr_array(sp.diags_array(filled) @ sp.random_array((600, 40), density=0.3, rng=0, format="csr"))
    for each in (matrix, matrix.astype(np.float32), 0 * matrix):
        expected = each.toarray().sum(axis=1, dtype=np.float64)
        np.testing.assert_allclose(as_data(each, zero=True).row_sums, expected, rtol=1e-14)
