"""The search box gives the ranking of the command line."""

import json
import random
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from browser.made import documents, ranking
from partwise.cli import app
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
    made = []
    for number in range(count):
        chosen = rng.choices(words, k=rng.randint(1, 6))
        if number % 5 == 0:
            chosen += ["the", "Unheardof", chosen[0].upper()]
        made.append(" ".join(chosen))
    return made


def wanted(model, asked):
    try:
        return ranking(model.search(asked, len(model.collection.ids)))
    except ValueError:
        return []


def agree(page, model, asked):
    found = page.evaluate(ASK, asked)
    for query, given in zip(asked, found, strict=True):
        assert given == wanted(model, query), query


def test_the_ranking_of_the_command_line(visit, plain_page, plain_model, tmp_path):
    """Through the command itself, for a few queries."""
    plain_model.save(tmp_path / "model.partwise")
    page = visit(plain_page, charts=False)
    for query in ("violin concert", "ROCKET, orbit; court!", "bread bread butter"):
        done = CliRunner().invoke(app, ["search", str(tmp_path / "model.partwise"), query, "-n", "300", "--json"])
        assert page.evaluate(ASK, [query])[0] == ranking(
            [SimpleNamespace(**hit) for hit in json.loads(done.stdout)["hits"]]
        )


def test_many_queries(visit, plain_page, plain_model):
    """Through the library, which the command calls, for many."""
    agree(visit(plain_page, charts=False), plain_model, queries(plain_model, 200))


def test_stems_and_runs_of_words(visit, topics_page, model):
    """A model that counts stems of one and two words."""
    agree(visit(topics_page, charts=False), model, queries(model, 100))


@pytest.mark.parametrize(
    ("algorithm", "weighting"),
    [
        ("acls", Weighting(weight="log-entropy", min_df=1)),
        ("anls", Weighting(weight="counts", normalize=False, stop_words=("ship", "oven"))),
        ("hals", Weighting(pattern=r"\w+", stop_words=None)),
    ],
)
def test_every_weighting(visit, folder, algorithm, weighting):
    """Other weights, stop words, patterns, and an algorithm with a penalty."""
    model = TopicModel(4, weighting=weighting, algorithm=algorithm).fit(documents(80))
    path = write_report(model, folder / f"{algorithm}.html", runs=0)
    agree(visit(path, charts=False), model, queries(model, 60))


def test_unknown_words_are_told(visit, plain_page):
    """What the vocabulary has not got is said, not passed over."""
    page = visit(plain_page, charts=False)
    page.fill("#search", "xyzzy violin")
    assert "Not in the vocabulary: xyzzy." in page.inner_text("#answer")
    page.fill("#search", "xyzzy")
    assert "No word of the query" in page.inner_text("#answer")
    assert page.locator("#document-rows tr").count() == 0


def test_large(visit, large_page, large_model):
    """10,000 documents and 50 topics: under 10 MB, interactive within two seconds, the same top twenty."""
    assert large_page.stat().st_size < 10_000_000
    for _ in range(3):  # the best of up to three, since others may be at work on the machine
        page = visit(large_page, charts=False)
        if (ready := float(page.get_attribute("html", "data-ready"))) < 2000:
            break
    assert ready < 2000
    agree(page, large_model, queries(large_model, 40))
