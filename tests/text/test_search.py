"""Search and similar documents against independent calculations."""

import dataclasses

import numpy as np
import pytest
from corpus import documents, texts
from scipy.optimize import nnls

from partwise.text import LSI, Document, TopicModel, Weighting
from partwise.text.search import best, default_blend
from partwise.text.spelling import Spelling

QUERIES = ["a ship in the harbour", "bread and butter", "the captain sings a melody", "sugar, tide, violin"]


def cosine(x, y):
    length = np.linalg.norm(x) * np.linalg.norm(y)
    return x @ y / length if length else 0.0


def blended(model, corpus, query, blend):
    """The scores of all documents by dense numpy and scipy's own nonnegative least squares."""
    w = np.asarray(model.factorization.W)
    dense = model.vocabulary.transform(corpus).toarray()
    column = model.vocabulary.transform([query]).toarray()[:, 0]
    topics = [cosine(w @ nnls(w, column)[0], w @ nnls(w, a)[0]) for a in dense.T]
    words = [cosine(column, a) for a in dense.T]
    return (1 - blend) * np.array(words) + blend * np.array(topics)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("blend", [0, 0.3, 1, None])
def test_search_blends_words_and_topics(blend, normalize):
    """Scores and order by independent calculation, whether documents have length 1 or not."""
    model = TopicModel(3, seed=1, weighting=Weighting(normalize=normalize)).fit(documents())
    for query in QUERIES:
        scores = blended(model, texts(), query, default_blend(3) if blend is None else blend)
        answer = model.search(query, 10, blend)
        np.testing.assert_allclose([hit.score for hit in answer], np.sort(scores)[::-1][: len(answer)], rtol=1e-6)
        np.testing.assert_allclose([scores[hit.index] for hit in answer], [hit.score for hit in answer], rtol=1e-6)
        for hit in answer:
            parts = (1 - answer.blend) * hit.word_score + answer.blend * hit.topic_score
            assert hit.score == pytest.approx(parts, abs=1e-12)


def test_the_default_depends_on_k_alone():
    """It rises to 0.2 at k = 50 and stays there."""
    assert [round(default_blend(k), 3) for k in (1, 10, 20, 50, 500)] == [0.102, 0.12, 0.14, 0.2, 0.2]


def test_a_document_as_a_query_finds_itself(model):
    """The fold-in of a training text is its own row and its words are its own, so the document itself scores 1."""
    for document in documents()[:6]:
        for blend in (0, None, 1):
            hits = model.search(document.text, 30, blend).hits
            assert next(hit.score for hit in hits if hit.id == document.id) == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(model.transform(texts()), model.weights, atol=1e-9)


def test_similar_leaves_itself_out(model):
    """The nearest to a document are others of its theme, by index or by id, and by words too."""
    answer = model.similar("d04", 5)
    assert answer == dataclasses.replace(model.similar(4, 5))
    assert "d04" not in [hit.id for hit in answer]
    assert {hit.label for hit in answer} == {"kitchen"}
    own = model.search(documents()[4].text, 6, 0)
    assert [hit.id for hit in own][1:] == [hit.id for hit in model.similar("d04", 5, 0)]


def test_a_hit_says_why(model):
    """The words of the query that it holds, the heaviest first, and the topic that carried it."""
    answer = model.search("a ship, a captain and some bread", 8)
    assert answer[0] == answer.hits[0]
    column = model.vocabulary.transform(["ship captain bread"]).toarray()[:, 0]
    w, h = model.factorization.w, model.factorization.h
    row = nnls(w, column)[0]
    for hit in answer:
        a = model.collection.column(hit.index)
        held = [i for i in np.argsort(-column * a, kind="stable") if column[i] * a[i] > 0]
        assert hit.words == tuple(model.terms[i] for i in held)
        summands = [h[hit.index, c] * (w[:, c] @ (w @ row)) for c in range(3)]
        assert hit.carrier == int(np.argmax(summands))
    assert {hit.carrier for hit in LSI(3).fit(documents()).search("ship")} == {None}


