"""What stands in a page, and what is refused before it is written."""

import base64
import json
import re

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw
from partwise.plot.layout import circles
from partwise.report.documents_payload import sampled
from partwise.report.encoding import packed_rows, to_json
from partwise.report.page import script
from partwise.report.words_payload import strongest_entries, words_payload
from partwise.storage.archive import write
from partwise.text import Weighting

BAD = "</script><!-- & \u2028 \u2029 \ud800 <b>"


@pytest.fixture(scope="module")
def fit():
    return pw.factorize(np.random.default_rng(0).random((12, 9)), 3)


@pytest.fixture(scope="module")
def model():
    texts = [f"{a} {b} tide wave" if n % 2 else f"{a} {b} oven bread" for n, (a, b) in enumerate([("sea", "pie")] * 12)]
    return pw.TopicModel(2).fit([pw.Document(f"<i>{n}", text, "<b>") for n, text in enumerate(texts)])


def payload(path):
    return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.S)[1])


def test_json_holds_no_markup():
    """No sign that ends a script or opens a tag is left, and the value comes back whole."""
    text = to_json({BAD: [BAD]})
    assert not set("<>&\u2028\u2029\ud800") & set(text)
    assert json.loads(text) == {BAD: [BAD]}


def test_one_file_and_nothing_from_outside(model, tmp_path):
    """No address to fetch from stands in the page outside plotly, which is packed."""
    text = pw.write_report(model, tmp_path / "r.html", runs=0).read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=.?https?:|@import|url\(", text)
    assert text.count("<script") == 3
    assert "<b>" not in text


def array(part):
    return np.frombuffer(base64.b64decode(part["bytes"]), part["kind"])


@pytest.mark.parametrize("density", [0.1, 1.0])
def test_packed_rows_come_back(density):
    """Counts, places and values give the factor again, to the bit while it is small."""
    rng = np.random.default_rng(1)
    factor = rng.random((30, 7)) * (rng.random((30, 7)) < density)
    rows = packed_rows(factor)
    if "dense" in rows:
        again = array(rows["dense"]).reshape(30, 7)
    else:
        again = np.zeros((30, 7))
        again[np.repeat(np.arange(30), array(rows["counts"])), array(rows["places"])] = array(rows["values"])
    assert np.array_equal(again, factor)


def unpacked_words(words, weights):
    """(counts, places, values) as the page makes them."""
    counts, places = array(words["counts"]), array(words["places"])
    if "values" in words:
        return counts, places, array(words["values"])
    first = np.cumsum(array(words["per_document"]), dtype=int) - array(words["per_document"])
    levels = array(words["levels"])[np.repeat(first, counts) + array(words["level"])]
    return counts, places, (levels * weights[places]).astype(np.float32)


@pytest.mark.parametrize("weight", ["counts", "tfidf", "log-entropy"])
@pytest.mark.parametrize("normalize", [True, False])
def test_words_come_back_to_the_bit(weight, normalize):
    """Levels times weights of terms give A of the chosen documents again, whatever the weighting."""
    rng = np.random.default_rng(2)
    texts = [" ".join(f"w{'abcdefghij'[i]}x" for i in rng.integers(0, 10, rng.integers(3, 60))) for _ in range(200)]
    weighting = Weighting(weight, min_df=1, normalize=normalize)
    model = pw.TopicModel(2, weighting=weighting).fit(texts)
    chosen, weights = np.arange(0, 200, 3), model.vocabulary.global_weights
    words = words_payload(model, chosen)
    assert words["whole"]
    assert "level" in words
    wanted = sp.csc_array(model.collection.in_memory()[:, chosen])
    counts, places, values = unpacked_words(words, weights)
    assert np.array_equal(counts, np.diff(wanted.indptr))
    assert np.array_equal(places, wanted.indices)
    assert np.array_equal(values, wanted.data)
    assert (words["lengths"] is None) == normalize


def test_too_many_words_are_cut_to_the_strongest(model, monkeypatch):
    """Every document keeps as many of its strongest words as fit."""
    rng = np.random.default_rng(3)
    matrix = sp.csc_array(rng.random((20, 8)).astype(np.float32) * (rng.random((20, 8)) < 0.6))
    kept = strongest_entries(matrix, 30)
    assert kept.nnz <= 30
    cap = np.diff(kept.indptr).max()
    for j in range(8):
        own = np.sort(matrix[:, [j]].toarray().ravel())[::-1][: min(cap, np.diff(matrix.indptr)[j])]
        assert np.array_equal(np.sort(kept.toarray()[:, j])[::-1][: len(own)], own)
    monkeypatch.setattr("partwise.report.words_payload.BUDGET", 60)
    words = words_payload(model, np.arange(12))
    assert not words["whole"]
    assert len(array(words["places"])) <= 20


def test_many_documents_are_sampled():
    """A page holds 20,000 of 200,000, each once, in order."""
    chosen = sampled(200_000)
    assert len(chosen) == 20_000
    assert (np.diff(chosen) > 0).all()
    assert np.array_equal(sampled(500), np.arange(500))


def test_circles_do_not_overlap():
    """Topics that are all alike still get places of their own."""
    points, radii = circles(np.ones((9, 9)), np.full(9, 1 / 9))
    apart = np.linalg.norm(points[:, None] - points, axis=2) + np.eye(9)
    assert (apart >= 0.98 * (radii[:, None] + radii) * (1 - np.eye(9))).all()


def test_the_map_is_that_of_the_figure(fit, tmp_path):
    """The circles that the page draws are those of plot.topics(), and what they fill is told."""
    drawn = fit.plot.topics().data[0]
    placed = payload(pw.write_report(fit, tmp_path / "f.html", runs=0))["map"]
    assert placed["x"] == pytest.approx(list(drawn.x), abs=1e-4)
    assert placed["y"] == pytest.approx(list(drawn.y), abs=1e-4)
    assert placed["r"] == pytest.approx([size / 2 for size in drawn.marker.size], abs=2e-4)
    assert placed["low"][0] == pytest.approx(
        min(x - r for x, r in zip(placed["x"], placed["r"], strict=True)), abs=2e-4
    )
    assert placed["high"][1] == pytest.approx(
        max(y + r for y, r in zip(placed["y"], placed["r"], strict=True)), abs=2e-4
    )
    # by hand: areas as the mean shares, no two overlap, and from left to right as on the first principal axis
    weights = fit.H.T * np.linalg.norm(fit.W, axis=0)
    shares = (weights / weights.sum(axis=1, keepdims=True)).mean(axis=0)
    areas = np.pi * np.array(placed["r"]) ** 2
    assert areas / areas.sum() == pytest.approx(shares, abs=1e-3)
    centres, radii = np.column_stack([placed["x"], placed["y"]]), np.array(placed["r"])
    gaps = np.linalg.norm(centres[:, None] - centres, axis=2) - radii[:, None] - radii
    assert gaps[np.triu_indices(len(gaps), 1)].min() > 0.015
    unit = (fit.W / np.linalg.norm(fit.W, axis=0)).T
    axis = np.linalg.svd(unit - unit.mean(axis=0))[0][:, 0]
    order = np.argsort(centres[:, 0]).tolist()
    assert order in (np.argsort(axis).tolist(), np.argsort(-axis).tolist())


def test_every_line_has_a_verdict(fit, tmp_path):
    """Good, fair or bad with a sentence on what to do, or plain."""
    lines = payload(pw.write_report(fit, tmp_path / "f.html"))["verdicts"]
    assert {line["verdict"] for line in lines} <= {"good", "fair", "bad", "plain"}
    assert all(line["advice"] for line in lines if line["verdict"] in ("good", "fair", "bad"))
    idle = ("Nothing to do.", "Parts that only add up cost next to nothing here.")
    assert all((line["advice"] in idle) == (line["verdict"] == "good") for line in lines if line["verdict"] != "plain")
    values, certificate = {line["name"]: line["value"] for line in lines}, fit.certificate
    assert values["Explained"] == f"{1 - certificate.relative_error**2:.1%}"
    assert values["Settled"] == f"{certificate.verdict} ({certificate.kkt:.0e})"
    assert values["Standing still"] == f"{max(certificate.angles):.2g}°"
    assert values["Dead parts"] == values["The same part twice"] == "none"
    assert values["Wrongly locked zeros"] == f"{certificate.w.locked + certificate.h.locked:,}"
    for name, vectors in (("W", fit.W.T), ("H", fit.H.T)):  # by topic, and by column of A: columns of W and of H
        root, ratios = np.sqrt(vectors.shape[1]), vectors.sum(axis=1) / np.linalg.norm(vectors, axis=1)
        assert values[f"Sparsity of {name}"] == f"{((root - ratios) / (root - 1)).mean():.2f}"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"shape": (5, 5)}, "12 rows"),
        ({"rows": ["a"]}, "1 labels for 12 rows"),
        ({"matrix": np.ones((3, 3))}, "12 × 9"),
        ({"runs": -1}, "runs must be"),
        ({"runs": 1001}, "runs must be at most 1,000"),
    ],
)
def test_bad_input_is_refused(fit, tmp_path, arguments, sentence):
    """In a sentence, and nothing is written."""
    with pytest.raises(ValueError, match=sentence):
        pw.write_report(fit, tmp_path / "r.html", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_unlike_things_are_not_compared(fit, model, tmp_path):
    with pytest.raises(ValueError, match="two of a kind"):
        pw.write_report(model, tmp_path / "r.html", other=fit)


def test_figures_can_be_styled(fit, model):
    """Every picture is a plotly figure."""
    figures = [fit.plot.error(), fit.plot.angles(), fit.plot.topics(), fit.plot.sparsity(), fit.plot.parts((4, 3))]
    figures += [model.plot.topics(), model.plot.sparsity()]
    for figure in figures:
        assert figure.update_layout(title="mine").layout.title.text == "mine"
        assert len(figure.data) >= 1
    assert list(fit.plot.error().data[0].y) == list(fit.history["error"])
    with pytest.raises(ValueError, match="12 rows"):
        fit.plot.parts((5, 5))


def test_notebooks_show_escaped_tables(fit, model):
    """A fit, a certificate and a model as HTML."""
    hostile = pw.TopicModel(2, weighting=pw.Weighting(pattern=r"\S+", min_df=1)).fit(["<b> <i>", "<u> x<s>", "<b> <u>"])
    assert "<b>" not in hostile._repr_html_()
    assert "&lt;" in hostile._repr_html_()
    for thing in (fit, fit.certificate, model):
        assert "<table>" in thing._repr_html_()
    assert "not fitted" in pw.TopicModel(3)._repr_html_()


def test_a_missing_plotly_is_told(fit, monkeypatch):
    """In one sentence that says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "plotly", None)
    with pytest.raises(ImportError, match=r"pip install 'partwise\[report\]'"):
        fit.plot.error()


def test_the_command(fit, tmp_path, capsys, monkeypatch):
    """partwise report writes the page and says where; misuse is a sentence."""
    from partwise.cli import main

    fit.save(tmp_path / "f.partwise")
    (tmp_path / "rows.txt").write_text("\n".join(f"gene{i}" for i in range(12)))

    def run(*words):
        monkeypatch.setattr("sys.argv", ["partwise", "report", str(tmp_path / "f.partwise"), *words])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code

    page = tmp_path / "r.html"
    assert run("-o", str(page), "--rows", str(tmp_path / "rows.txt"), "--shape", "4x3") == 0
    assert "r.html" in capsys.readouterr().out.replace("\n", "")
    assert payload(page)["factor"]["names"][3] == "gene3"
    assert run("-o", str(page), "--shape", "round") == 2
    assert "such as 19x19" in capsys.readouterr().err
    write(tmp_path / "f.partwise", "something else", 1, {}, {})
    assert run("-o", str(page)) == 2


def test_scripts_do_not_declare_a_name_twice():
    """They stand in one function, where a second declaration would keep the whole page from running."""
    names = re.findall(r"(?m)^(?:const|let|function) +(\w+)|^const .*?, (\w+) =", script())
    declared = [name for pair in names for name in pair if name]
    assert [name for name in set(declared) if declared.count(name) > 1] == []
