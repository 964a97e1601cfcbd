"""The map of the topics: it stands before any chart, and can be pointed at, clicked, walked through and printed."""

import pytest

from partwise.linalg.measures import topic_cosines
from partwise.plot.layout import circles

BUBBLE = "#map .bubble"
DISCS = """() => [...document.querySelectorAll("#map .disc")].map(
  (disc) => ["cx", "cy", "r"].map((name) => Number(disc.getAttribute(name))))"""
BOXES = """() => [...document.querySelectorAll("#map .captions text")].filter((one) => one.textContent).map((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return [left, right, top + 2, bottom - 2];
})"""


def overlapping(boxes):
    """Pairs of boxes that cover each other."""
    return [
        (a, b)
        for n, a in enumerate(boxes)
        for b in boxes[:n]
        if a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]
    ]


def picked(page):
    return page.eval_on_selector_all(
        f"{BUBBLE}[aria-checked=true]", "all => all.map((one) => Number(one.dataset.topic))"
    )


def test_the_numbers_of_the_figure(visit, plain_page, plain_model):
    """Circles stand where those of plot.topics() do, to one scale, and areas are in proportion to shares."""
    fit = plain_model.factorization
    points, radii = circles(topic_cosines(fit.w), plain_model.shares)
    discs = visit(plain_page, charts=False).evaluate(DISCS)
    unit = discs[0][2] / radii[0]
    for (x, y, r), point, radius in zip(discs, points, radii, strict=True):
        assert r == pytest.approx(unit * radius, abs=0.1)
        assert x - discs[0][0] == pytest.approx(unit * (point[0] - points[0][0]), abs=0.2)
        assert discs[0][1] - y == pytest.approx(unit * (point[1] - points[0][1]), abs=0.2)


def test_pointing_and_picking(visit, plain_page, plain_model):
    """Pointing tells name and share, a click picks, and list and map stay together; no chart is needed."""
    page = visit(plain_page, charts=False)
    page.locator(BUBBLE).nth(3).hover()
    hint = page.inner_text("#map .hint.shown")
    assert plain_model.names[3] in hint
    assert f"{plain_model.shares[3]:.1%} of the whole" in hint
    page.locator(BUBBLE).nth(4).click()
    assert picked(page) == [4]
    assert page.is_checked("#pick-4")
    assert page.inner_text(".detail h3.name") == plain_model.names[4]
    page.locator(".picker label").nth(1).click()
    assert picked(page) == [1]
    assert page.evaluate("window.Plotly") is None


def test_arrows_walk_through_the_map(visit, plain_page, plain_model):
    """The map is one stop of Tab; arrows go to the next circle that way, Home and End to the first and last topic."""
    page = visit(plain_page, charts=False)
    page.focus(f"{BUBBLE}[tabindex='0']")
    assert page.locator(f"{BUBBLE}[tabindex='0']").count() == 1
    seen = set()
    for key in ["ArrowRight"] * 3 + ["ArrowLeft", "ArrowDown", "ArrowLeft", "ArrowUp"] * 4:
        before, discs = picked(page)[0], page.evaluate(DISCS)
        page.keyboard.press(key)
        (now,) = picked(page)
        assert page.evaluate("Number(document.activeElement.dataset.topic)") == now
        if now != before and key in ("ArrowRight", "ArrowLeft"):
            assert (discs[now][0] > discs[before][0]) == (key == "ArrowRight")
        seen.add(now)
    assert len(seen) >= 4
    page.keyboard.press("End")
    assert picked(page) == [5]
    assert plain_model.names[5] in page.inner_text("#map .hint.shown")
    page.keyboard.press("Escape")
    assert page.locator("#map .hint.shown").count() == 0


@pytest.mark.parametrize("width", [1280, 360])
def test_names_do_not_cover_each_other(visit, many_page, width):
    """With fifty topics too, on a wide page and on a phone; on a wide one nearly all have a name."""
    page = visit(many_page, charts=False, viewport={"width": width, "height": 800})
    boxes = page.evaluate(BOXES)
    assert overlapping(boxes) == []
    assert len(boxes) >= (45 if width > 1000 else 15)
    edge = page.locator("#map").bounding_box()
    assert all(edge["x"] <= left and right <= edge["x"] + edge["width"] for left, right, _, _ in boxes)


def test_it_follows_the_window_and_the_theme(visit, plain_page):
    """A narrower window gets a map drawn anew; colours change without that."""
    page = visit(plain_page, charts=False)
    wide = page.evaluate(DISCS)
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function("w => document.querySelector('#map .disc').getAttribute('cx') !== w", arg=str(wide[0][0]))
    assert max(x + r for x, _, r in page.evaluate(DISCS)) < 340
    colour = "getComputedStyle(document.querySelector('#map .captions text')).fill"
    before = page.evaluate(colour)
    page.click("#theme")
    assert page.evaluate(colour) != before


def test_paper_gets_every_chart(visit, plain_page):
    """Printed from dark colours while no chart was drawn, the page is the one that is printed from light ones later."""
    restless = "setInterval(() => dispatchEvent(new Event('keydown')), 200)"
    page = visit(plain_page, charts=False, script=restless, color_scheme="dark")
    page.wait_for_selector("html[data-plotly]", state="attached")
    assert page.evaluate("window.Plotly") is None
    early = page.pdf(format="A4")
    assert page.locator(".chart").count() == page.locator(".chart:has(svg.main-svg)").count() == 5
    assert page.get_attribute("html", "data-theme") == "dark"
    page.click("#theme")
    assert len(early) == pytest.approx(len(page.pdf(format="A4")), rel=0.01)
