"""How large a report is, and how soon a reader can use it in a real Chromium.

Generated collections of 10,000 and 200,000 documents with 8,000 terms, 50 topics, two iterations: what is measured is
the page, not the fit. Each page is opened in a browser of its own by a reader who does the next thing as soon as the
last one is painted: wait for the map, click a circle of it, search, go to the charts. Medians of milliseconds since the
opening, by the page's clock, and of what the page's thread worked until the search was answered, by the processor's,
which tells on a crowded machine what is the page's own. Run it with ``make bench-report``; it writes
``benchmarks/results/report.json``. The limits, for 10,000 documents: 12 MB, and two seconds for the first three.
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

from browser.examples import large_collection  # noqa: E402, the collection on which the tests hold the limits

COUNTS, TERMS, WORDS, TOPICS, OPENINGS = (10_000, 200_000), 8_000, 65, 50, 5
BYTES, MILLISECONDS = 12_000_000, 2000
STEPS = ("map", "pick", "search", "charts")
READER = """
const frame = () => new Promise(requestAnimationFrame);
const root = () => (document.documentElement || { dataset: {} }).dataset;
const painted = async (ready) => {
  while (!ready()) await frame();
  await frame();
  await frame();
  return performance.now();
};
window.times = {};
window.reader = (async () => {
  const by = (id) => document.getElementById(id);
  window.times.map = await painted(() => root().ready && document.querySelector("#map .disc[r]"));
  document.querySelectorAll("#map .bubble")[20].dispatchEvent(new MouseEvent("click", { bubbles: true }));
  window.times.pick = await painted(() => by("pick-20").checked);
  by("search").value = "aaaaword baaaword";
  by("search").dispatchEvent(new Event("input"));
  window.times.search = await painted(() => by("first-head").textContent === "Score");
})();
window.toCharts = async () => {
  document.querySelector(".chart").scrollIntoView({ behavior: "instant" });
  window.times.charts = await painted(() => root().charts);
};
"""


def written(folder: Path, count: int) -> Path:
    """The report of a model of so many documents."""
    model = TopicModel(TOPICS, init="random", stop=pw.MaxIterations(2), weighting=Weighting(stop_words=None))
    return write_report(model.fit_collection(large_collection(count, TERMS, WORDS)), folder / f"{count}.html", runs=0)


def opened(playwright, path: Path) -> dict[str, float]:
    """Milliseconds to each answer, in a browser that has seen nothing yet."""
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    executable = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    browser = playwright.chromium.launch(executable_path=executable, args=root)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(READER)
    inside = page.context.new_cdp_session(page)
    inside.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(path.as_uri(), wait_until="commit")
    page.evaluate("window.reader")
    metrics = inside.send("Performance.getMetrics")["metrics"]
    page.evaluate("window.toCharts()")
    times = page.evaluate("window.times")
    browser.close()
    return times | {"work": 1000 * next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")}


def measured(playwright, folder: Path, count: int) -> dict[str, object]:
    """The size of a page, and medians over its openings."""
    path = written(folder, count)
    all_times = [opened(playwright, path) for _ in range(OPENINGS)]
    medians = {f"{step}_ms": round(statistics.median(times[step] for times in all_times)) for step in (*STEPS, "work")}
    met = path.stat().st_size < BYTES and all(medians[f"{step}_ms"] < MILLISECONDS for step in STEPS[:3])
    return {"documents": count, "topics": TOPICS, "bytes": path.stat().st_size, **medians, "met": met}


def main() -> None:
    """Measure, print, write."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for count in COUNTS:
            row = measured(playwright, Path(folder), count)
            times = ", ".join(f"{step} {row[f'{step}_ms']:,} ms" for step in (*STEPS, "work"))
            print(f"{count:,} documents: {row['bytes']:,} bytes; {times}", flush=True)
            rows.append(row)
    load = [round(value, 1) for value in os.getloadavg()]
    content = {
        "cores": os.cpu_count(),
        "load": load,
        "openings": OPENINGS,
        "bytes": BYTES,
        "milliseconds": MILLISECONDS,
        "rows": rows,
    }
    (HERE / "results" / "report.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
