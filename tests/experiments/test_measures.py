"""What the verdicts rest on, each checked by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from partwise.datasets import TOP_TEN, Ratings
from partwise.engine.stopping import Reason
from partwise.experiments.algorithm_claims import until
from partwise.experiments.basis_claims import PAPERS_BEST, covered, lumped, parted, shared_terms
from partwise.experiments.convergence import rises
from partwise.experiments.experiment import Table, Verdict, judge
from partwise.experiments.leukemia import consensus_clusters, misplaced
from partwise.experiments.markdown import cell_text, markdown
from partwise.experiments.numbers import above, count_noun, rank_correlation, rounded, strongest
from partwise.experiments.recommendations import scored, split
from partwise.experiments.sparsity import _rising, has_collapsed
from partwise.experiments.table_one import iterations_saved
from partwise.linalg.matching import assign
from partwise.linalg.measures import sparse_bytes


@pytest.mark.parametrize(
    ("checks", "verdict"),
    [([True], "holds"), ([True, True], "holds"), ([True, False], "holds in part"), ([False], "does not hold here")],
)
def test_a_verdict_follows_from_its_checks(checks, verdict) -> None:
    assert judge(checks) == Verdict(verdict)


def test_a_verdict_needs_a_check() -> None:
    with pytest.raises(ValueError, match="at least one check"):
        judge([])


def test_numbers_by_hand() -> None:
    assert above(1.02, 1.0) == pytest.approx(2.0)
    assert rounded([1.23456789, float("nan"), [2]], 3) == [1.23, None, [2.0]]
    assert rank_correlation([1, 2, 3], [2, 4, 9]) == pytest.approx(1.0)
    assert rank_correlation([1, 1, 1], [2, 4, 9]) == 0
    assert strongest(np.array([0, 3, 1, 0.0]), ("a", "b", "c", "d"), 3) == ["b", "c"]
    assert (count_noun(1, "sample"), count_noun(2_000, "sample")) == ("1 sample", "2,000 samples")
    assert rises([3.0, 2.0, 2.5, None, 2.4, 2.6]) == 2


def test_seconds_until_a_level_by_hand() -> None:
    collection = {"methods": {"acls": {"seconds": [0.1, 0.2, 0.3], "error": [4.0, 1.0, 0.5]}}}
    assert until(collection, "acls", 1.0) == 0.2
    assert until(collection, "acls", 0.1) is None


def test_columns_are_brought_into_order() -> None:
    best = np.eye(4)[:, :3]
    cosines = best.T @ best[:, [2, 0, 1]]
    matched, order = assign(cosines)
    assert order.tolist() == [1, 2, 0]
    np.testing.assert_allclose(cosines[matched, order], 1)


def topic(*counts: int) -> dict:
    """A topic with so many documents of each category."""
    total = max(sum(counts), 1)
    shares = [count / total for count in counts]
    return {"documents": total, "shares": shares, "category": TOP_TEN[int(np.argmax(shares))]}


def test_categories_by_hand() -> None:
    """earn, acq, money-fx, grain, crude, trade, interest, wheat, ship, corn are the ten."""
    field = topic(0, 0, 0, 30, 0, 0, 0, 20, 0, 19)
    topics = [topic(50, 1, 0, 0, 0, 0, 0, 0, 0, 0), field, topic(2, 40, 0, 0, 0, 0, 0, 1, 0, 1)]
    assert covered(topics) == ["earn", "acq", "grain"]
    assert lumped(topics)
    assert not parted(topics)
    assert parted([*topics, topic(0, 0, 0, 0, 0, 0, 0, 0, 0, 25)])


def test_terms_are_shared_by_their_stems_and_each_topic_once() -> None:
    """Abbreviations of the paper are read in full; of two of our topics that are like one of its, one is beside it."""
    topics = [
        {"terms": ["tonnes", "wheat", "grains", "agriculture", "said", "export"]},
        {"terms": ["wheat", "corn", "quarters", "billion", "earnings", "year"]},
        {"terms": ["nothing"]},
    ]
    ours, theirs, shared = shared_terms(topics)
    assert shared.tolist() == [4, 4, 0]
    assert [PAPERS_BEST[place][0] for place in theirs[:2]] == ["tonne", "billion"]
    assert len(set(theirs.tolist())) == len(ours)


def test_collapsed_runs_are_left_out_of_the_means() -> None:
    """A dead topic, an error that zeros have too, a reason that says so; a row of such runs only has no numbers."""
    full, dead = np.ones((4, 2)), np.array([[1.0, 0]] * 4)
    fit = SimpleNamespace(w=full, h=full, error=0.9, reason=Reason.MAX_ITERATIONS)
    assert not has_collapsed(fit)
    for change in ({"w": dead}, {"h": dead}, {"error": 1.0}, {"reason": Reason.COLLAPSED}):
        assert has_collapsed(SimpleNamespace(**vars(fit) | change))
    row = {"sweep": "λ", "method": "acls", "value": 1.0, "row_w": 0.5, "collapsed": 0}
    gone = row | {"value": 3.0, "row_w": None, "collapsed": 3}
    assert _rising([row, row | {"value": 2.0, "row_w": 0.6}, gone], "row_w") == pytest.approx(1.0)


def test_samples_astray_by_hand() -> None:
    labels = np.array([1, 1, 1, 2, 2])
    assert misplaced(labels, ["a", "a", "b", "b", "b"]) == 1
    assert misplaced(labels, ["a", "a", "a", "b", "b"]) == 0
    consensus = np.kron(np.eye(2), np.ones((2, 2)))
    clusters = consensus_clusters(consensus, 2)
    assert clusters[0] == clusters[1] != clusters[2] == clusters[3]


def test_offers_by_hand() -> None:
    """What was seen is not offered; recall counts hits among the wanted, NDCG their places."""
    scores = np.array([[9.0, 1], [8, 2], [7, 3], [1, 4]])
    seen = np.array([[True, False], [False, False], [False, False], [False, False]])
    liked = np.array([[False, False], [False, False], [True, False], [True, False]])
    recall, ndcg = scored(scores, seen, liked, 2)
    assert recall == pytest.approx(1 / 2)
    assert ndcg == pytest.approx((1 / np.log2(3)) / (1 + 1 / np.log2(3)))


def test_a_split_holds_out_of_every_user() -> None:
    users = np.repeat(np.arange(3), [10, 4, 1])
    ratings = Ratings(users, np.arange(15), np.ones(15), tuple(map(str, range(15))))
    keep = split(ratings, 3, seed=0)
    assert [int((~keep[users == u]).sum()) for u in range(3)] == [3, 2, 0]
    assert (split(ratings, 3, seed=0) == keep).all()


def test_iterations_saved_by_hand() -> None:
    rows = {
        "random": {"path": [9, *range(20, 10, -1), 5]},
        "good": {"path": [12, 11.0, 10]},
        "bad": {"path": [50] * 30},
    }
    assert iterations_saved(rows, "good") == pytest.approx(0.1)
    assert iterations_saved(rows, "bad") == pytest.approx(3.0)
    assert iterations_saved(rows, "random") == 0


def test_tables_in_markdown() -> None:
    assert [cell_text(value) for value in (None, 0.123456, 12_345, "a|b")] == ["", "0.1235", "12,345", "a\\|b"]
    table = Table("t", "title", ("a", "b"), ((1, None), ("x", 2.0)))
    assert markdown(table) == "| a | b |\n| --- | --- |\n| 1 |  |\n| x | 2 |"


def test_bytes_of_a_sparse_factor_by_hand():
    """Two numbers of 8 bytes, two indices and four borders of 4."""
    assert sparse_bytes(np.array([[1.0, 0], [0, 2], [0, 0]])) == 2 * 8 + 2 * 4 + 4 * 4
