"""How large a report is, and how soon a reader can use it in a real Chromium.

Generated collections of 10,000 and 200,000 documents with 8,000 terms, 50 topics, two iterations: what is measured is
the page, not the fit. Each page is opened anew, in a browser of its own; medians of milliseconds since the opening, as
the page's clock tells them after each answer: the map is painted, a circle of it has been clicked and its topic is
shown, a search is answered, and, after going to the charts at once, all of them are drawn. Run it with
``make bench-report``; it writes ``benchmarks/results/report.json``. The limits are those of 10,000 documents: 10 MB,
and two seconds to the first three.
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import partwise as pw
from partwise.report import write_report
from partwise.text import TopicModel, Weighting

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from browser.made import large_collection  # noqa: E402, the collection on which the tests hold the limits

COUNTS, TERMS, WORDS, TOPICS, OPENINGS = (10_000, 200_000), 8_000, 65, 50, 5
BYTES, MILLISECONDS = 10_000_000, 2000
STEPS = ("map", "pick", "search", "charts")
WATCH = """
const look = () => requestAnimationFrame(() => (document.querySelector("#map .disc[r]")
  ? requestAnimationFrame(() => { window.mapPainted = performance.now(); }) : look()));
look();
"""


def written(folder: Path, count: int) -> Path:
    """The report of a model of so many documents."""
    model = TopicModel(TOPICS, init="random", stop=pw.MaxIterations(2), weighting=Weighting(stop_words=None))
    return write_report(model.fit_collection(large_collection(count, TERMS, WORDS)), folder / f"{count}.html", runs=0)


def opened(playwright, path: Path) -> dict[str, float]:
    """Milliseconds to each answer, in a browser that has seen nothing yet."""
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    found = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    browser = playwright.chromium.launch(executable_path=found, args=root)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(WATCH)
    page.goto(path.as_uri(), wait_until="commit")
    times = {}
    page.locator("#map .bubble").nth(20).click()
    page.wait_for_function("document.getElementById('pick-20').checked")
    times["pick"] = page.evaluate("performance.now()")
    page.fill("#search", "aaaaword baaaword")
    page.wait_for_function("document.getElementById('first-head').textContent === 'Score'")
    times["search"] = page.evaluate("performance.now()")
    page.evaluate("document.querySelector('.chart').scrollIntoView({ behavior: 'instant' })")
    page.wait_for_selector("html[data-charts]", state="attached")
    times["charts"] = page.evaluate("performance.now()")
    times["map"] = page.evaluate("window.mapPainted")
    browser.close()
    return times


def measured(playwright, folder: Path, count: int) -> dict[str, object]:
    """The size of a page, and medians over its openings."""
    path = written(folder, count)
    all_times = [opened(playwright, path) for _ in range(OPENINGS)]
    medians = {f"{step}_ms": round(statistics.median(times[step] for times in all_times)) for step in STEPS}
    met = path.stat().st_size < BYTES and all(medians[f"{step}_ms"] < MILLISECONDS for step in STEPS[:3])
    return {"documents": count, "topics": TOPICS, "bytes": path.stat().st_size, **medians, "met": met}


def main() -> None:
    """Measure, print, write."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for count in COUNTS:
            row = measured(playwright, Path(folder), count)
            told = ", ".join(f"{step} {row[f'{step}_ms']:,} ms" for step in STEPS)
            print(f"{count:,} documents: {row['bytes']:,} bytes; {told}", flush=True)
            rows.append(row)
    found = {"cores": os.cpu_count(), "openings": OPENINGS, "bytes": BYTES, "milliseconds": MILLISECONDS, "rows": rows}
    (HERE / "results" / "report.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
