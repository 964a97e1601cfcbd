"""Stability across starts, the coherence of topics, and the choice of the rank."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted

import partwise as pw
from partwise.data.as_data import as_data
from partwise.linalg.matching import matched_cosines, unit_columns
from partwise.result.coherence import npmi_coherence
from partwise.study.ranks import RankRow, recommend
from partwise.study.stability import cophenetic_correlation, strongest_topics


def low_noise(k, seed, m=150, n=120, noise=0.05):
    """Planted sparse parts with noise of 5 % of the norm."""
    rng = np.random.default_rng(seed)
    w = rng.random((m, k)) * (rng.random((m, k)) < 0.3)
    h = rng.random((k, n)) * (rng.random((k, n)) < 0.3)
    noisy = rng.random((m, n))
    return w @ h + noise * noisy * np.linalg.norm(w @ h) / np.linalg.norm(noisy)


def test_planted_parts_are_reliable():
    """At the planted rank every topic comes back; with too many some do not."""
    a = low_noise(5, seed=0)
    right, wrong = pw.stability(a, 5, runs=5), pw.stability(a, 8, runs=5)
    assert right.reliability.min() > 0.99
    assert wrong.reliability.min() < 0.9
    assert right.dispersion > wrong.dispersion
    assert right.best.W.shape == (150, 5)


def test_consensus_by_hand():
    """The consensus is the share of runs in which two documents share their strongest topic; dispersion follows."""
    a = low_noise(3, seed=1, m=30, n=20, noise=0.3)
    agreement = pw.stability(a, 4, runs=4, seed=5)
    fits = [pw.factorize(a, 4, seed=s, init="random-acol") for s in range(5, 9)]
    labels = [np.argmax(f.H * np.linalg.norm(f.W, axis=0)[:, None], axis=0) for f in fits]
    wanted = np.mean([label[:, None] == label for label in labels], axis=0)
    np.testing.assert_array_equal(agreement.consensus, wanted)
    assert agreement.dispersion == pytest.approx(np.mean((2 * wanted - 1) ** 2))
    best = min(fits, key=lambda f: f.error)
    cosines = [matched_cosines(unit_columns(best.W), unit_columns(f.W)) for f in fits if f is not best]
    np.testing.assert_allclose(agreement.reliability, np.mean(cosines, axis=0))


def test_rescaling_changes_nothing():
    """W → WD, H → D⁻¹H leaves the strongest topics and the matching as they are."""
    fit = pw.factorize(low_noise(4, seed=2), 4)
    d = 10.0 ** np.arange(-2, 2)
    assert np.array_equal(strongest_topics(fit.w, fit.h), strongest_topics(fit.w * d, fit.h / d))
    np.testing.assert_allclose(matched_cosines(unit_columns(fit.w), unit_columns(fit.w * d)), 1)


def test_cophenetic_extremes():
    """Clean blocks give 1, and so does a consensus in which nothing differs."""
    blocks = np.kron(np.eye(3), np.ones((4, 4)))
    assert cophenetic_correlation(blocks) == pytest.approx(1)
    assert cophenetic_correlation(np.ones((5, 5))) == 1
    rng = np.random.default_rng(0)
    noise = rng.random((12, 12))
    assert cophenetic_correlation((noise + noise.T) / 2 * (1 - np.eye(12)) + np.eye(12)) < 0.95


def test_many_documents_are_sampled():
    """Past a thousand documents the consensus is a seeded sample; zero documents are left out."""
    a = sp.random_array((60, 1500), density=0.1, rng=np.random.default_rng(0), format="csc")
    agreement = pw.stability(a, 3, runs=2, stop=pw.MaxIterations(3))
    assert agreement.consensus.shape == (1000, 1000)
    assert len(set(agreement.documents)) == 1000
    again = pw.stability(a, 3, runs=2, stop=pw.MaxIterations(3))
    assert np.array_equal(agreement.documents, again.documents)


def test_coherence_by_hand():
    """Two terms that only come together have NPMI 1, terms that never meet −1, independent ones 0."""
    a = as_data(np.tile([[1.0, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]], 3))  # 4 terms, 12 documents
    together, apart, independent = np.eye(4)[:, [0]] + np.eye(4)[:, [1]], None, None
    apart = np.eye(4)[:, [0]] + np.eye(4)[:, [2]]
    independent = np.eye(4)[:, [0]] + np.eye(4)[:, [3]]
    coherence = npmi_coherence(a, np.hstack([together, apart, independent, np.eye(4)[:, [0]]]))
    np.testing.assert_allclose(coherence[:3], [1, -1, 0], atol=1e-12)
    assert np.isnan(coherence[3])


@pytest.mark.parametrize("k", [3, 6, 10])
def test_the_planted_rank_is_found(k):
    """At low noise the recommendation is the planted rank or its neighbour."""
    survey = pw.ranks(low_noise(k, seed=k), range(max(2, k - 2), k + 4), runs=4)
    assert abs(survey.recommended - k) <= 1
    assert str(survey.recommended) in survey.why
    assert survey.recommended not in survey.runners_up


def test_survey_rows(small):
    """Rows are by rank, the SVD's error is below ours, and as_dict is JSON without NaN."""
    survey = pw.ranks(sp.csr_array(small * (small > 0.5)), [4, 2, 3, 3], runs=2)
    assert [row.rank for row in survey.rows] == [2, 3, 4]
    s = np.linalg.svd(small * (small > 0.5), compute_uv=False)
    for row in survey.rows:
        assert row.svd_error == pytest.approx(np.sqrt(np.sum(s[row.rank :] ** 2) / np.sum(s**2)), rel=1e-3)
        assert row.error >= row.svd_error * 0.9999
        assert -1 <= row.coherence <= 1
    assert json.loads(json.dumps(survey.as_dict(), allow_nan=False))["recommended"] == survey.recommended
    assert survey.why in str(survey)


