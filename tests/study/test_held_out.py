"""The rank by held-out entries: what a fold hides, how it is scored, and what is recommended."""

import dask.array
import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted
from scipy.stats import binom

import partwise as pw
from partwise.data.as_data import as_data
from partwise.losses.table import LOSSES
from partwise.study.held_out import MOST_HOLES, SHARE, Speckles, binomials, fold
from partwise.study.ranks import RankRow, recommend

SQUARED, POISSON = LOSSES["squared"], LOSSES["poisson"]
COUNTS = np.random.default_rng(0).poisson(30 * planted(40, 30, 3, noise=0)).astype(float)


def hidden(data, number, seed=0):
    """The entries that a fold hides, as a mask."""
    train = fold(data, SQUARED, number, seed).matrix
    counts = np.zeros(data.shape, bool)
    rows = np.repeat(np.arange(data.shape[0]), np.diff(train.special[0]))
    weightless = train.special[3] + train.outside <= 0
    counts[rows[weightless], train.special[1][weightless]] = True
    return counts


def test_holes_are_the_same_however_the_matrix_lies():
    """Dense, sparse by rows or by columns, with more columns behind: the same seed hides the same entries."""
    a = planted(60, 50, 3)
    mask = hidden(as_data(a), 1)
    assert np.array_equal(hidden(as_data(sp.csc_array(np.where(a > 0, a, 1))), 1), mask)
    assert np.array_equal(hidden(as_data(np.hstack([a, a])), 1)[:, :50], mask)
    assert not np.array_equal(hidden(as_data(a), 1, seed=1), mask)
    assert abs(mask.mean() - SHARE) < 0.02
    assert not (mask & hidden(as_data(a), 2)).any()


def test_holes_of_sparse_data_are_few_and_do_not_prefer_nonzeros():
    """At most twice as many holes as stored entries, with the share of zeros that the matrix has."""
    a = sp.random_array((500, 400), density=0.01, rng=np.random.default_rng(0), format="csr")
    data = as_data(a)
    rows, columns = Speckles(0, 0, data.shape, data.nnz, False).holes(np.arange(500), np.arange(400))
    assert 0.7 * MOST_HOLES * data.nnz < len(rows) < 1.3 * MOST_HOLES * data.nnz
    assert len(set(zip(rows, columns, strict=True))) == len(rows)
    assert abs((a.toarray()[rows, columns] > 0).mean() - 0.01) < 0.005


def test_the_error_on_holes_is_that_of_the_entries():
    """The score against the plain formula, from a fit that never sees the hidden numbers."""
    a = planted(30, 20, 2, noise=0.3)
    part = fold(as_data(a), SQUARED, 0, 0)
    mask = hidden(as_data(a), 0)
    fit = pw.factorize(part.matrix, 2)
    wanted = np.sqrt(((a - fit.W @ fit.H)[mask] ** 2).sum() / ((a[mask] - a[~mask].mean()) ** 2).sum())
    assert part.score(fit) == pytest.approx(wanted)
    changed = fold(as_data(np.where(mask, a + 5, a)), SQUARED, 0, 0)
    again = pw.factorize(changed.matrix, 2, init=(fit.W, fit.H), algorithm="hals", stop=pw.MaxIterations(3))
    same = pw.factorize(part.matrix, 2, init=(fit.W, fit.H), algorithm="hals", stop=pw.MaxIterations(3))
    assert np.allclose(again.W, same.W, rtol=1e-6, atol=1e-9)


def test_counts_are_split_into_whole_ones():
    """A − B and B are counts, about a tenth is held out, and the score is the deviance of B."""
    part = fold(as_data(sp.csr_array(COUNTS)), POISSON, 0, 0)
    rest = part.matrix.rows(0, 40)
    held = COUNTS - rest
    assert ((held >= 0) & (held == np.floor(held))).all()
    assert held.sum() / COUNTS.sum() == pytest.approx(SHARE, abs=0.02)
    assert np.array_equal(rest, fold(as_data(COUNTS), POISSON, 0, 0).matrix.rows(0, 40))
    fit = pw.factorize(rest, 3, loss="poisson")
    ratio = SHARE / (1 - SHARE)
    usual = ratio * np.outer(rest.sum(axis=1), rest.sum(axis=0)) / rest.sum()
    deviances = [POISSON.entrywise(held, y).sum() for y in (0.99 * ratio * fit.W @ fit.H + 0.01 * usual, usual)]
    assert part.score(fit) == pytest.approx(np.sqrt(deviances[0] / deviances[1]))


def test_stored_entries_are_held_out_where_zeros_are_unknown():
    """With missing="zeros" a tenth of the ratings, and nothing else, is hidden."""
    a = sp.random_array((60, 50), density=0.3, rng=np.random.default_rng(0), format="csr")
    mask = hidden(as_data(pw.observed(a, missing="zeros")), 0)
    assert a.toarray()[mask].all()
    assert mask.sum() / a.nnz == pytest.approx(SHARE, abs=0.03)


