"""The part of docs/benchmarks.md on default against default, from benchmarks/results/defaults.json."""

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from defaults import ABOVE, ENTRIES, EQUAL, FLOORS, RESULT, USUAL_FLOOR  # noqa: E402, it stands beside the benchmarks
from harness import report  # noqa: E402

EARLY = 1e-3
"""How much higher scikit-learn's error is where it stops early."""
INTRO = """## Default against default

`make bench-defaults`: `partwise.NMF(k)` beside `sklearn.decomposition.NMF(k)`, both as they come, by turns in one \
process for each data set; medians over the seeds. "Above" is our error over theirs, less 1: up to 0.0001 % counts as \
equal, and errors that are both below 0.001 are not compared. Start, momentum and stop were chosen on the data sets \
marked "tuning"; those marked "judging" were written down before and first measured when the choice was made, and \
nothing was changed after. BLAS has one thread: on a busy machine more of them cost scikit-learn up to ten times the \
processor time. Where a pair of fits takes up to 2 s the time until our error is down to theirs is given too. \
"Load" is the load average of this two-core machine: above 1 the clock says less than the processor time."""


def part() -> list[str]:
    """The headings and tables, nothing where nothing was measured."""
    if not RESULT.exists():
        return []
    rows = json.loads(RESULT.read_text(encoding="utf-8"))["rows"]
    rows = sorted(rows, key=lambda row: (row["judging"], row["data"], row["rank"]))
    head = [
        "data",
        "k",
        "",
        "above",
        "partwise",
        "scikit-learn",
        "faster",
        "of processor time",
        "to their error",
        "KKT",
    ]
    head += ["seeds", "load"]
    return [INTRO, *counts(rows), report.table(head, [line(row) for row in rows])]


def counts(rows: list[dict[str, Any]]) -> list[str]:
    """Met or missed, for the judging data and for all."""
    lines = []
    for name, some in (("judging", [row for row in rows if row["judging"]]), ("all", rows)):
        if some:
            good, most = sum(row["above"] <= EQUAL for row in some), max(row["above"] for row in some)
            share = "met" if good >= 0.9 * len(some) else "**missed**"
            bound = "met" if most <= ABOVE else "**missed**"
            lines.append(
                f"- {name} data: error at most scikit-learn's in {good} of {len(some)} (9 of 10: {share}); at most "
                f"{max(0.0, 100 * most):.3f} % above (0.02 %: {bound})."
            )
    slow = [row for row in rows if row["ratio"] < floor(row)]
    named = ", ".join(f"{row['data']} k = {row['rank']} {row['ratio']:.1f} × of {floor(row):g} ×" for row in slow)
    lines.append(f"- time: {'all floors met' if not slow else '**missed**: ' + named}.")
    early = [row for row in slow if row["above"] < -EARLY and row.get("seconds_to")]
    if early:
        faster = sorted(row["sklearn"]["seconds"] / row["seconds_to"] for row in early)
        lines.append(
            f"- in {len(early)} of these {len(slow)} scikit-learn stops at an error that is more than "
            f"{100 * EARLY:g} % higher; ours is down to that error {faster[0]:.1f} to {faster[-1]:.1f} times as fast, "
            f"in the median {faster[len(faster) // 2]:.1f} times."
        )
    small = [row for row in rows if "seconds_to" in row and row["entries"] <= ENTRIES]
    soon = sum(row["seconds_to"] is not None and row["seconds_to"] <= row["sklearn"]["seconds"] for row in small)
    verdict = "met" if soon == len(small) else "**missed**"
    lines.append(f"- small data: down to their error within their time in {soon} of {len(small)} (all: {verdict}).")
    return ["\n".join(lines)]


def floor(row: dict[str, Any]) -> float:
    """How many times faster the default is to be."""
    usual = USUAL_FLOOR if row["entries"] > ENTRIES else 0.0
    return FLOORS.get((row["data"], row["rank"]), usual)


def line(row: dict[str, Any]) -> list[str]:
    """One row of the table."""
    ours, theirs, to = row["partwise"], row["sklearn"], row.get("seconds_to", "")
    return [
        row["data"],
        str(row["rank"]),
        "judging" if row["judging"] else "tuning",
        f"{100 * row['above']:+.4f} %",
        f"{ours['seconds']:.3g} s",
        f"{theirs['seconds']:.3g} s",
        f"{row['ratio']:.1f} ×",
        "" if row["processor_ratio"] is None else f"{row['processor_ratio']:.1f} ×",
        "not reached" if to is None else to if isinstance(to, str) else f"{to:.3g} s",
        f"{ours['kkt']:.0e} / {theirs['kkt']:.0e}",
        str(row["seeds"]),
        f"{row['load']:g}",
    ]
