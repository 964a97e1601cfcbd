"""A model is one file: the same answers after loading, in this process, a fresh one, and from an earlier version."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from corpus import documents

import partwise as pw
from partwise.storage import archive as files
from partwise.text import LSI, TopicModel, Weighting, collect, load_model, model_files
from partwise.text.tokenizer import PATTERN

FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.fixture(scope="module")
def model():
    return TopicModel(3, seed=1, weighting=Weighting(ngrams=(1, 2), stem="english")).fit(documents())


def test_names_that_were_compressed_ahead_make_the_same_file(tmp_path, monkeypatch):
    """The names go to the file once, whoever compressed them; those of other documents, or of many, are not used."""

    def saved(name, few=model_files.FEW, other=False):
        monkeypatch.setattr(model_files, "FEW", few)
        with model_files.NamesAhead() as ahead:
            model = TopicModel(2).fit_collection(collect(documents(), named=ahead.begin))
            if other:
                ahead.begin(model_files.Names(("x",), ("",), ("",), ("",)))
            begun = ahead._names is not None
            model_files.save_topic_model(model, tmp_path / name, ahead)
            assert ahead.draft(model.collection) is None  # it is used up
        return begun, files.read(tmp_path / name, TopicModel.KIND, 1)[1]

    (begun, early), (other_begun, other), (late_begun, late) = saved("a"), saved("b", other=True), saved("c", few=0)
    assert (begun, other_begun, late_begun) == (True, True, False)
    assert load_model(tmp_path / "a").collection.ids == tuple(document.id for document in documents())
    for name in late.keys() - {"history"}:  # which has the seconds of each iteration
        array = late[name]
        assert early[name].tobytes() == other[name].tobytes() == array.tobytes(), name
    assert early.keys() == other.keys() == late.keys()


def test_everything_is_the_same_after_loading(model, tmp_path):
    """Topics, clusters, searches, explanations, certificate, history and options; pw.load reads it too."""
    model.save(tmp_path / "a.partwise")
    for again in (TopicModel.load(tmp_path / "a.partwise"), pw.load(tmp_path / "a.partwise")):
        assert again.topics() == model.topics()
        assert again.clusters() == model.clusters()
        assert again.search("the captain sings") == model.search("the captain sings")
        assert again.similar(3) == model.similar(3)
        assert again.explain("d05") == model.explain("d05")
        assert again.weighting == model.weighting
        assert again.certificate == model.certificate
        assert again.factorization.history.tobytes() == model.factorization.history.tobytes()
        np.testing.assert_array_equal(again.transform(["bread and tide"]), model.transform(["bread and tide"]))
        assert (again.k, again.seed) == (3, 1)
        assert again.collection.duplicates == model.collection.duplicates


def test_the_texts_are_not_in_the_file(tmp_path):
    """Past its first characters a text leaves no trace but its counts."""
    corpus = documents()
    long = " ".join(d.text for d in corpus[::3]) + " the very last words of it"
    TopicModel(2).fit([long, *(d.text for d in corpus)]).save(tmp_path / "a.partwise")
    with np.load(tmp_path / "a.partwise", allow_pickle=False) as file:
        assert all(array.dtype != object for array in file.values())
        assert not any(b"last words of it" in np.asarray(array).tobytes() for array in file.values())


def test_lsi_is_kept_too(tmp_path):
    """The baseline has the same verbs."""
    model = LSI(4).fit(documents())
    model.save(tmp_path / "l.partwise")
    for again in (
        LSI.load(tmp_path / "l.partwise"),
        pw.load(tmp_path / "l.partwise"),
        load_model(tmp_path / "l.partwise"),
    ):
        assert again.search("ship bread") == model.search("ship bread")
        np.testing.assert_array_equal(again.transform(["ship"]), model.transform(["ship"]))


def test_a_fresh_process_gives_the_same_answers(model, tmp_path):
    """What matters is in the file, nothing in the process; scikit-learn is not loaded to search."""
    path = tmp_path / "a.partwise"
    model.save(path)
    code = (
        "import json, sys, partwise as pw\n"
        "model = pw.load(sys.argv[1])\n"
        "answers = [model.search('captain melody').as_dict(), model.similar(2).as_dict()]\n"
        "assert not {'sklearn', 'matplotlib', 'pandas', 'pyarrow'} & set(sys.modules)\n"
        "print(json.dumps([*answers, model.topics().as_dict(), model.clusters().as_dict()]))"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wanted = [model.search("captain melody"), model.similar(2), model.topics(), model.clusters()]
    assert json.loads(done.stdout) == json.loads(json.dumps([answer.as_dict() for answer in wanted]))


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.partwise")), ids=lambda path: path.stem)
def test_files_of_earlier_versions_are_read(path):
    """A model that an earlier version wrote answers by its topics as it did then: what it said is kept beside it."""
    model, expected = pw.load(path), json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    for query, ids, scores in expected["searches"]:
        answer = model.search(query, len(ids), blend=1)
        assert {hit.id: hit.score for hit in answer} == pytest.approx(dict(zip(ids, scores, strict=True)), rel=1e-6)
    if isinstance(model, TopicModel):
        assert list(model.names) == expected["names"]
        assert [one.topic for one in model.clusters(by="topics")] == expected["clusters"]
        assert model.explain(0).parts
        assert model.certificate.verdict


def test_files_of_version_0_1_keep_their_words():
    """Their own pattern, weights and n-grams over stop words, whatever the defaults are now."""
    weighting = load_model(FIXTURES / "topics-1.partwise").weighting
    assert (weighting.pattern, weighting.weight, weighting.across_stop_words) == (PATTERN, "tfidf", True)
    assert weighting.analyzer()("the İstanbul of covid-19, mp3") == ["stanbul", "covid", "mp"]


def test_there_are_fixtures():
    """Layout 1 of both kinds is kept."""
    assert {path.stem for path in FIXTURES.glob("*.partwise")} >= {"topics-1", "lsi-1"}


def test_a_missing_package_is_not_called_damage(model, tmp_path, monkeypatch):
    """A model with stems, where the stemmer is not installed, says what to install."""
    model.save(tmp_path / "a.partwise")
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(ValueError, match="snowballstemmer"):
        pw.load(tmp_path / "a.partwise")


def test_other_files_are_refused(model, tmp_path):
    """Another kind, a newer layout, a damaged file, parts that do not fit: each one sentence."""
    path, fit = tmp_path / "a.partwise", tmp_path / "fit.partwise"
    pw.factorize(np.ones((4, 3)), 1).save(fit)
    with pytest.raises(ValueError, match="holds a partwise factorization, not a partwise topic model"):
        TopicModel.load(fit)
    model.save(path)
    meta, arrays, _ = files.read(path, TopicModel.KIND, 1)
    files.write(tmp_path / "new.partwise", TopicModel.KIND, 99, meta, arrays)
    with pytest.raises(ValueError, match="written by a newer partwise"):
        pw.load(tmp_path / "new.partwise")
    files.write(tmp_path / "odd.partwise", "partwise sausage", 1, meta, arrays)
    with pytest.raises(ValueError, match="holds a partwise sausage"):
        pw.load(tmp_path / "odd.partwise")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="damaged"):
        load_model(path)
    for name in ("ids", "vocabulary_keys", "h", "a_terms"):
        files.write(path, TopicModel.KIND, 1, meta, arrays | {name: arrays[name][:-7]})
        with pytest.raises(ValueError, match="do not fit together"):
            pw.load(path)


@pytest.mark.parametrize(
    ("kind", "name", "change"),
    [
        (TopicModel, "a_terms", lambda counts: -counts),
        (TopicModel, "a_terms", lambda counts: counts // 2),
        (LSI, "a_terms", lambda counts: counts.astype(float)),
        (TopicModel, "a_values", lambda values: values.astype("U8")),
        (LSI, "a_values", lambda values: np.full(len(values), 1e300)),
        (TopicModel, "a_values", lambda values: -values),
        (LSI, "s", lambda values: values.astype("U8")),
        (LSI, "u", lambda values: values * np.nan),
        (LSI, "u", lambda values: values[..., None]),
        (LSI, "s", lambda values: values[:, None]),
        (LSI, "a_values", lambda values: values.astype(np.float16)),
        (TopicModel, "vocabulary_global_weights", lambda weights: weights * np.inf),
        (LSI, "vocabulary_global_weights", lambda weights: -weights),
        (LSI, "a_documents", lambda documents: documents + 1000),
    ],
)
def test_forged_arrays(kind, name, change, tmp_path):
    """Arrays that cannot be those of a model are refused when it is loaded."""
    path = tmp_path / "m"
    kind(2, threads=1).fit(documents()).save(path)
    meta, arrays, layout = files.read(path, kind.KIND, 1)
    files.write(path, kind.KIND, layout, meta, arrays | {name: change(arrays[name])})
    with pytest.raises(ValueError, match="do not fit together"):
        load_model(path)


@pytest.mark.parametrize(("short", "bits"), [(2**16, 16), (1, 32)])
def test_the_numbers_of_documents_take_16_bits_where_these_suffice(short, bits, tmp_path, monkeypatch):
    """The matrix is the same either way."""
    monkeypatch.setattr("partwise.text.collection.SHORT", short)
    model = TopicModel(2, weighting=Weighting(min_df=1, stop_words=None)).fit(["red sea", "red sky", "blue sky"])
    model.save(tmp_path / "model")
    _, arrays, _ = files.read(tmp_path / "model", TopicModel.KIND, model_files.LAYOUT)
    assert arrays["a_documents"].dtype.itemsize == bits // 8
    matrix = TopicModel.load(tmp_path / "model").collection.A
    assert matrix.indices.dtype == np.int32
    np.testing.assert_array_equal(matrix.toarray(), model.collection.A.toarray().astype(np.float32))
