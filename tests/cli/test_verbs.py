"""Every verb as a user runs it: what it prints, what it writes, and that it agrees with the library."""

import csv
import gzip
import io
import json
import os
import re
import stat
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from command import COLUMNS, cold
from planted import planted

import partwise as pw
from partwise.cli.fitting import saving

VERBS = ["demo", "topics", "search", "clusters", "transform", "lsi", "factorize", "resume", "plan", "convert"]
VERBS += ["compare", "report", "ranks", "reproduce"]


def good(done):
    """It worked: nothing of a traceback, lines of at most 80 characters."""
    assert done.returncode == 0, done.stderr
    assert max((len(line) for line in done.stdout.splitlines()), default=0) <= 80
    return done.stdout


def parsed(done):
    """It worked, and stdout is one JSON value."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example_and_fits(verb, warm):
    """Each verb shows how to call it, on 80 columns."""
    shown = good(warm(verb, "--help"))
    assert f"Example: partwise {verb}" in shown


def test_help_lists_every_verb(warm):
    """And no verb is missing here."""
    shown = good(warm("--help"))
    assert all(verb in shown for verb in VERBS)
    bare = warm()
    assert (bare.stdout.rstrip(), bare.stderr, bare.returncode) == (shown.rstrip(), "", 2)


def test_version(warm):
    """--version says which."""
    assert good(warm("--version")) == f"partwise {pw.__version__}\n"


def test_topics_prints_and_saves(folder, warm, tmp_path):
    """The table names the topics and the scores against the labels; --json has all of it and the certificate."""
    shown = good(warm("topics", "news.csv", "-k", 3, "--seed", 1, *COLUMNS, cwd=folder))
    assert "purity 1.000" in shown
    assert "Not saved" in shown
    path = tmp_path / "m.partwise"
    summary = parsed(warm("topics", "news.csv", "-k", 3, "--seed", 1, "-o", path, "--json", *COLUMNS, cwd=folder))
    model = pw.load(path)
    assert summary["topics"] == json.loads(json.dumps(model.topics().as_dict()["topics"]))
    assert summary["certificate"]["shape"] == [24, 30]
    assert summary["scores"]["ari"] == 1
    assert summary["weighting"]["weight"] == "log-entropy"
    assert summary["model"] == str(path)
    for topic in summary["topics"]:
        assert all(term["term"] in shown for term in topic["terms"])


def test_documents_are_shown_so_that_a_reader_knows_them(folder, warm):
    """By a column of titles, which is said; by their ids alone where asked for; and a bare number with first words."""
    titled = warm("topics", "news.csv", "-k", 2, "--column", "text", cwd=folder)
    assert "shown by the column 'headline'" in titled.stderr
    untitled = warm("topics", "news.csv", "-k", 2, "--column", "text", "--title-column", "none", cwd=folder)
    lines = warm("topics", "news.txt", "-k", 2, cwd=folder)
    assert untitled.stderr == lines.stderr == ""
    for done, pattern in ((titled, r"like [a-z]"), (untitled, r"like \d+: [a-z]"), (lines, r"like \d+: [a-z]")):
        assert re.search(pattern, good(done), re.IGNORECASE), done.stdout


@pytest.mark.parametrize("source", ["news.csv", "news.txt", "news.jsonl", "texts", "-"])
def test_every_source_gives_the_same_matrix(source, folder, warm):
    """CSV, lines, JSON lines, a folder and stdin hold the same thirty texts."""
    stdin = (folder / "news.txt").read_bytes() if source == "-" else b""
    summary = parsed(warm("topics", source, "-k", 3, "--json", cwd=folder, stdin=stdin))
    assert (summary["documents"], summary["terms"]) == (30, 24)


def test_options_reach_the_model(folder, warm, tmp_path):
    """What was asked for is what the model was made with."""
    words = tmp_path / "stop.txt"
    words.write_text("ship\nbread\n", encoding="utf-8")
    options = ["--weight", "log-entropy", "--stop-words", words, "--ngrams", "1-2", "--min-df", 3, "--max-df", 0.9]
    fitting = ["--algorithm", "acls", "--init", "random", "--restarts", 3, "--seed", 5, "--stem", "english"]
    path = tmp_path / "m.partwise"
    good(warm("topics", "news.csv", "-k", 2, "-o", path, *options, *fitting, cwd=folder))
    model = pw.load(path)
    assert model.weighting == pw.Weighting(
        "log-entropy", ("ship", "bread"), (1, 2), min_df=3, max_df=0.9, stem="english"
    )
    assert model.certificate.algorithm.startswith("acls")
    assert model.certificate.start.init == "random"
    assert len(model.factorization.restarts) == 3
    assert not {"ship", "bread"} & {part for term in model.terms for part in term.split()}


def test_options_about_words_reach_the_model(warm, tmp_path):
    """Language, pattern, numbers, phrases and what is stripped; candidates for stop words are named or dropped."""
    groups = ["Schiff Hafen", "Brot Ofen", "Geige Flöte", "Tor Spiel", "Wahl Partei"]
    rows = [f"<p>{group} und 2024 Bericht {'Bericht' * (i % 2)}</p>" for i in range(8) for group in groups]
    (tmp_path / "a.txt").write_text("\n".join(rows), encoding="utf-8")
    words = ["--language", "auto", "--stem", "language", "--numbers", "--strip", "html"]
    phrases = ["--phrases", "--phrase-npmi", 0.4, "--phrase-count", 4]
    options = ["a.txt", "-k", 5, "-o", tmp_path / "m", *words, *phrases]
    summary = parsed(warm("topics", *options, "--json", cwd=tmp_path))
    model = pw.load(tmp_path / "m")
    assert model.weighting == pw.Weighting(language="de", numbers=True, phrases=0.4, phrase_count=4, stem="language")
    assert "schiff hafen" in model.terms
    assert "bericht" in summary["stop_word_candidates"]
    assert "bericht" in good(warm("topics", *options, cwd=tmp_path)).partition("perhaps stop words")[2]
    assert "Left out" in good(warm("topics", *options, "--stop-words", "auto", cwd=tmp_path))
    assert "bericht" not in pw.load(tmp_path / "m").terms
    (tmp_path / "b.txt").write_text("quite another language\nin every word\n", encoding="utf-8")
    done = warm("transform", tmp_path / "m", "b.txt", cwd=tmp_path)
    assert "100% of the words are unknown to the model, whose language is german" in done.stderr


def test_search_answers_as_the_library(saved, warm):
    """The table shows ids and scores, --json is the answer itself; like a document, and from stdin."""
    wanted = pw.load(saved).search("ship and harbour", 4)
    assert parsed(warm("search", saved, "ship and harbour", "-n", 4, "--json")) == json.loads(
        json.dumps(wanted.as_dict())
    )
    shown = good(warm("search", saved, "ship and harbour", "-n", 4))
    assert all(hit.id in shown and f"{hit.score:.3f}" in shown for hit in wanted)
    assert good(warm("search", saved, "-", "-n", 4, stdin=b"ship and harbour\n")) == shown
    like = parsed(warm("search", saved, "--like", "d04", "-n", 3, "--json"))
    assert [hit["id"] for hit in like["hits"]] == [hit.id for hit in pw.load(saved).similar("d04", 3)]
    odd = warm("search", saved, "ship spaceship", "--json")
    assert parsed(odd)["unknown"] == ["spaceship"]
    assert "shp (did you mean ship?)" in warm("search", saved, "shp harbour").stderr
    words = parsed(warm("search", saved, "ship", "--blend", "0", "--json"))
    assert [hit["score"] for hit in words["hits"]] == [hit["word_score"] for hit in words["hits"]]
    assert all(hit["words"] == ["ship"] for hit in words["hits"])


def test_clusters_by_topic_and_by_document(saved, warm, tmp_path):
    """A row a topic, or a row a document; a CSV of all; JSON with the scores."""
    assert "purity 1.000" in good(warm("clusters", saved))
    shown = good(warm("clusters", saved, "--documents"))
    assert all(f"d{number:02}" in shown for number in range(30))
    good(warm("clusters", saved, "-o", tmp_path / "c.csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "c.csv").read_text(encoding="utf-8"))))
    summary = parsed(warm("clusters", saved, "--json"))
    assert [int(row["topic"]) for row in rows] == [one["topic"] for one in summary["documents"]]
    assert summary["scores"]["nmi"] == pytest.approx(1)


def test_transform_writes_mixtures(saved, folder, warm, tmp_path):
    """CSV, JSON lines and npz hold what the model's degrees are; stdout is CSV; unknown words are counted."""
    degrees = pw.load(saved).degrees
    for kind in ("csv", "tsv", "jsonl", "json", "npz"):
        good(warm("transform", saved, "news.csv", "--id-column", "id", "-o", tmp_path / f"t.{kind}", cwd=folder))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text(encoding="utf-8"))))
    np.testing.assert_allclose([[float(row[f"topic_{c}"]) for c in range(3)] for row in rows], degrees, atol=1e-5)
    np.testing.assert_allclose(np.load(tmp_path / "t.npz")["mixture"], degrees, atol=1e-9)
    assert json.loads((tmp_path / "t.jsonl").read_text().splitlines()[4])["id"] == "d04"
    assert len(json.loads((tmp_path / "t.json").read_text())) == 30
    done = warm("transform", saved, "-", stdin=b"ship harbour\nzzz\n")
    lines = list(csv.reader(io.StringIO(done.stdout)))
    assert [line[0] for line in lines] == ["id", "1", "2"]
    assert lines[2][1] == ""
    assert "1 document has no term of the model (first: 2)" in done.stderr


