"""Write the pages that follow from the tables; with ``--check`` only say whether they are out of date."""

import argparse
import inspect
import sys
from pathlib import Path

import partwise as pw
from partwise import stopping

HERE = Path(__file__).parent


def first_sentence(thing: object) -> str:
    """The first line of a docstring, as a table cell."""
    return (inspect.getdoc(thing) or "").split("\n")[0].replace("|", "\\|")


def settings(factory: object) -> str:
    """The parameters of a factory with their defaults."""
    found = inspect.signature(factory).parameters.values()  # type: ignore[arg-type]
    return ", ".join(f"`{p.name}={p.default}`" for p in found if p.default is not p.empty) or "none"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def algorithms_page() -> str:
    """docs/algorithms.md."""
    algorithms = [(f"`{name}`", first_sentence(made), settings(made)) for name, made in pw.ALGORITHMS.items()]
    starts = [(f"`{name}`", first_sentence(made), settings(made)) for name, made in pw.INITS.items()]
    rules = [
        (f"`{rule.__name__}`", first_sentence(rule), settings(rule))
        for rule in (
            stopping.MaxIterations,
            stopping.TimeLimit,
            stopping.Frobenius,
            stopping.Angle,
            stopping.Stationarity,
            stopping.AnyOf,
            stopping.AllOf,
        )
    ]
    return "\n\n".join(
        [
            "# What there is to choose from",
            "This page is written by `make docs` from the tables in the code.",
            "## Algorithms",
            table(("name", "what it does", "settings"), algorithms),
            "`partwise.extrapolated(algorithm)` adds safeguarded momentum to any of them.",
            "## Starts",
            table(("name", "what it does", "settings"), starts),
            "A start may also be W itself (m × k), a pair (W, H), or an earlier result.",
            "## Stopping rules",
            table(("rule", "when it stops", "settings"), rules),
            "Rules combine: `a | b` stops when either does, `a & b` when both hold at once.",
        ]
    )


PAGES = {"algorithms.md": algorithms_page}


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
