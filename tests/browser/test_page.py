"""The page in a real Chromium: it opens offline, and everything on it can be used."""

import pytest

from browser.examples import ranking

ROWS = "#document-rows tr"


def ids(page):
    return page.eval_on_selector_all(ROWS, "rows => rows.map((row) => row.dataset.id)")


def terms(page):
    return page.eval_on_selector_all("#terms li", "items => items.map((item) => item.dataset.term)")


def slide(page, value):
    page.eval_on_selector("#specificity", "(s, v) => { s.value = v; s.dispatchEvent(new Event('input')); }", str(value))


def serious(page):
    """What axe-core finds that is serious or critical: contrast, names, roles."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    violations = axe.Axe().run(page).response["violations"]
    return [(v["id"], v["nodes"][0]["html"][:200]) for v in violations if v["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("name", ["topics_page", "faces_page", "matrix_page"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_opens_in_silence(visit, request, name, scheme):
    """No console error, no request, every chart drawn, nothing serious for axe, in both colour schemes."""
    page = visit(request.getfixturevalue(name), color_scheme=scheme)
    assert page.get_attribute("html", "data-theme") == scheme
    assert page.locator("#map .disc").count() > 0
    assert page.locator(".chart").count() >= 4
    assert page.locator(".chart:not(:has(svg.main-svg))").count() == 0
    assert serious(page) == []


def test_a_topic_can_be_picked(visit, plain_page, plain_model):
    """Its name, terms, documents and numbers follow."""
    page = visit(plain_page, charts=False)
    topics = plain_model.topics(10, 5)
    page.locator(".picker label").nth(2).click()
    assert page.inner_text(".detail h3.name") == topics[2].name
    assert page.locator("#examples .example").count() == 5
    assert topics[2].documents[0].title in page.inner_text("#examples")
    assert page.locator("#examples mark").count() > 0
    assert f"{topics[2].coherence:.2f}" in page.inner_text(".stats")
    assert "–" not in page.inner_text(".stats")


def test_the_slider_reorders_terms(visit, plain_page, plain_model):
    """Its ends are the orders of topics().terms and .specific."""
    page = visit(plain_page, charts=False)
    for number, topic in enumerate(plain_model.topics(15, 0)):
        page.locator(".picker label").nth(number).click()
        slide(page, 0)
        by_weight = terms(page)
        assert by_weight == [weighted.term for weighted in topic.terms]
        slide(page, 100)
        assert terms(page) == [weighted.term for weighted in topic.specific]
        assert terms(page) != by_weight


def test_the_table_filters(visit, plain_page, plain_model):
    """By topic, by title and by id, together with paging."""
    page = visit(plain_page, charts=False)
    assert len(ids(page)) == 20
    page.click("#next")
    assert ids(page)[0] == "0-020"
    page.select_option("#filter-topic", "3")
    own = [one.id for one in plain_model.clusters(by="topics") if one.topic == 3]
    assert f"of {len(own)} documents" in page.inner_text("#document-count")
    assert set(ids(page)) <= set(own)
    page.click("text=Clear")
    page.fill("#filter-title", "KITCHEN number 1")
    titles = [d.title for d in plain_model.clusters(by="topics") if "kitchen number 1" in d.title.lower()]
    assert len(ids(page)) == min(len(titles), 20)
    page.fill("#filter-title", "")
    page.fill("#filter-id", "0-29")
    assert ids(page) == [f"0-{n}" for n in range(290, 300)]
    page.fill("#filter-id", "nothing like it")
    assert "No document fits" in page.inner_text("#document-count")


def test_more_like_this(visit, plain_page, plain_model):
    """The neighbours of a document are those of similar()."""
    page = visit(plain_page, charts=False)
    page.locator(f"{ROWS} button").nth(7).click()
    assert ids(page) == ranking(plain_model.similar(7, 300))


def test_keyboard_alone_suffices(visit, plain_page, plain_model):
    """Tab, arrows, letters and Enter reach the topics, the slider, the search and the theme."""
    page = visit(plain_page, charts=False)

    def tab_to(selector):
        for _ in range(80):
            page.keyboard.press("Tab")
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        pytest.fail(f"Tab does not reach {selector}")

    tab_to(".skip")
    tab_to("#theme")
    page.keyboard.press("Enter")
    assert page.get_attribute("html", "data-theme") == "dark"
    tab_to("#map .bubble")
    page.keyboard.press("End")
    assert page.inner_text(".detail h3.name") == plain_model.names[-1]
    tab_to("input[name=topic]")
    page.keyboard.press("ArrowDown")
    assert page.inner_text(".detail h3.name") == plain_model.names[0]
    tab_to("#specificity")
    before = terms(page)
    page.keyboard.press("End")
    assert terms(page) != before
    tab_to("#search")
    page.keyboard.type("violin concert")
    assert ids(page) == ranking(plain_model.search("violin concert", 300))
    tab_to("#filter-topic")
    tab_to("#next")
    page.keyboard.press("Enter")
    assert "21 to 40" in page.inner_text("#document-count")
    tab_to("summary")
    page.keyboard.press("Enter")
    assert page.locator(".certificate").is_visible()


@pytest.mark.parametrize("name", ["topics_page", "matrix_page", "hostile_page"])
def test_phone_width(visit, request, name):
    """At 360 pixels nothing sticks out to the side."""
    page = visit(request.getfixturevalue(name), viewport={"width": 360, "height": 740})
    wide = "[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > 361)"
    widest = page.evaluate(f"{wide}.slice(-3).map((e) => e.outerHTML.slice(0, 150))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, widest


def test_prints(visit, topics_page):
    """On paper the sections stay and the controls go."""
    page = visit(topics_page, charts=False)
    page.emulate_media(media="print")
    assert not page.locator("header").is_visible()
    assert page.locator("#map .disc").first.is_visible()
    assert page.locator("#quality .verdict").first.is_visible()


def test_compare(visit, topics_page, model):
    """Topics matched side by side, and the documents that moved."""
    page = visit(topics_page, charts=False)
    rows = page.locator("#compare tbody").first.locator("tr")
    assert rows.count() == 5
    assert "other.partwise" in page.inner_text("#compare")
    assert "Only in this one" in page.inner_text("#compare")


def test_images(visit, faces_page):
    """Parts, the SVD's and rebuilt pictures are painted, not blank."""
    page = visit(faces_page, charts=False)
    painted = page.eval_on_selector_all(
        "#images canvas",
        "all => all.map((c) => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size)",
    )
    assert len(painted) > 2 * 4 + 6 * 2
    assert min(painted) > 2


def test_matrix(visit, matrix_page):
    """Labels stand in the table and on the heat maps."""
    page = visit(matrix_page)
    assert "gene" in page.inner_text("#matrix tbody")
    assert "sample" in page.inner_text("#matrix tbody")
    assert page.locator("#chart-rows svg.main-svg").count() > 0
    assert not page.locator("#search").is_visible()
