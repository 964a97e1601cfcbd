"""Texts on a cluster: real worker processes find the vocabulary and the topics of the run in memory."""

from functools import partial

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from corpus import documents

import partwise as pw
from partwise.data.dask.connecting import connected
from partwise.engine.plan import KEPT
from partwise.text import (
    LSI,
    TopicModel,
    Weighting,
    collect,
    collect_parquet,
    load_model,
    open_collection,
    read_documents,
    store_texts,
)

distributed = pytest.importorskip("distributed", reason="distributed is not installed: pip install partwise[dask]")
pytestmark = pytest.mark.filterwarnings("default")  # the cluster's own warnings are not ours

COLUMNS = {"column": "body", "id_column": "name", "title_column": "head", "label_column": "kind"}


def write(path, rows, group=7):
    """A Parquet file of documents in small row groups."""
    cells = {"name": "id", "body": "text", "head": "title", "kind": "label"}
    table = pyarrow.table({column: [getattr(d, field) for d in rows] for column, field in cells.items()})
    pyarrow.parquet.write_table(table, path, row_group_size=group)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """120 documents in three files, one of them empty and one below; a note of another tool beside them."""
    path, corpus = tmp_path_factory.mktemp("texts"), documents(count=120)
    (path / "deep").mkdir()
    write(path / "a.parquet", corpus[:50])
    write(path / "b.parquet", [])
    write(path / "deep" / "c.parquet", corpus[50:])
    (path / "_SUCCESS").touch()
    return path


@pytest.mark.parametrize(
    "weighting",
    [
        Weighting(),
        Weighting("log-entropy", max_terms=20, stem="english"),
        Weighting(hashing=64),
    ],
)
def test_topics_are_those_of_the_run_in_memory(client, folder, tmp_path, weighting):
    """The same vocabulary, names, copies and matrix, factors to 1e-6, and a file that holds the same."""
    near = collect(read_documents(folder, **COLUMNS), weighting)
    far = collect_parquet(folder, weighting, client=client, **COLUMNS)
    for name in ("keys", "terms"):
        assert getattr(far.vocabulary, name) == getattr(near.vocabulary, name)
    for name in ("ids", "titles", "labels", "snippets", "empty", "duplicates"):
        assert getattr(far, name) == getattr(near, name)
    one, other = (
        TopicModel(3, weighting=weighting, threads=2).fit_collection(collection) for collection in (near, far)
    )
    for side in ("w", "h"):
        expected = getattr(one.factorization, side)
        np.testing.assert_allclose(getattr(other.factorization, side), expected, atol=1e-6 * expected.max())
    other.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    np.testing.assert_allclose(again.collection.A.toarray(), one.collection.A.toarray(), rtol=1e-6)
    assert again.topics() == other.topics()
    assert again.explain(7) == other.explain(7)
    assert [t.terms[0].term for t in again.topics()] == [t.terms[0].term for t in one.topics()]
    assert again.search("ship harbour").hits[0].id == one.search("ship harbour").hits[0].id


@pytest.mark.parametrize("beyond", [0, 1])
@pytest.mark.parametrize("kind", [TopicModel, LSI])
def test_a_large_collection_has_one_precision_everywhere(client, folder, tmp_path, monkeypatch, kind, beyond):
    """From the limit on single precision, in memory, on disk and on a cluster, with the same factors and plans."""
    corpus = list(read_documents(folder, **COLUMNS))
    entries = collect(corpus).A.nnz
    monkeypatch.setattr("partwise.text.collection.SINGLE", entries + beyond)
    dtype, rounding = (np.float64, 1e-6) if beyond else (np.float32, 2e-4)
    store_texts(tmp_path / "m", corpus)
    places = [collect(corpus), open_collection(tmp_path / "m"), collect_parquet(folder, client=client, **COLUMNS)]
    places.append(open_collection(tmp_path / "m", client=client))
    assert [collection.A.dtype for collection in places] == [dtype] * 4
    near, *others = (kind(3, threads=2).fit_collection(collection) for collection in places)
    points = near.coordinates
    assert points.dtype == dtype
    for model in others:
        assert model.coordinates.dtype == dtype
        np.testing.assert_allclose(model.coordinates, points, atol=rounding * abs(points).max())
    pair = 3 * sum(near.collection.A.shape) * np.dtype(dtype).itemsize
    assert [pw.plan(collection.A, 3).checkpoint for collection in places] == [int(KEPT[True] * pair)] * 4


def test_the_matrix_stays_with_the_workers(client, folder):
    """Both hold a part of it, and a fit leaves it with them."""
    collection = collect_parquet(folder, client=client, **COLUMNS)
    holders = client.who_has(collection.A._source.parts)
    assert {workers[0] for workers in holders.values()} == set(client.nthreads())
    assert TopicModel(3).fit_collection(collection).collection.A is collection.A


