"""The search box gives the ranking of the command line."""

import json
import os
import random
from dataclasses import replace
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from browser.examples import documents, ranking
from partwise.cli import application
from partwise.report import write_report
from partwise.text import TopicModel, Weighting

ASK = """queries => queries.map((query) => {
  const box = document.getElementById("search");
  box.value = query;
  box.dispatchEvent(new Event("input"));
  return [...document.querySelectorAll("#document-rows tr")].map((row) => row.dataset.id);
})"""


def queries(model, count, seed=0):
    """Words of the vocabulary in random company, some of them twice, some unknown, some in capitals."""
    rng, words = random.Random(seed), [word for term in model.terms for word in term.split()]
    texts = []
    for number in range(count):
        chosen = rng.choices(words, k=rng.randint(1, 6))
        if number % 5 == 0:
            chosen += ["the", "Unheardof", chosen[0].upper()]
        texts.append(" ".join(chosen))
    return texts


def wanted(model, query):
    try:
        return ranking(model.search(query, len(model.collection.ids)))
    except ValueError:
        return []


def agree(page, model, texts):
    answers = page.evaluate(ASK, texts)
    for query, answer in zip(texts, answers, strict=True):
        assert answer == wanted(model, query), query


def test_the_ranking_of_the_command_line(visit, plain_page, plain_model, tmp_path):
    """Through the command itself, for a few queries."""
    plain_model.save(tmp_path / "model.partwise")
    page = visit(plain_page, charts=False)
    for query in ("violin concert", "ROCKET, orbit; court!", "bread bread butter"):
        words = ["search", str(tmp_path / "model.partwise"), query, "-n", "300", "--json"]
        done = CliRunner().invoke(application(), words)
        assert page.evaluate(ASK, [query])[0] == ranking(
            [SimpleNamespace(**hit) for hit in json.loads(done.stdout)["hits"]]
        )


def test_many_queries(visit, plain_page, plain_model):
    """Through the library, which the command calls, for many."""
    agree(visit(plain_page, charts=False), plain_model, queries(plain_model, 200))


def test_why_and_the_share_of_topics(visit, plain_page, plain_model):
    """Each row says which words it has and which topic carried it; the slider is --blend."""
    page = visit(plain_page, charts=False)
    move = "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }"
    page.fill("#search", "violin, a concert and bread")
    for blend in (None, 0, 0.5, 1):
        if blend is not None:
            page.eval_on_selector("#blend", move, blend)
        answer = plain_model.search("violin, a concert and bread", 300, blend)
        ids = page.eval_on_selector_all("#document-rows tr", "rows => rows.map((row) => row.dataset.id)")
        assert ids == ranking(answer)
        hits = {hit.id: hit for hit in answer}
        for id_, line in zip(ids, page.locator("#document-rows .why").all_inner_texts(), strict=True):
            words = f"Has {', '.join(hits[id_].words)}" if hits[id_].words else "Has no word of the query"
            assert line.startswith(words)
            assert line.endswith(plain_model.names[hits[id_].carrier])


def test_stems_and_runs_of_words(visit, topics_page, model):
    """A model that counts stems of one and two words."""
    agree(visit(topics_page, charts=False), model, queries(model, 100))


@pytest.mark.parametrize(
    ("algorithm", "weighting"),
    [
        ("acls", Weighting(weight="log-entropy", min_df=1)),
        ("anls", Weighting(weight="counts", normalize=False, stop_words=("ship", "oven"))),
        ("hals", Weighting(pattern=r"\w+", stop_words=None)),
        ("als", Weighting(phrases=0.0, phrase_count=3, ngrams=(1, 2), min_df=1)),
    ],
)
def test_every_weighting(visit, folder, algorithm, weighting):
    """Other weights, stop words, patterns, and an algorithm with a penalty."""
    model = TopicModel(4, weighting=weighting, algorithm=algorithm).fit(documents(80))
    path = write_report(model, folder / f"{algorithm}.html", runs=0)
    agree(visit(path, charts=False), model, queries(model, 60))


def test_exact_copies_have_one_place(visit, folder):
    """As at the command line: the first document with a text stands for all, and its line names the others."""
    corpus = documents(40)
    corpus += [replace(corpus[place], id=f"copy {place}{mark}") for place, mark in ((3, "a"), (3, "b"), (8, ""))]
    model = TopicModel(4).fit(corpus)
    page = visit(write_report(model, folder / "copies.html", runs=0), charts=False)
    agree(page, model, queries(model, 30))
    page.fill("#search", corpus[3].text)
    assert "; 2 exact copies are copy 3a, copy 3b" in page.locator("#document-rows .why").first.inner_text()
    page.fill("#search", corpus[8].text)
    assert "; an exact copy is copy 8" in page.locator("#document-rows .why").first.inner_text()


def test_unknown_words_are_told(visit, plain_page):
    """What the vocabulary has not got is said, not passed over."""
    page = visit(plain_page, charts=False)
    page.fill("#search", "xyzzy violin")
    assert "Not in the vocabulary: xyzzy." in page.inner_text("#answer")
    page.fill("#search", "violn concert")
    assert "Not in the vocabulary: violn (did you mean violin?)." in page.inner_text("#answer")
    page.fill("#search", "xyzzy")
    assert "No word of the query" in page.inner_text("#answer")
    assert page.locator("#document-rows tr").count() == 0


def until_answered(page, topic, query):
    """Milliseconds from opening a page until a circle of its map was picked and a search answered."""
    page.locator("#map .bubble").nth(topic).click()
    page.fill("#search", query)
    return page.evaluate(
        "t => [performance.now(), document.getElementById(`pick-${t}`).checked, "
        "document.getElementById('first-head').textContent, Boolean(window.Plotly)]",
        topic,
    )


def test_large(visit, large_page, large_model):
    """10,000 documents and 50 topics: under 12 MB, interactive within two seconds, the same top twenty.

    Interactive: a circle of the map was clicked and answered, and a search too, without waiting for plotly. The best of
    at most five openings counts, and where more programs run than there are cores, two seconds of a fair share of one.
    """
    limit = 2000 * max(1, os.getloadavg()[0] / os.cpu_count())
    assert large_page.stat().st_size < 12_000_000
    (query,) = queries(large_model, 1, seed=1)
    times = []
    while len(times) < 5 and min(times, default=limit) >= limit:
        page = visit(large_page, charts=False)
        time, picked, head, plotly = until_answered(page, 20 + len(times), query)
        assert picked
        assert head == "Score"
        assert time > 2000 or not plotly
        times.append(time)
        page.context.close()
    assert min(times) < limit
    agree(visit(large_page, charts=False), large_model, queries(large_model, 40))
