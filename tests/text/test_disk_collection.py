"""Texts stored as a matrix on disk: the topics are those of the run in memory, within the limit, again and again."""

import errno
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import documents

import partwise as pw
from partwise.data import write as writing
from partwise.storage.atomic import Full
from partwise.text import LSI, Document, TextFiles, TopicModel, Weighting, collect, open_collection, store_texts
from partwise.text.collection import gather
from partwise.text.model_files import _matrix_arrays


@pytest.mark.parametrize("weighting", [Weighting(), Weighting("log-entropy", stem="english"), Weighting(hashing=64)])
def test_a_stored_collection_is_the_one_in_memory(tmp_path, monkeypatch, weighting):
    """Names, words, copies, matrix and topics, in several parts and chunks of names."""
    monkeypatch.setattr("partwise.text.disk_collection.PART_BYTES", 2000)
    monkeypatch.setattr("partwise.text.disk_collection.CHUNK", 50)
    corpus = [*documents(count=118), Document("e", ""), Document("f", documents()[0].text)]
    stored = store_texts(tmp_path / "m", corpus, weighting, memory_limit=2**24)
    assert stored.parts > 2
    near, far = collect(corpus, weighting), open_collection(tmp_path / "m")
    for name in ("ids", "titles", "labels", "snippets", "empty", "duplicates"):
        assert getattr(far, name) == getattr(near, name)
    assert (far.vocabulary.keys, far.vocabulary.terms) == (near.vocabulary.keys, near.vocabulary.terms)
    one, other = (TopicModel(3).fit_collection(collection) for collection in (near, far))
    for side in ("w", "h"):
        expected = getattr(one.factorization, side)
        np.testing.assert_allclose(getattr(other.factorization, side), expected, atol=1e-6 * expected.max())
    np.testing.assert_allclose(other.collection.in_memory().toarray(), one.collection.A.toarray(), rtol=1e-6)


@pytest.mark.parametrize("kind", [TopicModel, LSI])
def test_a_fit_on_disk_leaves_the_matrix_there(tmp_path, monkeypatch, kind):
    """The model answers from the files, and what it saves has the layout and the answers of a model in memory."""
    monkeypatch.setattr("partwise.text.disk_collection.PART_BYTES", 2000)
    corpus = documents(count=120)
    store_texts(tmp_path / "m", corpus, memory_limit=2**24)
    collection = open_collection(tmp_path / "m")
    near, far = kind(3).fit_collection(collect(corpus)), kind(3).fit_collection(collection)
    assert far.collection.A is collection.A
    for model, name in ((near, "near"), (far, "far")):
        model.save(tmp_path / name)
    assert not list(tmp_path.glob("*.part")), "temporary files are removed"
    with np.load(tmp_path / "near") as expected, np.load(tmp_path / "far") as arrays:
        for name in ("a_values", "a_terms", "a_documents"):
            assert arrays[name].dtype == expected[name].dtype
            np.testing.assert_allclose(arrays[name], expected[name], rtol=1e-6)
    again = kind.load(tmp_path / "far")
    assert again.search("ship harbour") == far.search("ship harbour")
    if kind is TopicModel:
        assert again.topics() == far.topics()
        assert [again.explain(i) for i in range(5)] == [far.explain(i) for i in range(5)]
        coherence = [topic.coherence for topic in near.topics()]
        assert [topic.coherence for topic in far.topics()] == pytest.approx(coherence, abs=1e-12)


def test_a_stored_matrix_cut_along_its_terms(tmp_path):
    """The rows of A are the same whichever axis is cut."""
    matrix = sp.random_array((60, 40), density=0.2, rng=np.random.default_rng(0), format="csr")
    for long in (0, 1):
        pw.write_matrix(tmp_path / str(long), matrix, long=long, part_bytes=600)
        data = pw.open_matrix(tmp_path / str(long))
        values, columns, counts = gather(data, np.empty)
        np.testing.assert_array_equal(counts, np.diff(matrix.indptr))
        np.testing.assert_array_equal(columns, matrix.indices)
        np.testing.assert_array_equal(values, matrix.data.astype(np.float32))


