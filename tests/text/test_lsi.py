"""LSI against the dense SVD."""

import numpy as np
from corpus import documents, texts

from partwise.text import LSI


def test_lsi_is_the_dense_svd():
    """Search and transform by numpy's SVD; no topics, and it says nothing of them."""
    model = LSI(5).fit(documents())
    dense = model.vocabulary.transform(texts()).toarray()
    u = np.linalg.svd(dense, full_matrices=False)[0][:, :5]
    query = model.vocabulary.transform(["ship bread"]).toarray()[:, 0] @ u
    rows = dense.T @ u
    scores = rows @ query / np.linalg.norm(rows, axis=1) / np.linalg.norm(query)
    answer = model.search("ship bread", 5, blend=1)
    np.testing.assert_allclose([hit.score for hit in answer], np.sort(scores)[::-1][:5], rtol=1e-5)
    np.testing.assert_allclose(abs(model.transform(texts()[:4])), abs(rows[:4]), atol=1e-5)
    assert {hit.topic for hit in answer} == {None}
    assert model.similar("d00", 3).hits[0].label == "sea"
