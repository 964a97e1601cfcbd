"""nndsvd and nndsvda: parts of singular vectors, and their zeros filled."""

import numpy as np
import pytest
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.inits.nndsvd import NNDSVD, NNDSVDa
from partwise.linalg.svd import truncated_svd
from partwise.threads.pool import Workers


def start(init, matrix, rank):
    with Workers(2) as workers:
        w = init(as_data(matrix), rank, np.random.default_rng(0), workers)
    return w.toarray() if sp.issparse(w) else w


def slowly(matrix, rank):
    """Boutsidis and Gallopoulos, table 1, from numpy's SVD."""
    u, s, vt = np.linalg.svd(matrix)
    w = np.sqrt(s[0]) * abs(u[:, :1])
    for c in range(1, rank):
        plus = np.maximum(u[:, c], 0), np.maximum(vt[c], 0)
        minus = np.maximum(-u[:, c], 0), np.maximum(-vt[c], 0)
        sizes = [np.linalg.norm(a) * np.linalg.norm(b) for a, b in (plus, minus)]
        x = (plus, minus)[int(sizes[1] > sizes[0])][0]
        w = np.column_stack([w, np.sqrt(s[c] * max(sizes)) * x / np.linalg.norm(x)])
    return w


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_nndsvd_against_numpys_svd(small, form):
    """The same columns, to the SVD's tolerance."""
    np.testing.assert_allclose(start(NNDSVD(tol=1e-14), form(small), 6), slowly(small, 6), atol=1e-8)


def test_nndsvda_fills_with_the_mean_of_a(small):
    """For columns of unit length: exactly the authors' fill, in the places where NNDSVD is zero."""
    unit = small / np.linalg.norm(small, axis=0)
    plain, filled = start(NNDSVD(), unit, 6), start(NNDSVDa(), unit, 6)
    assert (plain == 0).any()
    assert np.array_equal(filled[plain > 0], plain[plain > 0])
    np.testing.assert_allclose(filled[plain == 0], unit.mean(), rtol=1e-12)


def test_the_fill_has_the_units_of_w(small):
    """mean(A) / √ℓ with ℓ the root mean square length of the columns."""
    plain, filled = start(NNDSVD(), 9 * small, 6), start(NNDSVDa(), 9 * small, 6)
    length = np.sqrt((81 * small**2).sum() / small.shape[1])
    np.testing.assert_allclose(filled[plain == 0], 9 * small.mean() / np.sqrt(length), rtol=1e-12)


@pytest.mark.parametrize("init", [NNDSVD, NNDSVDa])
def test_an_svd_at_hand_is_used(small, init):
    """A larger one is cut to the rank; a smaller one, or one of another matrix, is refused in a sentence."""
    svd = truncated_svd(small, 9, tol=1e-14)
    np.testing.assert_allclose(start(init(svd=svd), small, 6), start(init(tol=1e-14), small, 6), atol=1e-8)
    with pytest.raises(ValueError, match="serves ranks 1 to 3, not 6"):
        start(init(svd=svd.truncate(3)), small, 6)
    with pytest.raises(ValueError, match="The SVD is of a 30 × 24 matrix, not 30 × 20"):
        start(init(svd=svd), small[:, :20], 6)


def test_topics_beyond_the_rank_of_a_are_not_rounding_noise():
    """A of rank 2, four topics: the last two have the size of the others."""
    rng = np.random.default_rng(0)
    matrix = rng.random((12, 2)) @ rng.random((2, 9))
    lengths = np.linalg.norm(start(NNDSVD(), matrix, 4), axis=0)
    assert lengths.min() > 0.1 * lengths.max()
