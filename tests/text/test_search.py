"""Search and similar documents against independent calculations."""

import dataclasses

import numpy as np
import pytest
from corpus import documents, texts
from scipy.optimize import nnls

QUERIES = ["a ship in the harbour", "bread and butter", "the captain sings a melody", "sugar, tide, violin"]


@pytest.mark.parametrize("query", QUERIES)
def test_search_is_the_cosine_of_the_reconstructions(model, query):
    """Scores and order by dense numpy and scipy's own nonnegative least squares."""
    w = np.asarray(model.factorization.W)
    dense = model.vocabulary.transform(texts()).toarray()
    column = model.vocabulary.transform([query]).toarray()[:, 0]
    reconstruction = w @ nnls(w, column)[0]
    reconstructions = np.array([w @ nnls(w, a)[0] for a in dense.T])
    scores = reconstructions @ reconstruction / np.linalg.norm(reconstructions, axis=1) / np.linalg.norm(reconstruction)
    answer = model.search(query, 10)
    np.testing.assert_allclose([hit.score for hit in answer], np.sort(scores)[::-1][:10], rtol=1e-6)
    np.testing.assert_allclose([scores[hit.index] for hit in answer], [hit.score for hit in answer], rtol=1e-6)


def test_a_document_as_a_query_finds_itself(model):
    """The fold-in of a training text is its own row, so the document itself scores 1."""
    for document in documents()[:6]:
        hits = model.search(document.text, 30).hits
        assert next(hit.score for hit in hits if hit.id == document.id) == pytest.approx(1, abs=1e-9)
    np.testing.assert_allclose(model.transform(texts()), model.weights, atol=1e-9)


def test_similar_leaves_itself_out(model):
    """The nearest to a document are others of its theme, by index or by id."""
    answer = model.similar("d04", 5)
    assert answer == dataclasses.replace(model.similar(4, 5))
    assert "d04" not in [hit.id for hit in answer]
    assert {hit.label for hit in answer} == {"kitchen"}