def test_recommendation_without_a_stable_rank():
    """Where no rank is stable the most reliable one is named, and said to be that."""
    rows = [RankRow(k, 0.5, 0.4, trust, 0.2, 0.9, 0.5, 0.1, 1.0) for k, trust in ((2, 0.6), (3, 0.8), (4, 0.7))]
    recommendation = recommend(rows)
    assert recommendation.recommended == 3
    assert recommendation.runners_up == (4, 2)
    assert "No rank" in recommendation.why


@pytest.mark.parametrize(
    ("candidates", "sentence"), [([], "at least one rank"), ([0], "rank must be"), ([99], "rank must be")]
)
def test_bad_candidates(candidates, sentence, small):
    """Ranks that cannot be are refused before any work."""
    with pytest.raises(ValueError, match=sentence):
        pw.ranks(small, candidates)


def test_plots_are_figures(small):
    """The pictures are matplotlib figures that can be styled and saved."""
    pytest.importorskip("matplotlib")
    figure = pw.stability(small, 3, runs=2, stop=pw.MaxIterations(3)).plot()
    assert [axis.get_title() for axis in figure.axes] == ["consensus of 2 runs", "reliability"]
    axes = pw.ranks(small, [2, 3], runs=2, stop=pw.MaxIterations(3)).plot().axes
    assert len(axes) == 2
    assert all(tick == int(tick) for axis in axes for tick in axis.get_xticks())


@pytest.mark.parametrize("init", ["spa", "nndsvd", "nnsvd-lrc", "co-occurrence"])
def test_a_start_without_a_seed_says_nothing_about_stability(init, small):
    """Runs from one start agree by construction, so they are refused, before any work."""
    with pytest.raises(ValueError, match="same for every seed"):
        pw.stability(small, 3, init=init)
    with pytest.raises(ValueError, match="same for every seed"):
        pw.ranks(small, [2, 3], init=init)


def test_an_interrupt_ends_a_survey(small):
    """Ctrl-C is not taken for the end of a run."""

    class Interrupt(pw.MaxIterations):
        def reason(self, step):
            if step.iteration == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pw.ranks(small, [2, 3], stop=Interrupt(1))


def test_one_run_says_nothing_about_stability():
    """runs must be at least 2."""
    with pytest.raises(ValueError, match="at least 2"):
        pw.stability(planted(10, 8, 2), 2, runs=1)


def test_pictures_keep_their_proportions():
    """Every picture of a part is tied to its own axis; components have whole numbers beside their bars."""
    fit = pw.factorize(np.random.default_rng(0).random((12, 9)), 3, stop=pw.MaxIterations(2))
    layout = fit.plot.parts((4, 3)).layout
    assert [layout[f"yaxis{n}"].scaleanchor for n in ("", 2, 3)] == ["x", "x2", "x3"]
    bars = pw.stability(np.random.default_rng(0).random((12, 9)), 2, runs=2).plot().axes[1]
    assert all(tick == int(tick) for tick in bars.get_yticks())


def test_no_rank_beyond_an_exact_fit():
    """However stable it is, a further topic has nothing to explain."""
    rows = [RankRow(k, error, error, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0) for k, error in ((1, 0.7), (2, 1e-5), (3, 1e-6))]
    ranks = recommend(rows)
    assert ranks.recommended == 2
    assert "nothing left to explain" in ranks.why
