"""One Chromium for all tests; each page is written once, and every opening notes errors and requests."""

import os
import shutil

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw
from browser.examples import documents, hostile_documents, large_collection, pictures
from partwise.report import write_report
from partwise.text import TopicModel, Weighting

NAMES = (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
FOUND = next((path for name in NAMES if name and (path := shutil.which(name))), None)


@pytest.fixture(scope="session", autouse=True)
def browser():
    """A headless Chromium, or a skip that says why, before any page is made for it."""
    if os.environ.get("PARTWISE_BROWSER") == "later":
        pytest.skip("PARTWISE_BROWSER=later: these tests are left to make test-browser, which must follow.")
    if FOUND is None:
        if os.environ.get("PARTWISE_BROWSER") == "needed":
            pytest.fail("There is no Chromium; install the package chromium, or set CHROMIUM to its executable.")
        pytest.skip("There is no Chromium; install the package chromium, or set CHROMIUM, to test the report in it.")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (partwise[browser])")
    with sync_api.sync_playwright() as playwright:
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        launched = playwright.chromium.launch(executable_path=FOUND, args=["--no-sandbox"] if root else [])
        yield launched
        launched.close()


@pytest.fixture
def visit(browser):
    """Open a page and wait until it stands; with charts go to them and back; at the end nothing may have gone wrong."""
    contexts, troubles = [], []

    def opened(path, *, charts=True, script="", **context):
        contexts.append(browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | context)))
        page = contexts[-1].new_page()
        page.add_init_script(script)
        page.on("console", lambda note: troubles.append(note.text) if note.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: troubles.append(request.url) if request.url != path.as_uri() else None)
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        if charts:
            page.evaluate("document.querySelector('.chart').scrollIntoView({ behavior: 'instant' })")
            page.wait_for_selector("html[data-charts]", state="attached")
            page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        return page

    opened.troubles = troubles
    yield opened
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def model():
    """Six themes, 300 documents."""
    return TopicModel(6, weighting=Weighting(ngrams=(1, 2), stem="english")).fit(documents(300))


@pytest.fixture(scope="session")
def topics_page(folder, model):
    """The model beside a smaller one."""
    other = TopicModel(5, seed=1).fit(documents(200, seed=5))
    return write_report(model, folder / "topics.html", other=other, other_title="other.partwise", runs=2)


@pytest.fixture(scope="session")
def plain_model():
    return TopicModel(6).fit(documents(300))


@pytest.fixture(scope="session")
def plain_page(folder, plain_model):
    return write_report(plain_model, folder / "plain.html", runs=1)


@pytest.fixture(scope="session")
def hostile_page(folder):
    model = TopicModel(2, weighting=Weighting(pattern=r"\S+", stop_words=None, min_df=1)).fit(hostile_documents())
    other = TopicModel(2, seed=1, weighting=model.weighting).fit(hostile_documents())
    name = '<script>window.ran="title"</script>"\'</title>.partwise'
    return write_report(model, folder / "hostile <b>&\"'.html", title=name, other=other, other_title=name, runs=1)


@pytest.fixture(scope="session")
def large_model():
    """10,000 documents and 50 topics, two iterations from a random start."""
    model = TopicModel(50, init="random", stop=pw.MaxIterations(2), weighting=Weighting(stop_words=None))
    return model.fit_collection(large_collection(10_000, 8_000, 65))


@pytest.fixture(scope="session")
def large_page(folder, large_model):
    return write_report(large_model, folder / "large.html", runs=0)


@pytest.fixture(scope="session")
def many_page(folder):
    """Fifty topics of few documents."""
    model = TopicModel(50, init="random", stop=pw.MaxIterations(2), weighting=Weighting(stop_words=None))
    return write_report(model.fit_collection(large_collection(400, 600, 40)), folder / "many.html", runs=0)


@pytest.fixture(scope="session")
def faces_page(folder):
    matrix = pictures(40)
    return write_report(pw.factorize(matrix, 4), folder / "faces.html", matrix=matrix, shape=(8, 6), runs=1)


@pytest.fixture(scope="session")
def matrix_page(folder):
    matrix = sp.random_array((40, 25), density=0.4, rng=np.random.default_rng(0))
    labels = {"rows": [f"gene{i}" for i in range(40)], "columns": [f"sample{i}" for i in range(25)]}
    return write_report(pw.factorize(matrix, 3), folder / "matrix.html", **labels)