def test_words_in_no_topic_are_found_by_the_words():
    """A query whose words play no part in any topic is answered by its words, even where topics alone are asked for."""
    odd = [Document("odd", "quartz zeppelin"), Document("odder", "quartz zeppelin ship")]
    model = TopicModel(3, weighting=Weighting(min_df=1)).fit([*documents(), *odd])
    fit = model.factorization
    w = fit.w.copy()
    w[[model.terms.index("quartz"), model.terms.index("zeppelin")]] = 0
    model._set_factorization(dataclasses.replace(fit, w=w))
    for blend in (None, 1):
        answer = model.search("quartz", blend=blend)
        assert [hit.id for hit in answer] == ["odd", "odder"]
        assert answer.blend == 0
        assert answer[0].carrier is None
        assert answer[0].words == ("quartz",)


def test_ties_are_broken_by_words():
    """Equal scores: the higher tie value first, then the earlier; scores of 0 and the document itself are left out."""
    scores = np.array([0.5, 0.9, 0.5 + 1e-14, 0.0, 0.5, 0.2])
    words = np.array([0.1, 0.0, 0.3, 0.9, 0.1, 0.2])
    assert best(scores, 9, ties=words).tolist() == [1, 2, 0, 4, 5]
    assert best(scores, 3, ties=words).tolist() == [1, 2, 0]
    assert best(scores, 2, without=1).tolist() == [0, 2]
    model = TopicModel(2, seed=0).fit(["ship tide", "ship ship", "tide tide", "oven bread", "bread oven", "oven oven"])
    hits = model.search("ship", 3, 1).hits
    assert hits[0].topic_score == pytest.approx(hits[-1].topic_score)
    assert [hit.words for hit in hits] == [("ship",), ("ship",), ()]


def test_unknown_words_are_named_with_the_nearest(model):
    """Spelling mistakes are told and mended; what is like nothing has no suggestion."""
    answer = model.search("shp in the harbor at high tide with a qqqq")
    assert answer.unknown == ("shp", "harbor", "high", "qqqq")
    assert answer.suggestions == {"shp": ("ship",), "harbor": ("harbour",)}
    with pytest.raises(ValueError, match=r"did you mean 'captain'\?"):
        model.search("captian")


def test_spelling_is_dices_measure():
    """Twice the shared pairs over all pairs, by hand."""
    words = ["night", "nacht", "knight", "day"]

    def dice(a, b):
        a, b = ({f"<{word}>"[i : i + 2] for i in range(len(word) + 1)} for word in (a, b))
        return 2 * len(a & b) / (len(a) + len(b))

    like = sorted((word for word in words if dice("nigth", word) >= 0.5), key=lambda word: -dice("nigth", word))
    assert Spelling(words).nearest("nigth") == tuple(like)
    assert Spelling(words).nearest("xyz") == ()


@pytest.mark.parametrize("blend", [-0.1, 1.1, "half", True])
def test_a_blend_is_a_share(model, blend):
    """Anything else is refused."""
    with pytest.raises(ValueError, match="blend must be a finite number in"):
        model.search("ship", blend=blend)


def test_exact_copies_have_one_place():
    """The first document with a text stands for all; its hit has their ids, and a document is not similar to itself."""
    plain = documents()
    copies = [Document("copy", plain[4].text, "another title"), Document("third", plain[4].text)]
    for model in (TopicModel(3).fit([*plain, *copies]), LSI(3).fit([*plain, *copies])):
        for blend in (0, None, 1):
            hits = {hit.id: hit for hit in model.search(plain[4].text, 40, blend)}
            assert hits["d04"].copies == ("copy", "third")
            assert not hits.keys() & {"copy", "third"}
            assert {hit.copies for id_, hit in hits.items() if id_ != "d04"} == {()}
        first, third = ([hit.id for hit in model.similar(name, 40)] for name in ("d04", "third"))
        assert first == third
        assert not {hit.id for hit in model.similar("copy", 40)} & {"d04", "copy", "third"}
        assert "d04" in {hit.id for hit in model.similar("d07", 40)}
