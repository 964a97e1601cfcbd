"""Topics, clusters and search against independent calculations, and laws that hold whatever the scale of W and H."""

import dataclasses
import math
from collections import Counter

import numpy as np
import pytest
from corpus import documents, texts
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

import partwise as pw
from partwise.text import LSI, Document, TopicModel, Weighting

QUERIES = ["a ship in the harbour", "bread and butter", "the captain sings a melody", "sugar, tide, violin"]


@pytest.fixture(scope="module")
def model():
    return TopicModel(3, seed=1).fit(documents())


def rescaled(model, factors):
    """The same model with W → WD, H → D⁻¹H."""
    found = TopicModel(model.k)
    found._collection = model.collection
    fit = model.factorization
    found._set_factorization(dataclasses.replace(fit, w=fit.w * factors, h=fit.h / factors))
    return found


@pytest.mark.parametrize("query", QUERIES)
def test_search_is_the_cosine_of_the_reconstructions(model, query):
    """Scores and order by dense numpy and scipy's own nonnegative least squares."""
    w = np.asarray(model.factorization.W)
    dense = model.vocabulary.transform(texts()).toarray()
    column = model.vocabulary.transform([query]).toarray()[:, 0]
    wanted = w @ nnls(w, column)[0]
    there = np.array([w @ nnls(w, a)[0] for a in dense.T])
    scores = there @ wanted / np.linalg.norm(there, axis=1) / np.linalg.norm(wanted)
    answer = model.search(query, 10)
    np.testing.assert_allclose([hit.score for hit in answer], np.sort(scores)[::-1][:10], rtol=1e-6)
    np.testing.assert_allclose([scores[hit.index] for hit in answer], [hit.score for hit in answer], rtol=1e-6)