@pytest.mark.parametrize("settings", [{}, {"loss": "poisson"}, {"missing": "nan"}, {"missing": "zeros"}], ids=str)
def test_the_planted_rank_is_recommended(settings):
    """Four planted parts, whatever is held out; the sentence has the rank, and JSON takes the rest."""
    rng = np.random.default_rng(0)
    a = planted(60, 50, 4, noise=0)
    noisy = np.maximum(0, a + 0.02 * a.mean() * rng.standard_normal(a.shape)) + 1e-9
    if settings.get("loss"):
        noisy = rng.poisson(30 * a / a.mean())
    elif settings:
        holes_ = rng.random(a.shape) < 0.1
        noisy[holes_] = np.nan if settings["missing"] == "nan" else 0
    survey = pw.ranks(noisy, [2, 3, 4, 6], by="held-out", runs=1, folds=3, **settings)
    assert survey.recommended == 4
    assert survey.why.startswith("4 ")
    row = survey.as_dict()["rows"][2]
    assert (len(row["folds"]), row["reliability"]) == (3, None)
    assert row["held_out"] == pytest.approx(np.mean(row["folds"]))
    assert "held-out" in str(survey)


def test_stability_stands_beside():
    """With several runs the rows have both, and the sentence says whether the topics come back."""
    survey = pw.ranks(planted(40, 30, 3, noise=0.01), [2, 3], by="held-out", runs=2, folds=2)
    assert survey.recommended == 3
    assert "comes back from other starts" in survey.why
    assert survey.rows[1].weakest > 0.9


def rows_of(*folds):
    """Rows of a survey with these errors by fold, at ranks 2, 3, …"""
    return [RankRow(k, 0, 0, 1, 1, 1, 1, 0, 0, float(np.mean(f)), 0, f) for k, f in enumerate(folds, 2)]


def test_differences_are_paired():
    """Folds that differ much hide no small difference that all of them have."""
    apart = rows_of((0.10, 0.50, 0.90), (0.09, 0.49, 0.89), (0.08, 0.48, 0.88), (0.09, 0.49, 0.89))
    assert recommend(apart).recommended == 4
    close = rows_of((0.30, 0.30, 0.30), (0.11, 0.10, 0.12), (0.10, 0.11, 0.11), (0.2, 0.2, 0.2))
    assert recommend(close).recommended == 3
    assert recommend(close).runners_up == (4,)
    falling = recommend(rows_of((0.3, 0.3), (0.2, 0.2)))
    assert "try larger ones" in falling.why


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"by": "held_out"}, "did you mean 'held-out'"),
        ({"folds": 1}, "folds must be a whole number of at least 2"),
        ({"runs": 0}, "runs must be a whole number of at least 1"),
        ({"loss": "poisson"}, "must be whole numbers; the entry at row 0, column 1 is 0.5"),
        ({"loss": "beta=1.5"}, "cannot take weights or unknown entries"),
    ],
    ids=str,
)
def test_misuse_is_one_sentence(settings, sentence):
    """What cannot be held out is refused before any work."""
    a = np.ones((6, 5))
    a[0, 1] = 0.5
    with pytest.raises(ValueError, match=sentence):
        pw.ranks(a, [1, 2], **({"by": "held-out"} | settings))


def test_shares_of_counts_are_binomial():
    """By inversion, against scipy's own; the folds of a single count hold it out once in ten."""
    numbers, counts = np.random.default_rng(0).random(2000), np.random.default_rng(1).integers(1, 60, 2000)
    assert np.array_equal(binomials(numbers, counts.astype(float)), binom.ppf(numbers, counts, SHARE))


def in_parts(matrix, kind, tmp_path, settings):
    """A matrix on disk, along rows or along columns, or as a dask array, with what is known of it."""
    missing = {name: value for name, value in settings.items() if name == "missing"}
    if kind == "dask":
        return dask.array.from_array(matrix, chunks=(10, 24)), settings
    pw.write_matrix(tmp_path / "a", matrix, long=kind, part_bytes=1500, **missing)
    return pw.open_matrix(tmp_path / "a"), {name: value for name, value in settings.items() if name != "missing"}


NEWTON, HOLES = {"loss": "poisson", "algorithm": "kl-newton"}, {"missing": "nan"}


@pytest.mark.parametrize(
    ("kind", "settings"), [(0, {}), (1, NEWTON), ("dask", NEWTON), (1, HOLES), ("dask", HOLES)], ids=str
)
def test_folds_are_the_same_in_parts(tmp_path, kind, settings):
    """On disk and on Dask the same entries are hidden, and the errors are those of memory."""
    a = planted(30, 24, 3, noise=0)
    counts = np.random.default_rng(0).poisson(20 * a / a.mean()).astype(float)
    if settings.get("missing"):
        counts[np.random.default_rng(1).random(a.shape) < 0.1] = np.nan
    rules = {"by": "held-out", "runs": 1, "folds": 2, "init": "random", "stop": pw.MaxIterations(5)}
    here = pw.ranks(counts, [3], **rules, **settings)
    elsewhere, known = in_parts(counts, kind, tmp_path, settings)
    there = pw.ranks(elsewhere, [3], **rules, **known)
    assert np.allclose([row.folds for row in here.rows], [row.folds for row in there.rows], rtol=1e-6)
