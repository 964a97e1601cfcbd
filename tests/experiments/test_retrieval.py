"""The scores of the three methods against dense calculations, and the collections where they are at hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

import partwise as pw
from partwise import datasets
from partwise.datasets import JudgedCollection, SmartRecord
from partwise.experiments.clustering import nmf_clusters, single_label, svd_clusters
from partwise.experiments.retrieval import (
    Judged,
    difference,
    lsi_scores,
    measure,
    nmf_scores,
    vector_scores,
)
from partwise.text import Weighting

PETS, SEAS = ["cat", "dog", "mouse", "pet", "fur"], ["ship", "sea", "wave", "port", "sail"]


def judged_collection(seed=0, n=40):
    """Two kinds of documents, and a query for each."""
    rng = np.random.default_rng(seed)
    documents = tuple(
        SmartRecord(i + 1, text=" ".join([*rng.choice(PETS if i % 2 else SEAS, 3).tolist(), "thing"])) for i in range(n)
    )
    queries = (SmartRecord(1, text="cat dog"), SmartRecord(2, text="ship wave"), SmartRecord(3, text="not judged"))
    relevant = {1: frozenset(range(2, n + 1, 2)), 2: frozenset(range(1, n + 1, 2))}
    return Judged.of(JudgedCollection(documents, queries, relevant), Weighting())


def test_scores_are_cosines_of_the_approximations():
    """The oracle: dense reconstructions and scikit-learn's cosines."""
    judged = judged_collection()
    dense, queries = judged.A.toarray(), judged.Q.toarray()
    assert judged.Q.shape[1] == 2
    assert vector_scores(judged.A, judged.Q) == pytest.approx(cosine_similarity(queries.T, dense.T))
    svd = pw.truncated_svd(judged.A, 3)
    near = svd.u @ np.diag(svd.s) @ svd.v.T
    assert lsi_scores(svd, judged.Q) == pytest.approx(cosine_similarity((svd.u @ svd.u.T @ queries).T, near.T))
    fit = pw.factorize(judged.A, 3, seed=0)
    folded_in = fit.W @ fit.transform(judged.Q)
    assert nmf_scores(fit, judged.Q) == pytest.approx(cosine_similarity(folded_in.T, (fit.W @ fit.H).T))


def compared(judged, rank, seeds):
    """The vector space, LSI and NMF, measured."""
    scores = [
        [vector_scores(judged.A, judged.Q)],
        [lsi_scores(pw.truncated_svd(judged.A, rank), judged.Q)],
        [nmf_scores(pw.factorize(judged.A, rank, seed=seed), judged.Q) for seed in seeds],
    ]
    return [measure("any", rank, one, judged.relevant) for one in scores]


def test_two_topics_are_found_by_all():
    """Where the kinds share no word, two dimensions answer both queries perfectly and word vectors do not."""
    vectors, lsi, nmf = compared(judged_collection(), 2, seeds=[0, 1])
    assert vectors.map < 1
    assert lsi.map == pytest.approx(1)
    assert nmf.map == pytest.approx(1)
    assert len(nmf.by_seed) == 2
    assert difference(nmf, lsi)[0] == pytest.approx(0)


def test_measure_means_over_queries_and_seeds():
    """Two seeds, two queries: by hand."""
    relevant = np.array([[True, False], [False, True]])
    good, bad = np.array([[2.0, 1], [1, 2]]), np.array([[1.0, 2], [2, 1]])
    score = measure("x", 1, [good, bad], relevant)
    assert score.by_seed.tolist() == [1, 0.5]
    assert score.by_query.tolist() == [0.75, 0.75]
    assert score.map == score.eleven == 0.75


def test_clusters():
    """Both ways part the two kinds; rescaling a topic changes nothing."""
    judged = judged_collection()
    fit = pw.factorize(judged.A, 2, seed=0)
    kinds = np.arange(40) % 2
    for labels in (nmf_clusters(fit), svd_clusters(pw.truncated_svd(judged.A, 2), 2, seed=0)):
        assert len({*zip(labels.tolist(), kinds.tolist(), strict=True)}) == 2
    scale = np.array([100.0, 0.01])
    scaled = replace(fit, w=fit.w * scale, h=fit.h / scale)
    assert nmf_clusters(scaled).tolist() == nmf_clusters(fit).tolist()


def test_medlars_at_a_small_rank():
    """On MEDLARS NMF answers nearly as well as LSI at the same rank, and far better than chance."""
    try:
        collection = datasets.load_medlars()
    except datasets.DataNotFound as error:
        pytest.skip(str(error))
    _, lsi, nmf = compared(Judged.of(collection, Weighting()), 25, seeds=[0])
    assert nmf.map > 0.85 * lsi.map > 0.3


def test_single_labels():
    """Articles of one topic, of the ten, of which there are enough."""
    topics = [("earn",)] * 3 + [("earn", "acq"), ("acq",), ("tea",), ()] + [("acq",), ("corn",)]
    articles = [SimpleNamespace(topics=own, text=f"text {i}") for i, own in enumerate(topics)]
    texts, labels = single_label(articles, least=2)
    assert labels == ["earn", "earn", "earn", "acq", "acq"]
    assert texts == ["text 0", "text 1", "text 2", "text 4", "text 7"]
