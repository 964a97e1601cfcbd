"""Law 1 for every half-step that an algorithm in the table uses, by hypothesis."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import partwise as pw
from partwise.algorithms.updates import HoyerCone, LeastSquares, exact
from partwise.testing import check_update
from partwise.types import Update


def registered():
    """Every distinct half-step of the table, on either side, and what solves its rows to the end."""
    found = {}
    for name, make in pw.ALGORITHMS.items():
        algorithm = make()
        for side in (algorithm.w, algorithm.h, algorithm.at(1).w, algorithm.at(1).h):
            for update in (side.update, exact(side.update)):
                if algorithm.loss == "squared":
                    found.setdefault(repr(update.__class__.__name__) + repr(vars(update)), (name, update))
    return [pytest.param(update, id=f"{name}-{type(update).__name__}") for name, update in found.values()]


def problem(seed, rows, rank, dtype, deficient, scale):
    """A gram, right-hand sides and a factor with zero rows, and a rank-deficient gram on request."""
    rng = np.random.default_rng(seed)
    fixed = rng.random((rank + 3, rank)) * (rng.random((rank + 3, rank)) < 0.7)
    if deficient and rank > 1:
        fixed[:, -1] = fixed[:, 0]
    data = rng.random((rows, rank + 3)) * (rng.random((rows, rank + 3)) < 0.7) * scale
    data[0] = 0
    factor = rng.random((rows, rank)) * (rng.random((rows, rank)) < 0.7)
    return fixed.T @ fixed, (data @ fixed).astype(dtype), factor.astype(dtype)


@pytest.mark.parametrize("update", registered())
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 6),
    rank=st.integers(2, 7),
    dtype=st.sampled_from([np.float64, np.float32]),
    deficient=st.booleans(),
    scale=st.sampled_from([1e-8, 1.0, 1e6]),
)
@example(seed=0, rows=1, rank=2, dtype=np.float64, deficient=True, scale=1.0)
def test_law(update, seed, rows, rank, dtype, deficient, scale):
    """Row-wise to rounding, ≥ 0, shape and dtype kept, inputs untouched, zero rows and singular grams too."""
    gram, rhs, factor = problem(seed, rows, rank, dtype, deficient, scale)
    check_update(update, gram, rhs, factor)


@pytest.mark.parametrize("update", registered())
def test_any_order_of_memory(update):
    """A gram, right-hand sides and a factor in Fortran's order, or cut out of something larger, give the same bits."""
    given = problem(3, 6, 5, np.float64, deficient=False, scale=1.0)
    expected = update(*given)
    np.testing.assert_array_equal(update(*(np.asfortranarray(array) for array in given)), expected)
    larger = [np.pad(array, 2)[2:-2, 2:-2] for array in given]
    assert not any(array.flags.c_contiguous for array in larger)
    np.testing.assert_array_equal(update(*larger), expected)


@pytest.mark.parametrize("update", registered())
def test_rank_one_and_dead_topics(update):
    """A gram of one entry works (a sparsity target refuses it), and a topic whose gram is zero gives no NaN."""
    gram, rhs, factor = problem(1, 5, 4, np.float64, deficient=False, scale=1.0)
    gram[2], gram[:, 2], rhs[:, 2] = 0, 0, 0
    check_update(update, gram, rhs, factor)
    if isinstance(update, HoyerCone):
        assert update.refuses(1)
    else:
        check_update(update, gram[:1, :1], rhs[:, :1], factor[:, :1])
    zero = update(np.zeros((4, 4)), np.zeros((5, 4)), factor)
    assert np.all(np.isfinite(zero))


@pytest.mark.parametrize("update", [u for u in registered() if not isinstance(u.values[0], HoyerCone)])
def test_zero_right_hand_side_gives_zero_rows(update: Update):
    """A zero row of A gives a zero row of the factor within a few half-steps, and it stays zero."""
    gram, rhs, factor = problem(2, 5, 4, np.float64, deficient=False, scale=1.0)
    rhs[3] = 0
    for _ in range(200):
        factor = update(gram, rhs, factor)
    assert abs(factor[3]).max() <= 1e-6 * abs(factor).max()


class Mean(Update):
    """Breaks the law: every row reads all rows."""

    def prepare(self, gram):
        def rows(rhs, factor, out):
            out[:] = factor * rhs.mean()

        return rows


class Scribble(LeastSquares):
    """Breaks the law: writes into its input."""

    def prepare(self, gram):
        inner = super().prepare(gram)

        def rows(rhs, factor, out):
            inner(rhs, factor, out)
            rhs += 1

        return rows


class Negative(LeastSquares):
    """Breaks the law: does not clip."""

    def prepare(self, gram):
        def rows(rhs, factor, out):
            out[:] = rhs @ np.linalg.inv(gram) - 1

        return rows


@pytest.mark.parametrize(
    ("update", "said"), [(Mean(), "depend"), (Scribble(), "changed its input"), (Negative(), "neg")]
)
def test_the_check_can_fail(update, said):
    """check_update catches an update that mixes rows, one that writes its input and one that goes below zero."""
    with pytest.raises(AssertionError, match=said):
        check_update(update, *problem(4, 5, 3, np.float64, deficient=False, scale=1.0))