def test_lsi_makes_a_model_to_search(folder, warm, tmp_path):
    """The baseline is saved and searched alike; verbs that need topics say so."""
    path = tmp_path / "l.partwise"
    good(warm("lsi", "news.csv", "-k", 5, "-o", path, "--id-column", "id", cwd=folder))
    wanted = pw.load(path).search("ship bread", 2)
    assert [hit["id"] for hit in parsed(warm("search", path, "ship bread", "-n", 2, "--json"))["hits"]] == [
        hit.id for hit in wanted
    ]
    for verb in (["clusters", path], ["transform", path, "news.csv"], ["compare", path, path]):
        done = warm(*verb, cwd=folder)
        assert done.returncode == 2
        assert "LSI" in done.stderr


@pytest.fixture(scope="session")
def matrices(tmp_path_factory):
    """One matrix in every format."""
    path = tmp_path_factory.mktemp("matrices")
    dense = planted(20, 15, 3)
    np.save(path / "a.npy", dense)
    sp.save_npz(path / "a.npz", sp.csr_matrix(dense))
    np.savetxt(path / "a.csv", dense, delimiter=",")
    np.savetxt(path / "a.tsv", dense, delimiter="\t")
    import pandas
    from scipy.io import mmwrite

    mmwrite(path / "a.mtx", dense)
    pandas.DataFrame(dense, columns=[f"c{i}" for i in range(15)]).to_parquet(path / "a.parquet")
    (path / "a.csv.gz").write_bytes(gzip.compress((path / "a.csv").read_bytes()))
    return path


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.csv", "a.tsv", "a.mtx", "a.parquet", "a.csv.gz"])
def test_factorize_any_matrix(name, matrices, warm, tmp_path):
    """The certificate on 80 columns; the saved fit is what the library gives; the same from stdin."""
    path = tmp_path / "fit.partwise"
    shown = good(warm("factorize", matrices / name, "-k", 3, "-o", path, "--svd"))
    assert "against the SVD" in shown
    wanted = pw.factorize(planted(20, 15, 3), 3)
    assert pw.load(path).error == pytest.approx(wanted.error, rel=1e-5)
    if not name.endswith("gz"):
        summary = parsed(warm("factorize", "-", "-k", 3, "--json", stdin=(matrices / name).read_bytes()))
        assert summary["certificate"]["relative_error"] == pytest.approx(wanted.error, rel=1e-5)


