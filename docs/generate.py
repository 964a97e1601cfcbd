"""Write the pages that follow from the tables; with ``--check`` only say whether they are out of date."""

import argparse
import inspect
import json
import sys
from pathlib import Path
from typing import Any

import benchmarks_page
import commands_page
import contributing_page
import design_page
import losses_page
import paper_page
import readme_page
import retrieval_page
import scale_page
import sklearn_page

import partwise as pw

HERE = Path(__file__).parent


def first_sentence(thing: object) -> str:
    """The first line of a docstring, as a table cell."""
    return (inspect.getdoc(thing) or "").split("\n")[0].replace("|", "\\|")


def settings(factory: object) -> str:
    """The parameters of a factory with their defaults."""
    parameters = inspect.signature(factory).parameters.values()  # type: ignore[arg-type]
    return ", ".join(f"`{p.name}={p.default}`" for p in parameters if p.default is not p.empty) or "none"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def algorithms_page() -> str:
    """docs/algorithms.md."""
    algorithms = [(f"`{name}`", first_sentence(factory), settings(factory)) for name, factory in pw.ALGORITHMS.items()]
    starts = [(f"`{name}`", first_sentence(factory), settings(factory)) for name, factory in pw.INITS.items()]
    rules = [(f"`{rule.__name__}`", first_sentence(rule), settings(rule)) for rule in pw.RULES.values()]
    losses = [
        (f"`{name}`", first_sentence(type(loss)), f"`{loss.default_algorithm}`") for name, loss in pw.LOSSES.items()
    ]
    penalties = [(f"`{kind.__name__}`", first_sentence(kind), settings(kind)) for kind in pw.PENALTIES.values()]
    return "\n\n".join(
        [
            "# What there is to choose from",
            "This page is written by `make docs` from the tables in the code.",
            "## Algorithms",
            table(("name", "what it does", "settings"), algorithms),
            "`partwise.extrapolated(algorithm)` adds safeguarded momentum to any of them, `partwise.frozen(algorithm, "
            "w=...)` holds some components as they are, `partwise.penalised(algorithm, w=...)` sets other penalties, "
            "`partwise.as_written(algorithm)` runs one of the paper's five as its box has it. λ may be "
            "`partwise.relative(share)`, a share of the data's own scale.",
            "## Losses",
            table(("name", "what is minimised", "algorithm where none is named"), losses),
            "## Penalties",
            table(("class", "what is added to the loss", "settings"), penalties),
            "## Starts",
            table(("name", "what it does", "settings"), starts),
            "A start may also be W itself (m × k), a pair (W, H), or an earlier result.",
            "## Stopping rules",
            table(("rule", "when it stops", "settings"), rules),
            "Rules combine: `a | b` stops when either does, `a & b` when both hold at once. "
            "`angular_stop()` is the paper's: the angle, every fifth iteration after a burn-in.",
        ]
    )


def result(name: str) -> dict[str, Any]:
    """What a benchmark wrote."""
    found: dict[str, Any] = json.loads((HERE.parent / "benchmarks" / "results" / f"{name}.json").read_text("utf-8"))
    return found


def iteration_part() -> str:
    """What an iteration costs."""
    measured = result("iteration")
    rows = [
        (
            r["method"],
            str(r["rank"]),
            r["dtype"],
            f"{r['iteration_ms']:.1f} ms",
            f"{r['two_products_ms']:.1f} ms",
            f"{r['ratio']:.2f}",
            f"{r['own_ratio']:.2f}",
            "" if r["limit"] is None else f"{r['limit']}: {'met' if r['own_ratio'] <= r['limit'] else 'missed'}",
        )
        for r in measured["rows"]
    ]
    head = ("method", "k", "precision", "iteration", "two plain products", "ratio", "to its own products", "at most")
    seconds = measured["import_seconds"]
    verdict = "met" if seconds <= 0.6 else "**missed**"
    return table(head, rows) + f"\n\n`import partwise` takes {seconds:.2f} s (at most 0.6: {verdict})."


