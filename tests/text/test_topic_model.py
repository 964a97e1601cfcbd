"""A topic model: laws that hold whatever the scale of W and H, and what is refused."""

import dataclasses

import numpy as np
import pytest
from corpus import documents, texts
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise.text import LSI, Document, TopicModel, Weighting

QUERIES = ["a ship in the harbour", "bread and butter", "the captain sings a melody", "sugar, tide, violin"]


def rescaled(model, factors):
    """The same model with W → WD, H → D⁻¹H."""
    copy = TopicModel(model.k)
    copy._collection = model.collection
    fit = model.factorization
    copy._set_factorization(dataclasses.replace(fit, w=fit.w * factors, h=fit.h / factors))
    return copy


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


def test_documents_without_known_terms_say_so():
    """A document of unknown words keeps its place, without a topic; nothing is found near it."""
    corpus = [*documents(), Document("odd", "zzz qqq xxx", label="sea")]
    model = TopicModel(3, seed=1).fit(corpus)
    odd = model.clusters().documents[-1]
    assert (odd.topic, odd.degree, odd.margin) == (None, 0, 0)
    assert model.clusters().unassigned == 1
    assert model.clusters().scores.left_out == 1
    assert all(hit.id != "odd" for hit in model.search("ship", 31))
    with pytest.raises(ValueError, match="'odd' has no term"):
        model.similar("odd")
    assert model.explain("odd").parts == ()
    assert not model.transform(["nothing known"]).any()


@pytest.mark.parametrize(
    ("settings", "corpus", "sentence"),
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
def test_what_cannot_work_is_refused(settings, corpus, sentence):
    """One sentence."""
    with pytest.raises((ValueError, TypeError), match=sentence):
        TopicModel(**settings).fit(corpus)


def test_labels_are_counted_before_any_work():
    """One label a document, or a sentence; a generator of texts is counted as it is read."""
    for corpus in (texts(), iter(texts())):
        with pytest.raises(ValueError, match="2 labels for 30 documents"):
            TopicModel(3).fit(corpus, labels=["a", "b"])
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


def test_a_document_by_its_title(model):
    """A title names the document that has it, as answers show it; of several the ids are told, a near one is shown."""
    assert model.index("Kitchen 4") == 4
    assert model.similar("Kitchen 4", 3) == model.similar("d04", 3)
    assert model.explain("Kitchen 4") == model.explain(4)
    with pytest.raises(ValueError, match="There is no document with the id 'Kitchen4'; did you mean 'Kitchen 4'"):
        model.index("Kitchen4")
    several = TopicModel(2).fit(
        [dataclasses.replace(d, title="Sea" if d.label == "sea" else "d01") for d in documents()]
    )
    assert several.index("d01") == 1
    with pytest.raises(ValueError, match="10 documents have the title 'Sea'; name one by its id, 'd00' or 'd03'"):
        several.index("Sea")
    with pytest.raises(ValueError, match="There is no document with the id ''"):
        TopicModel(2).fit(texts()).index("")


def test_a_hashed_model_searches_and_transforms(tmp_path):
    """Queries meet the same places, names are words, and a file brings it all back."""
    model = TopicModel(3, weighting=Weighting(hashing=2**18)).fit(texts())
    plain = TopicModel(3).fit(texts())
    assert set(model.terms) == set(plain.terms)
    assert model.search("ship harbour").hits[0].score == pytest.approx(plain.search("ship harbour").hits[0].score)
    model.save(tmp_path / "m")
    again = TopicModel.load(tmp_path / "m")
    np.testing.assert_array_equal(again.transform(["bread butter"]), model.transform(["bread butter"]))
    assert again.vocabulary.unknown_words("ship spaceship the") == ("spaceship",)
    assert again.vocabulary.column("ship").any()