def test_a_run_on_the_cluster_is_kept_and_gone_on_with(client, folder, tmp_path):
    """Stopped after three iterations as though by Ctrl-C, and taken up with the same documents read again."""

    def fitted(**checkpointing):
        collection = collect_parquet(folder, client=client, **COLUMNS)
        return TopicModel(3, init="random-acol", stop=pw.MaxIterations(8), **checkpointing).fit_collection(collection)

    uninterrupted = fitted()
    checkpointing = {"checkpoint": tmp_path / "run", "every": 1}
    steps, original = [], pw.MaxIterations.__call__

    def interrupted(rule, step):
        steps.append(step)
        if len(steps) == 4:
            raise KeyboardInterrupt
        return original(rule, step)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pw.MaxIterations, "__call__", interrupted)
        assert fitted(**checkpointing).factorization.reason is pw.Reason.INTERRUPTED
    assert pw.resume(tmp_path / "run").phase == "run"
    again = fitted(**checkpointing).factorization
    np.testing.assert_array_equal(again.w, uninterrupted.factorization.w)
    np.testing.assert_array_equal(again.h, uninterrupted.factorization.h)


def test_ids_are_numbers_over_all_files_unless_there_is_a_column(client, folder):
    """As in memory."""
    collection = collect_parquet(folder, client=client, column="body")
    assert collection.ids == tuple(str(number) for number in range(1, 121))
    assert collection.ids == collect(read_documents(folder, column="body")).ids


def test_empty_and_missing_texts(client, tmp_path):
    """A part of nulls and stop words alone is taken as it is; nulls are counted and told."""
    texts = ["ship harbour sail", "ship sail tide", "harbour tide sail", None, "the and of", None]
    pyarrow.parquet.write_table(pyarrow.table({"text": texts}), tmp_path / "a.parquet")
    warnings = []
    collection = collect_parquet(tmp_path / "a.parquet", client=client, warn=warnings.append)
    assert collection.empty == (3, 4, 5)
    assert len(warnings) == 1
    assert "2 times, first" in warnings[0]
    assert TopicModel(2).fit_collection(collection).factorization.h[3:].max() == 0


def refusals(tmp_path):
    """(what is given, what is said)"""
    write(tmp_path / "empty.parquet", [])
    (tmp_path / "torn").mkdir()
    content = write(tmp_path / "torn" / "a.parquet", documents()).read_bytes()
    (tmp_path / "torn" / "b.parquet").write_bytes(content[: len(content) // 2])
    (tmp_path / "bent").mkdir()
    (tmp_path / "bent" / "c.parquet").write_bytes(content[:40] + bytes(200) + content[240:])
    write(tmp_path / "twice.parquet", [*documents(), *documents()])
    (tmp_path / "none").mkdir()
    return [
        ("torn", {}, "b.parquet cannot be read as Parquet"),
        ("bent", {}, "c.parquet cannot be read as Parquet"),
        ("empty.parquet", {}, "no document"),
        ("none", {}, "no file in .* ends in .parquet"),
        ("torn/a.parquet", {"column": "bodi"}, "no column 'bodi'; did you mean 'body'"),
        ("twice.parquet", {}, "Documents 1 and 31 have the same id 'd00'"),
        ("absent.parquet", {}, "no file or folder"),
        ("texts.csv", {}, "not Parquet"),
    ]


def test_bad_files_are_refused_by_their_names(client, tmp_path):
    """Before the run, in a sentence."""
    (tmp_path / "texts.csv").touch()
    for name, columns, sentence in refusals(tmp_path):
        with pytest.raises((ValueError, FileNotFoundError), match=sentence):
            collect_parquet(tmp_path / name, client=client, **COLUMNS | columns)


def test_the_command(client, folder, warm, tmp_path):
    """The same table of topics with a scheduler and without."""
    options = ["-k", 3, "--column", "body", "--id-column", "name", "--title-column", "head"]
    near = warm("topics", folder, *options, "-o", tmp_path / "near")
    far = warm("topics", folder, *options, "-o", tmp_path / "far", "--scheduler", client.scheduler.address)
    assert (far.returncode, far.stderr) == (0, "")
    assert far.stdout.split(" s.")[0].splitlines()[:-1] == near.stdout.split(" s.")[0].splitlines()[:-1]
    assert load_model(tmp_path / "far").terms == load_model(tmp_path / "near").terms


def test_a_scheduler_that_is_not_there(monkeypatch):
    """Refused soon, in a sentence, and so is an address that is none."""
    # A client that cannot connect would stay the default one of this process, and later tests would use it.
    monkeypatch.setattr(distributed, "Client", partial(distributed.Client, set_as_default=False))
    with pytest.raises(ConnectionError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9 within 0\.3 seconds"):
        connected("tcp://127.0.0.1:9", patience=0.3).__enter__()
    with pytest.raises(ValueError, match="not the address of a scheduler"):
        connected("mail://host", patience=0.3).__enter__()
