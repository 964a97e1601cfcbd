"""Document text, titles, ids, terms and file names are data: they show as text and run nothing."""

from browser.examples import HOSTILE


def test_runs_nothing_and_shows_all(visit, hostile_page):
    """No script of the corpus runs, no element of it is made, and its texts can be read."""
    page = visit(hostile_page)
    for topic in range(2):
        page.locator(".picker label").nth(topic).click()
    page.click("#compare summary")
    assert page.evaluate("window.ran") is None
    assert page.locator("img, main script, b, svg[onload], [onerror]").count() == 0
    assert "<script>" in page.inner_text("h1")
    shown = page.inner_text("#documents")
    for bad in HOSTILE[:4]:
        assert bad in shown
    assert "🙂" in shown


def test_search_takes_anything(visit, hostile_page):
    """Typing the corpus into the box finds it, and runs nothing."""
    page = visit(hostile_page, charts=False)
    for bad in (*HOSTILE[:-1], "w" * 10**6, "((((", "\\", "plain"):
        page.eval_on_selector("#search", "(box, v) => { box.value = v; box.dispatchEvent(new Event('input')); }", bad)
    assert page.locator("#document-rows tr").count() > 0
    assert page.evaluate("window.ran") is None


def test_the_policy_stops_strangers(visit, hostile_page):
    """A script that came in all the same would not run, and nothing could be fetched."""
    page = visit(hostile_page, charts=False)
    page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);"
    )
    assert page.evaluate("window.ran") is None
    assert "Content Security Policy" in visit.troubles.pop()
    policy = page.get_attribute("meta[http-equiv]", "content")
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "unsafe-inline" not in policy.split("style-src")[0]