def test_unknown_entries_and_weights(warm, tmp_path):
    """--missing, --weights and --unstored give what the library gives, also by way of convert; tables with gaps."""
    rng = np.random.default_rng(0)
    ratings = sp.random_array((30, 20), density=0.5, rng=rng, format="csr")
    ratings.data = rng.integers(0, 6, ratings.nnz).astype(float)
    trust = sp.csr_array((1 + ratings.data, ratings.indices, ratings.indptr), shape=ratings.shape)
    sp.save_npz(tmp_path / "r.npz", ratings)
    sp.save_npz(tmp_path / "w.npz", trust)
    choices = {"--missing zeros": {"missing": "zeros"}}
    choices[f"--weights {tmp_path}/w.npz --unstored 0.1"] = {"weights": trust, "unstored": 0.1}
    for number, (words, known) in enumerate(choices.items()):
        wanted = pw.factorize(ratings, 2, **known).error
        summary = parsed(warm("factorize", tmp_path / "r.npz", "-k", 2, "--json", *words.split()))
        assert summary["certificate"]["relative_error"] == pytest.approx(wanted, rel=1e-9)
        good(warm("convert", tmp_path / "r.npz", tmp_path / f"{number}.parts", *words.split()))
        summary = parsed(warm("factorize", tmp_path / f"{number}.parts", "-k", 2, "--json"))
        assert summary["certificate"]["relative_error"] == pytest.approx(wanted, rel=1e-6)
    (tmp_path / "t.csv").write_text("term,a,b,c\nx,1,,2\ny,2,1,\nz,1,2,3\n")
    summary = parsed(warm("ranks", tmp_path / "t.csv", "--missing", "nan", "--to", 2, "--runs", 2, "--json"))
    assert [row["rank"] for row in summary["rows"]] == [2]
    done = warm("factorize", tmp_path / "t.csv", "-k", 1)
    assert (done.returncode, 'missing="nan"' in done.stderr) == (2, True)


