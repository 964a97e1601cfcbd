"""What is kept of a pile of documents."""

import numpy as np
import pytest

from partwise.text import Document, Weighting, collect
from partwise.text.collection import snippet

DOCUMENTS = [
    Document("a", "the cat\n\n  sat", "A", "x"),
    Document("b", ""),
    Document("c", "dog and cat sat"),
    Document("d", "the cat\n\n  sat"),
    Document("e", ""),
    Document("f", "unheard"),
]


def test_collect():
    """Names, first words, empty documents and copies, and the matrix of the texts."""
    collection = collect(iter(DOCUMENTS), Weighting())
    _, matrix = Weighting().fit([d.text for d in DOCUMENTS])
    np.testing.assert_array_equal(collection.A.toarray(), matrix.toarray())
    assert collection.ids == tuple("abcdef")
    assert (collection.titles[0], collection.labels[0], collection.snippets[0]) == ("A", "x", "the cat sat")
    assert collection.empty == (1, 4, 5)
    assert collection.duplicates == ((3, 0),)
    assert collection.remarks() == (
        "3 documents have no term of the vocabulary (first: b).",
        "1 document is an exact copy of another (first: d of a).",
    )


def test_nothing_to_remark():
    """A clean collection says nothing."""
    assert collect(DOCUMENTS[:1], Weighting(min_df=1)).remarks() == ()


def test_same_id_twice():
    """Two documents of one name cannot be told apart."""
    with pytest.raises(ValueError, match="Documents 1 and 3 have the same id 'a'"):
        collect([DOCUMENTS[0], DOCUMENTS[1], DOCUMENTS[0]])


def test_texts_are_not_kept():
    """A generator of texts is passed once, and only the snippet of a long one stays."""
    long = "word " * 100_000
    collection = collect((Document(str(i), f"{long}{i}") for i in range(2)), Weighting())
    assert [len(s) for s in collection.snippets] == [200, 200]
    assert snippet("a  b\tc\n" * 3) == "a b c a b c a b c"
