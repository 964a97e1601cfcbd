"""Purity, NMI and ARI against scikit-learn's and by hand; degrees and margins."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from partwise.text import TopicModel
from partwise.text.clusters import label_scores, space_clusters

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abcd")), min_size=1, max_size=40)


@given(PAIRS)
def test_scores_are_scikit_learns(pairs):
    """NMI and ARI agree on any two labellings."""
    topics, labels = np.array([t for t, _ in pairs]), [label for _, label in pairs]
    scores = label_scores(topics, labels)
    assert scores.nmi == pytest.approx(normalized_mutual_info_score(labels, topics), abs=1e-9)
    assert scores.ari == pytest.approx(adjusted_rand_score(labels, topics), abs=1e-9)


def test_purity_by_hand():
    """Topic 0 has a, a, b; topic 1 has b, b, c: four of six; what has no topic or no label is left out."""
    scores = label_scores(np.array([0, 0, 0, 1, 1, 1, -1, 2]), ["a", "a", "b", "b", "b", "c", "a", ""])
    assert scores.purity == pytest.approx(4 / 6)
    assert (scores.documents, scores.left_out) == (6, 2)
    assert label_scores(np.array([0, -1]), ["", "a"]) is None


def test_clusters_give_topic_degree_and_margin(model):
    """Degrees and margins from the unit-length weights, scores where there are labels."""
    weights = model.factorization.H.T * np.linalg.norm(model.factorization.W, axis=0)
    degrees = weights / weights.sum(axis=1, keepdims=True)
    clusters = model.clusters(by="topics")
    for one, row in zip(clusters, degrees, strict=True):
        second, first = np.sort(row)[-2:]
        assert (one.topic, one.degree, one.margin) == (
            row.argmax(),
            pytest.approx(first),
            pytest.approx(first - second),
        )
    assert clusters.scores.purity == 1
    assert clusters.scores.ari == 1
    assert clusters.scores.documents == 30
    counts = Counter(one.topic for one in clusters)
    assert clusters.sizes == tuple(counts[c] for c in range(3))
    assert model.clusters(labels=[None] * 30).scores is None
    with pytest.raises(ValueError, match="2 labels for 30 documents"):
        model.clusters(labels=["a", "b"])


def dense_k_means(A, topic, k):
    """k-means from a given partition among the directions of V S at rank 2 k, by dense numpy."""
    _, s, vt = np.linalg.svd(A.toarray(), full_matrices=False)
    rank = min(2 * k, len(s))
    points = vt[:rank].T * s[:rank]
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    while True:
        centres = np.array([points[topic == c].mean(axis=0) for c in range(k)])
        nearest = np.linalg.norm(points[:, None] - centres, axis=2).argmin(axis=1)
        if (nearest == topic).all():
            return topic
        topic = nearest


def test_space_is_k_means_from_the_topics(model):
    """The oracle is dense; clusters keep the numbers and names of topics; a document without a topic stays without."""
    A = model.vocabulary.transform(document.snippet for document in model.search("ship bread violin", 30))
    start = np.random.default_rng(0).integers(0, 3, A.shape[1])
    assert space_clusters(A, start, 3).tolist() == dense_k_means(A, start, 3).tolist()
    start[4] = -1
    assert space_clusters(A, start, 3)[4] == -1
    clusters = model.clusters()
    assert clusters.by == "space"
    assert clusters.scores.purity == 1
    assert clusters.names == model.names
    assert [one.topic for one in clusters] == model.strongest.topic.tolist()
    with pytest.raises(ValueError, match="no way to make clusters 'spce'; did you mean 'space'"):
        model.clusters(by="spce")


def test_a_moved_document_has_a_negative_margin():
    """Its degree is that of the topic it was given."""
    model = TopicModel(2, seed=0).fit(
        ["ship tide", "ship tide ship", "oven bread", "bread oven oven", "ship oven tide"]
    )
    clusters = model.clusters()
    for one, row in zip(clusters, model.degrees, strict=True):
        assert one.degree == pytest.approx(row[one.topic])
        assert one.margin == pytest.approx(row[one.topic] - row[1 - one.topic])