@pytest.mark.parametrize("source", ["texts", "numbers"])
def test_compare_methods_on_texts_or_numbers(source, folder, matrices, warm):
    """A row for each pair, as JSON and as a table."""
    path = folder / "news.csv" if source == "texts" else matrices / "a.csv"
    choices = ["compare", path, "-k", 2, "--algorithms", "acls,als-hals", "--inits", "random,spa"]
    rows = parsed(warm(*choices, "--json"))
    assert [(row["algorithm"], row["init"]) for row in rows] == [
        ("acls", "random"), ("acls", "spa"), ("als-hals", "random"), ("als-hals", "spa"),
    ]  # fmt: skip
    assert all(row["svd_ratio"] >= 1 and row["seconds"] > 0 for row in rows)
    shown = good(warm(*choices))
    assert all(f"{row['error']:.4f}" in shown for row in rows)


def test_compare_two_models(saved, folder, warm, tmp_path):
    """Topics matched and what moved."""
    other = tmp_path / "b.partwise"
    good(warm("topics", "news.csv", "-k", 4, "-o", other, *COLUMNS, cwd=folder))
    comparison = parsed(warm("compare", saved, other, "--json"))
    assert comparison == json.loads(json.dumps(pw.load(saved).compare(pw.load(other)).as_dict()))
    shown = good(warm("compare", saved, other))
    assert "Only in the second" in shown
    assert "of the 30 documents in both" in shown


def test_strange_letters_and_marks_are_shown_as_they_are(warm, tmp_path):
    """Nothing in a text is taken for markup or steers the terminal."""
    lines = [
        f"[bold]ship[/bold] harbour \x1b[31m{word} Ünïcode" for word in ["sail", "tide", "wave", "sail", "tide", "wave"]
    ]
    (tmp_path / "odd.txt").write_text("\n".join(lines), encoding="utf-8")
    good(warm("topics", tmp_path / "odd.txt", "-k", 1, "-o", tmp_path / "m.partwise"))
    shown = good(warm("search", tmp_path / "m.partwise", "ship", "-n", 2))
    assert "[bold]ship[/bold]" in shown
    assert "Ünïcode" in shown
    assert "\x1b" not in shown