def restarts_part() -> str:
    """The race."""
    found = result("restarts")
    rows = [
        (
            r["data"],
            r["algorithm"],
            f"{r['race_in_runs']:.1f} runs",
            f"{r['all_in_runs']:.1f} runs",
            f"{r['race_above_best_percent']:.4f} %",
            f"{r['worst_above_best_percent']:.3f} %",
        )
        for r in found["rows"]
    ]
    return table(("data", "algorithm", "race", "all to the end", "race above the best", "worst start above"), rows)


def ranks_part() -> str:
    """The recommended rank on planted data."""
    rows = [
        (f"{r['noise']:.0%}", f"{r['exact']} of {r['of']}", f"{r['near']} of {r['of']}", str(r["missed"] or "none"))
        for r in result("ranks")["rows"]
    ]
    return table(("noise", "planted rank", "planted or next", "missed (planted: recommended)"), rows)


def held_out_part() -> str:
    """The rank by held-out entries on planted data."""
    rows = [
        (
            r["data"],
            f"{r['exact']} of {r['of']}",
            f"{r['near']} of {r['of']}",
            f"{r['cpu_seconds']:.0f} s",
            "met" if r["met"] else "**missed**",
        )
        for r in result("ranks-held-out")["rows"]
    ]
    return table(("data", "planted rank", "planted or next", "processor time", "9 of 10"), rows)


def pipeline_part() -> str:
    """Where the time goes."""
    rows = [
        (
            str(r["rank"]),
            f"{r['terms']:,} × {r['documents']:,}",
            *(f"{r[f'{part}_seconds']:.2f} s" for part in ("read", "factor", "save")),
            f"{r['factor_share']:.1%}",
            "met" if r["met"] else "**missed**",
        )
        for r in result("pipeline")["rows"]
    ]
    head = ("k", "terms × documents", "read and tokenise", "factor", "save", "factor's share", "under a third")
    return table(head, rows)


def words_part() -> str:
    """Texts to a matrix and to a model, beside scikit-learn."""
    content = result("words")
    floors = content["floors"]
    rows = [
        (
            r["name"],
            f"{r['megabytes']:.1f} MB" if "megabytes" in r else f"{r['documents']:,} articles, k = {r['rank']}",
            f"{r['seconds']:.2f} s",
            f"{r['sklearn_seconds']:.2f} s",
            f"{r['ratio']:.1f} ×",
            f"{r['sklearn_processor_seconds'] / r['processor_seconds']:.1f} ×",
            f"{floors['matrix' if 'megabytes' in r else 'model']:.0f} ×: {'met' if r['met'] else '**missed**'}",
        )
        for r in (*content["matrices"], content["model"])
    ]
    head = ("texts", "size", "partwise", "scikit-learn", "ratio", "of processor time", "at least")
    scripts = next(r["scripts"] for r in content["matrices"] if "scripts" in r)
    said = f"The mixed scripts: {scripts}. Load average of the machine, of two cores: {content['load']}."
    return table(head, rows) + "\n\n" + said


def report_part() -> str:
    """The report in a browser."""
    rows = [
        (
            f"{r['documents']:,}",
            f"{r['bytes'] / 1e6:.1f} MB",
            *(f"{r[f'{step}_ms'] / 1000:.2f} s" for step in ("map", "pick", "search", "work", "charts")),
        )
        for r in result("report")["rows"]
    ]
    met, load = "met" if result("report")["rows"][0]["met"] else "**missed**", result("report")["load"][0]
    head = ("documents", "file", "map painted", "topic picked", "search answered", "worked till then", "charts drawn")
    said = f"10,000 documents, at most 10 MB and 2 s to the first three: {met}. Load average of the machine: {load}."
    return table(head, rows) + "\n\n" + said