@given(st.lists(st.floats(1e-6, 1e6), min_size=3, max_size=3))
def test_scale_of_the_topics_changes_nothing(model, factors):
    """W → WD, H → D⁻¹H leaves scores, degrees, shares, names and the strongest topics as they are."""
    other = rescaled(model, np.array(factors))
    for query in QUERIES:
        mine, theirs = model.search(query, 30), other.search(query, 30)
        np.testing.assert_allclose(mine.mixture, theirs.mixture, rtol=1e-6, atol=1e-9)
        scores = {hit.id: hit.score for hit in theirs}
        np.testing.assert_allclose([hit.score for hit in mine], [scores[hit.id] for hit in mine], rtol=1e-6)
    np.testing.assert_allclose(other.degrees, model.degrees, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(other.shares, model.shares, rtol=1e-6)
    np.testing.assert_array_equal(other.strongest.topic, model.strongest.topic)
    assert other.names == model.names
    assert [t.size for t in other.topics()] == [t.size for t in model.topics()]


def test_a_document_as_a_query_finds_itself(model):
    """The fold-in of a training text is its own row, so the document itself scores 1."""
    for document in documents()[:6]:
        hits = model.search(document.text, 30).hits
        assert next(hit.score for hit in hits if hit.id == document.id) == pytest.approx(1, abs=1e-9)
    np.testing.assert_allclose(model.transform(texts()), model.weights, atol=1e-9)


def test_topics_are_the_themes(model):
    """Each topic is one theme: its terms, its documents, its share; the largest share first."""
    found = model.topics(5)
    for topic in found:
        labels = {model.collection.labels[d.index] for d in topic.documents}
        assert len(labels) == 1
    assert sum(topic.share for topic in found) == pytest.approx(1)
    assert [topic.share for topic in found] == sorted((t.share for t in found), reverse=True)
    assert sum(topic.size for topic in found) == 30
    assert len({topic.name for topic in found}) == 3
    assert found.diversity == len({t.term for topic in found for t in topic.terms}) / 15
    weights = [t.weight for t in found[0].terms]
    column = model.factorization.W[:, 0]
    np.testing.assert_allclose(weights, np.sort(column)[::-1][:5] / np.linalg.norm(column))


def test_coherence_by_hand(model):
    """NPMI from sets of documents, counted one by one."""
    held = [set(text.split()) for text in texts()]

    def npmi(a, b):
        both = sum(a in words and b in words for words in held) / 30
        if both in (0, 1):
            return 2 * both - 1
        alone = [sum(term in words for words in held) / 30 for term in (a, b)]
        return math.log(both / alone[0] / alone[1]) / -math.log(both)

    for topic in model.topics(4):
        terms = [t.term for t in topic.terms]
        pairs = [npmi(a, b) for i, a in enumerate(terms) for b in terms[:i]]
        assert topic.coherence == pytest.approx(sum(pairs) / len(pairs))


def test_specific_terms_are_not_shared():
    """A term in every topic is strong by weight but comes late by specificity."""
    made = [Document(d.id, "common common " + d.text) for d in documents()]
    found = TopicModel(3, seed=1, weighting=Weighting(weight="counts")).fit(made).topics(8)
    assert all("common" in [t.term for t in topic.terms[:3]] for topic in found)
    assert all("common" not in [t.term for t in topic.specific[:2]] for topic in found)
    assert all(not topic.name.startswith("common") for topic in found)


def test_clusters_give_topic_degree_and_margin(model):
    """Degrees and margins from the unit-length weights, scores where there are labels."""
    weights = model.factorization.H.T * np.linalg.norm(model.factorization.W, axis=0)
    parts = weights / weights.sum(axis=1, keepdims=True)
    found = model.clusters()
    for one, row in zip(found, parts, strict=True):
        second, first = np.sort(row)[-2:]
        assert (one.topic, one.degree, one.margin) == (
            row.argmax(),
            pytest.approx(first),
            pytest.approx(first - second),
        )
    assert found.scores.purity == 1
    assert found.scores.ari == 1
    assert found.scores.documents == 30
    counts = Counter(one.topic for one in found)
    assert found.sizes == tuple(counts[c] for c in range(3))
    assert model.clusters(labels=[None] * 30).scores is None
    with pytest.raises(ValueError, match="2 labels for 30 documents"):
        model.clusters(labels=["a", "b"])


def test_documents_without_known_terms_say_so():
    """A document of unknown words keeps its place, without a topic; nothing is found near it."""
    made = [*documents(), Document("odd", "zzz qqq xxx", label="sea")]
    model = TopicModel(3, seed=1).fit(made)
    odd = model.clusters().documents[-1]
    assert (odd.topic, odd.degree, odd.margin) == (None, 0, 0)
    assert model.clusters().unassigned == 1
    assert model.clusters().scores.left_out == 1
    assert all(hit.id != "odd" for hit in model.search("ship", 31))
    with pytest.raises(ValueError, match="'odd' has no term"):
        model.similar("odd")
    assert model.explain("odd").parts == ()
    assert not model.transform(["nothing known"]).any()


def test_explain_says_which_terms_carried_it(model):
    """Degrees as in the clusters; the terms are the document's own, their parts add up to at most 1."""
    for i in (0, 1, 2):
        told = model.explain(i)
        assert told.parts[0].topic == model.strongest.topic[i]
        assert sum(part.degree for part in told.parts) == pytest.approx(1)
        words = set(texts()[i].split())
        assert all(term.term in words for part in told.parts for term in part.terms)
        assert all(sum(term.weight for term in part.terms) <= 1 + 1e-9 for part in told.parts)
        assert 0 < told.explained <= 1
    told, again = model.explain_text(texts()[0]), model.explain(0)
    assert [p.topic for p in told.parts] == [p.topic for p in again.parts]
    assert told.explained == pytest.approx(again.explained, abs=1e-6)


def test_similar_leaves_itself_out(model):
    """The nearest to a document are others of its theme, by index or by id."""
    answer = model.similar("d04", 5)
    assert answer == dataclasses.replace(model.similar(4, 5))
    assert "d04" not in [hit.id for hit in answer]
    assert {hit.label for hit in answer} == {"kitchen"}


def test_compare_matches_topics_and_finds_what_moved(model):
    """The same model matches itself with cosine 1 and nothing moves; a turned label moves one document."""
    same = model.compare(model)
    assert all(m.topic == m.other and m.cosine == pytest.approx(1) for m in same.matches)
    assert (same.moved, same.only_first, same.only_second) == ((), (), ())
    assert all(not m.gained and not m.lost for m in same.matches)
    made = documents()
    made[0] = Document("d00", made[1].text, made[0].title, made[0].label)
    moved = model.compare(TopicModel(3, seed=5).fit(made))
    assert [one.id for one in moved.moved] == ["d00"]
    assert moved.moved[0].topic == model.strongest.topic[0]
    assert moved.shared_documents == 30
    wider = model.compare(TopicModel(4, seed=0).fit(documents()))
    assert len(wider.matches) == 3
    assert len(wider.only_second) == 1
    strange = TopicModel(1, weighting=Weighting(min_df=1)).fit(["alpha beta", "beta gamma"])
    with pytest.raises(ValueError, match="no term in common"):
        model.compare(strange)


def test_stems_are_compared_by_what_is_counted():
    """The same stem shown in two forms is neither gained nor lost; a new word is."""
    weighting = Weighting(stem="english", min_df=1)
    first = TopicModel(1, weighting=weighting).fit(["ships sailing", "ships harbours"])
    second = TopicModel(1, weighting=weighting).fit(["ship sail", "ship harbour tide"])
    (match,) = first.compare(second).matches
    assert (match.gained, match.lost) == (("tide",), ())
    assert match.cosine > 0.9


@given(st.text(alphabet="abship harbourtie, ", max_size=60))
@pytest.mark.parametrize("options", [{}, {"ngrams": (1, 2)}, {"weight": "log-entropy"}, {"weight": "counts"}])
def test_a_query_is_weighed_as_a_text(options, text):
    """The quick way for one text gives the numbers of the vocabulary's own transform."""
    vocabulary, _ = Weighting(**options).fit([*texts(), "ship and harbour and ship"])
    wanted = vocabulary.transform([text]).toarray()[:, 0]
    np.testing.assert_allclose(vocabulary.column(text), wanted, rtol=1e-14, atol=0)


def test_unknown_words_are_told(model):
    """Words outside the vocabulary are named, stop words are not missed; none known is a sentence with a guess."""
    assert model.search("the ship and the spaceship").unknown == ("spaceship",)
    assert model.vocabulary.unknown_words("and the violin") == ()
    with pytest.raises(ValueError, match=r"No word of the query 'harbor vilin' .* did you mean 'harbour' or 'violin'"):
        model.search("harbor vilin")


def test_lsi_is_the_dense_svd():
    """Search and transform by numpy's SVD; no topics, and it says nothing of them."""
    model = LSI(5).fit(documents())
    dense = model.vocabulary.transform(texts()).toarray()
    u = np.linalg.svd(dense, full_matrices=False)[0][:, :5]
    query = model.vocabulary.transform(["ship bread"]).toarray()[:, 0] @ u
    rows = dense.T @ u
    scores = rows @ query / np.linalg.norm(rows, axis=1) / np.linalg.norm(query)
    answer = model.search("ship bread", 5)
    np.testing.assert_allclose([hit.score for hit in answer], np.sort(scores)[::-1][:5], rtol=1e-5)
    np.testing.assert_allclose(abs(model.transform(texts()[:4])), abs(rows[:4]), atol=1e-5)
    assert {hit.topic for hit in answer} == {None}
    assert model.similar("d00", 3).hits[0].label == "sea"


@pytest.mark.parametrize(
    ("settings", "given_texts", "said"),
    [
        ({"k": 0}, texts(), "k must be a whole number"),
        ({"k": 31}, texts(), "k = 31 is more than this collection can give: it has 30 documents"),
        ({"k": 2}, ["ship ship", "sail ship"], "has 2 documents with known terms and 1 term;"),
        ({"algorithm": "acl"}, texts(), "did you mean 'acls'"),
        ({"init": "randm"}, texts(), "did you mean 'random'"),
        ({"restarts": 0}, texts(), "restarts must be"),
        ({"seed": -1}, texts(), "seed must be"),
        ({"weighting": "tfidf"}, texts(), "weighting must be"),
        ({}, "one text", "put it in a list"),
        ({}, [1, 2], "Text 0 is int"),
        ({}, [], "The collection is empty"),
    ],
)
def test_what_cannot_work_is_refused(settings, given_texts, said):
    """One sentence."""
    with pytest.raises((ValueError, TypeError), match=said):
        TopicModel(**settings).fit(given_texts)


def test_labels_are_counted_before_any_work():
    """One label a document, or a sentence; a generator of texts is counted as it is read."""
    for given_texts in (texts(), iter(texts())):
        with pytest.raises(ValueError, match="2 labels for 30 documents"):
            TopicModel(3).fit(given_texts, labels=["a", "b"])
    model = TopicModel(3, seed=1).fit(texts(), labels=[d.label for d in documents()])
    assert model.clusters().scores.purity == 1


def test_unfitted_models_say_so():
    """Every verb of a model without a fit is one sentence."""
    for verb in (
        TopicModel().topics,
        TopicModel().clusters,
        lambda: TopicModel().search("a"),
        lambda: LSI().similar(0),
    ):
        with pytest.raises(ValueError, match="has not been fitted"):
            verb()


def test_public_names():
    """The models and what they take are at the top."""
    assert pw.TopicModel is TopicModel
    assert pw.LSI is LSI
    assert pw.Weighting is Weighting


def test_a_document_that_is_not_there(model):
    """The nearest id is suggested; a place outside the collection is told."""
    with pytest.raises(ValueError, match="There is no document with the id 'd034'; did you mean 'd0"):
        model.index("d034")
    with pytest.raises(ValueError, match="from 0 to 29"):
        model.similar(30)