def test_a_save_that_cannot_be_written_says_so(tmp_path, monkeypatch):
    """A folder that does not exist, and a disk without room for the temporary copy."""
    store_texts(tmp_path / "m", documents())
    model = LSI(2).fit_collection(open_collection(tmp_path / "m"))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "model")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("partwise.text.model_files._disk_array", full)
    with pytest.raises(Full, match="no room beside it for a temporary copy"):
        model.save(tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_saving_needs_less_memory_than_the_matrix(tmp_path):
    """Part by part: the arrays of a file lie on disk, and the peak is that of a few parts."""
    matrix = sp.random_array((200, 30_000), density=0.1, rng=np.random.default_rng(0), format="csr")
    pw.write_matrix(tmp_path / "m", matrix, part_bytes=2**15)
    data = pw.open_matrix(tmp_path / "m")
    collection = replace(collect(documents()), A=data)
    tracemalloc.start()
    try:
        with _matrix_arrays(collection, tmp_path / "model") as arrays:
            peak = tracemalloc.get_traced_memory()[1]
            np.testing.assert_array_equal(arrays["a_values"], matrix.data.astype(np.float32))
    finally:
        tracemalloc.stop()
    assert peak < data.nbytes / 4


def test_an_interrupted_conversion_goes_on(tmp_path, monkeypatch):
    """Finished parts are kept, the folder appears when it is whole, and nothing else is left."""
    monkeypatch.setattr("partwise.text.disk_collection.PART_BYTES", 2000)
    corpus = documents(count=120)
    wrote, put = [], writing._Writer.put

    def counting(self, name, values):
        before = (self._folder / name).exists()
        put(self, name, values)
        wrote.append((name, before))
        if len(wrote) == 20:
            raise KeyboardInterrupt

    monkeypatch.setattr(writing._Writer, "put", counting)
    with pytest.raises(KeyboardInterrupt):
        store_texts(tmp_path / "m", corpus, memory_limit=2**24, source="news")
    assert [path.name for path in tmp_path.iterdir()] == ["m.partial"]
    store_texts(tmp_path / "m", corpus, memory_limit=2**24, source="news")
    assert [before for _, before in wrote[20:40]] == [True] * 20
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
    assert open_collection(tmp_path / "m").ids == collect(corpus).ids


def test_memory_is_bounded_by_the_table_of_hashes(tmp_path, monkeypatch):
    """Documents of ever new words: refused in a sentence without hashing, and within the limit with it."""
    monkeypatch.setattr("partwise.text.disk_collection.LEAST_LIMIT", 1)
    monkeypatch.setattr("partwise.text.disk_collection.CHUNK", 200)
    store_texts(tmp_path / "first", documents())  # loads what is loaded late

    class Many:
        def __iter__(self):
            for i in range(3000):
                yield Document(str(i), f"{chr(97 + i % 26) * 5} " + " ".join(word(6 * i + j) for j in range(6)))

    def word(number):
        return "".join(chr(97 + number // 26**p % 26) for p in range(5))

    with pytest.raises(ValueError, match="hashing"):
        store_texts(tmp_path / "m", Many(), Weighting(min_df=1), memory_limit=2**22)
    assert not (tmp_path / "m").exists()
    tracemalloc.start()
    try:
        store_texts(tmp_path / "m", Many(), Weighting(min_df=1, hashing=2**9), memory_limit=2**22)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**22


def test_misuse(tmp_path):
    """One sentence each, before anything is written."""
    corpus = documents()
    with pytest.raises(TypeError, match="twice"):
        store_texts(tmp_path / "m", iter(corpus))
    with pytest.raises(ValueError, match="memory_limit"):
        store_texts(tmp_path / "m", corpus, memory_limit=10)
    with pytest.raises(ValueError, match="Documents 1 and 31 have the same id 'd00'"):
        store_texts(tmp_path / "m", [*corpus, *corpus])
    with pytest.raises(ValueError, match="stdin"):
        TextFiles("-")
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileExistsError, match="exists"):
        store_texts(tmp_path, corpus)
    pw.write_matrix(tmp_path / "bare", np.ones((3, 4)))
    with pytest.raises(ValueError, match="without words"):
        open_collection(tmp_path / "bare")
    store_texts(tmp_path / "m", corpus)
    names = tmp_path / "m" / "documents.000000.npy"
    names.write_bytes(names.read_bytes().replace(b"Sea", b"Sky"))
    with pytest.raises(ValueError, match=r"documents\.000000\.npy is damaged"):
        open_collection(tmp_path / "m")


def test_texts_that_change_between_the_passes_are_refused(tmp_path):
    """Names and columns would not fit together."""

    class Shrinking:
        count = 31

        def __iter__(self):
            self.count -= 1
            return iter(documents()[: self.count])

    with pytest.raises(ValueError, match="changed while they were read: 30 documents at first, then 29"):
        store_texts(tmp_path / "m", Shrinking())