def measured_page() -> str:
    """docs/measured.md."""
    return "\n\n".join(
        [
            "# Measured",
            "This page is written by `make docs` from `benchmarks/results/`, which the commands named here write.",
            "## What an iteration costs",
            "`make bench-iteration`: Reuters-21578 tf-idf, 17,977 terms × 19,043 documents, 994,252 nonzeros, two "
            "cores; medians of alternating repeats in one run.",
            iteration_part(),
            "## The starts",
            "The paper's table 2 for every start is in [its page](paper/initializations/README.md).",
            "## A hundred restarts",
            "`make bench-restarts`: 100 random starts of 50 iterations, k = 10, in units of one run; the aim is at "
            "most 30 runs and at most 0.01 % above the best of all.",
            restarts_part(),
            "## The recommended rank",
            "`make bench-ranks`: planted parts, ranks 3 to 20, surveyed from 2 to 24, noise as a part of the norm.",
            ranks_part(),
            "By held-out entries, at low noise (80 × 60, ranks 3 to 20, surveyed from 2 to 23, three folds): normal "
            "noise of 5 %, Poisson counts of 20 an entry, and the first with a tenth of its entries unknown.",
            held_out_part(),
            "## From a file to a saved model",
            "`make bench-pipeline`: 20,000 articles of Reuters-21578 in a CSV file, read, weighed, factored and saved "
            "on two cores; the factorisation should take under a third of the whole.",
            pipeline_part(),
            "## Words",
            "`make bench-words`: texts to a weighted matrix on two cores, beside scikit-learn's TfidfVectorizer, with "
            "its own pattern and stop words, where the two matrices are equal, and with the default words; and "
            "`partwise topics` from a CSV file to a saved model beside a script of scikit-learn's, whole processes "
            "with warm caches.",
            words_part(),
            "## The report",
            "`make bench-report`: generated documents of 8,000 terms, 50 topics, opened in a fresh Chromium on two "
            "cores by a reader who does the next thing as soon as the last is painted; medians of five, in seconds "
            "since the opening. What the page's thread worked till the search was answered is processor time. Of "
            "200,000 documents the page holds 20,000, and says so.",
            report_part(),
        ]
    )


def retrieval() -> str:
    """docs/retrieval.md."""
    return retrieval_page.page(result("retrieval"), result("search_time"), table)


def losses() -> str:
    """docs/losses.md."""
    results = HERE.parent / "benchmarks" / "results"
    more = [result(name) if (results / f"{name}.json").exists() else None for name in ("ranks-held-out", "unknown")]
    return losses_page.page(result("losses"), *more, table)


def scale() -> str:
    """docs/scale.md, of which only the measured part is written here."""
    return scale_page.page(result("disk"), table)


def from_sklearn() -> str:
    """docs/coming-from-scikit-learn.md."""
    return sklearn_page.page(result("sklearn-tests"), result("minibatch"), table)


def design() -> str:
    """docs/design.md, of which only the table of rooms is written here."""
    return design_page.page(table)


def commands() -> str:
    """docs/command-line.md."""
    return commands_page.page(table)


def readme() -> str:
    """README.md, of which only the measured part is written here."""
    return readme_page.page(table)


PAGES = {
    "algorithms.md": algorithms_page,
    "design.md": design,
    "measured.md": measured_page,
    "losses.md": losses,
    "retrieval.md": retrieval,
    "scale.md": scale,
    "coming-from-scikit-learn.md": from_sklearn,
    "command-line.md": commands,
    "paper.md": paper_page.page,
    "benchmarks.md": benchmarks_page.page,
    "../CONTRIBUTING.md": contributing_page.page,
    "../README.md": readme,
}


def main() -> int:
    """Write or check every page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when a page is not what it would be")
    check = parser.parse_args().check
    old = 0
    for name, make in PAGES.items():
        path, text = HERE / name, make() + "\n"
        if check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            sys.stderr.write(f"docs/{name} is out of date; run make docs.\n")
            old = 1
        elif not check:
            path.write_text(text, encoding="utf-8")
    return old


if __name__ == "__main__":
    sys.exit(main())