def test_convert_and_factorize_from_disk(warm, tmp_path):
    """A matrix stored in parts gives the certificate of the file, and misuse is a sentence."""
    matrix = planted(40, 60, 3)
    np.savez(tmp_path / "a.npz", matrix)
    summary = parsed(warm("convert", "a.npz", "a.parts", "--json", cwd=tmp_path))
    assert (summary["shape"], summary["entries"]) == ([40, 60], 2400)
    near, far = (parsed(warm("factorize", name, "-k", 3, "--json", cwd=tmp_path)) for name in ("a.npz", "a.parts"))
    assert far["certificate"]["relative_error"] == pytest.approx(near["certificate"]["relative_error"], rel=1e-6)
    for arguments, sentence in (
        (["a.npz", "a.parts"], "exists already"),
        (["a.npz", "b", "--long", "sideways"], "choose one of rows, columns"),
        (["a.npz", "b", "--memory-limit", "some"], "memory limit"),
        (["a.npz", "b", "--memory-limit", "101MB"], "at least 102 MB, of which the program itself takes 85 MB"),
        (["none.npz", "b"], "no file"),
    ):
        done = warm("convert", *arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert sentence in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_a_result_on_stdout(saved, warm, tmp_path):
    """``-o -`` and /dev/stdout are the bytes of the file, and what is else printed goes to stderr."""
    good(warm("clusters", saved, "-o", tmp_path / "file.csv"))
    for name in ("-", "/dev/stdout"):
        done = warm("clusters", saved, "-o", name, cwd=tmp_path)
        assert good(done) == (tmp_path / "file.csv").read_text(encoding="utf-8")
        assert "degree" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file.csv"]


def test_a_model_on_stdout_is_the_model(tmp_path):
    """An archive comes whole through a pipe."""
    np.save(tmp_path / "a.npy", planted(12, 10, 2))
    done = cold("factorize", tmp_path / "a.npy", "-k", 2, "-o", "-", text=False, encoding=None)
    assert done.returncode == 0, done.stderr
    (tmp_path / "model").write_bytes(done.stdout)
    assert pw.load(tmp_path / "model").rank == 2


@pytest.mark.parametrize("verb", ["clusters", "transform", "report", "topics"])
def test_a_device_stays_a_device(verb, saved, folder, warm, tmp_path):
    """What goes to a device is written to it; two results can go to the same one."""
    null = tmp_path / "null"
    try:
        os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root may make a device")
    commands = {
        "clusters": ["clusters", saved, "-o", null],
        "transform": ["transform", saved, folder / "news.csv", "--column", "text", "-o", null],
        "report": ["report", saved, "-o", null],
        "topics": ["topics", folder / "news.csv", "--column", "text", "-k", 2, "-o", null, "--report", null],
    }
    good(warm(*commands[verb]))
    assert null.is_char_device()
    assert null.stat().st_rdev == os.makedev(1, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["null"]


def test_sparse_parts_at_the_command_line(warm, tmp_path):
    """--sparse-w gives every part its sparsity, and the certificate has the targets."""
    np.save(tmp_path / "a.npy", np.random.default_rng(0).random((30, 20)))
    done = warm("factorize", tmp_path / "a.npy", "-k", 2, "--sparse-w", 0.6, "--json")
    assert done.returncode == 0, done.stderr
    targets = json.loads(done.stdout)["certificate"]["targets"]
    assert [target["verdict"] for target in targets] == ["met", "met"]
    done = warm("factorize", tmp_path / "a.npy", "-k", 2, "--sparse-w", 0.6, "--l1-w", 1)
    assert (done.returncode, "leave out --l1-w" in done.stderr) == (2, True)


def test_search_shows_exact_copies_with_the_first(folder, warm, tmp_path):
    """One place in the answer, and the ids of the others below it, five at most."""
    lines = (folder / "news.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "news.csv").write_text("".join([*lines, lines[1], *7 * [lines[2]]]), encoding="utf-8")
    good(warm("topics", "news.csv", "-k", 2, "-o", "m", "--title-column", "none", cwd=tmp_path))
    model = pw.load(tmp_path / "m")
    one, several = (good(warm("search", "m", model.collection.snippets[i], "-n", 1, cwd=tmp_path)) for i in (0, 1))
    assert "an exact copy is 31\n" in one
    assert "7 exact copies are 32, 33, 34, 35, 36 and 2 more" in " ".join(several.split())


def test_a_model_is_saved_while_it_is_described(tmp_path):
    """On another thread, which is waited for; its error comes where the context ends."""
    here, saved = threading.get_ident(), []

    class Unwritable:
        def save(self, path):
            saved.append(threading.get_ident())
            raise OSError(28, "No space left on device", str(path))

    with saving(Unwritable(), None):
        pass
    assert saved == []
    with pytest.raises(OSError, match="No space left"), saving(Unwritable(), tmp_path / "model"):
        pass
    assert len(saved) == 1
    assert saved != [here]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device on which there is no room")
def test_topics_are_shown_though_the_model_cannot_be_saved(folder, warm):
    """The tables come while the model is written; that it is not is the error, and nothing says it is."""
    done = warm("topics", folder / "news.csv", "-k", 2, "-o", "/dev/full", *COLUMNS)
    assert (done.returncode, "No space left" in done.stderr) == (2, True), done.stderr
    assert "Mean coherence" in done.stdout
    assert "aved" not in done.stdout
