"""The results as text: a line for each run in the terminal, tables in Markdown for the pages."""

import textwrap
from collections.abc import Sequence
from typing import Any

from harness.targets import TARGETS, Results


def terminal_line(data: str, record: dict[str, Any]) -> str:
    """One run, in less than eighty columns."""
    head = f"{data:<10} {record['solver']:<22}"
    for trouble, words in (("over", "over {} s"), ("failed", "failed: {}")):
        if trouble in record:
            return f"{head} {words.format(record[trouble])}"
    if record["kind"] == "curve":
        last = record["rows"][-1]
        return f"{head} curve to {last['iterations']} iterations, error {last['error']:.5f}"
    kkt = "" if record["kkt"] is None else f" KKT {record['kkt']:.1e}"
    return f"{head} {record['seconds']:>8.3f} s error {record['error']:.5f}{kkt}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows])


def targets_table(results: Results) -> str:
    """What must be reached, with what was."""
    rows = []
    for target in TARGETS:
        outcome = target.measured(results)
        word = {True: "met", False: "**missed**", None: "not measured"}[outcome.met]
        rows.append([target.on, target.against, target.limit, outcome.figure, word, outcome.detail])
    return table(["on", "against", "asked", "measured", "", "from"], rows)


def terminal_targets(results: Results) -> str:
    """The same for eighty columns; those that were not measured are only counted."""
    lines, none = [], 0
    for target in TARGETS:
        outcome = target.measured(results)
        none += outcome.met is None
        if outcome.met is not None:
            word = "met   " if outcome.met else "MISSED"
            lines += [f"{word} {target.on}, against {target.against}:"]
            lines += [f"       {outcome.figure}, asked {target.limit}", f"       {outcome.detail}"]
    wrapped = [textwrap.fill(line, 79, subsequent_indent=" " * 7, initial_indent="") for line in lines]
    return "\n".join([*wrapped, f"{none} of {len(TARGETS)} targets not measured yet"])


def fits_table(result: dict[str, Any]) -> str:
    """Default against default on one data set, the quickest first."""
    rows = sorted(result["fits"].values(), key=lambda row: row["seconds"]["median"] if row.get("seconds") else 1e9)
    return table(
        ["solver", "seconds", "error", "above the best", "KKT", "iterations", "peak", "seeds", "measured"],
        [fit_cells(row, result["best_error"]) for row in rows],
    )


def fit_cells(row: dict[str, Any], best: float) -> list[str]:
    """One solver."""
    end = [str(row["seeds"]), row["dates"][-1]]
    if "over" in row:
        return [row["label"], f"over {row['over']:.0f}", "", "", "", "", "", *end]
    if "failed" in row:
        return [row["label"], "failed: " + row["failed"].replace("|", "\\|"), "", "", "", "", "", *end]
    seconds, error = row["seconds"], row["error"]
    wide = f" ({seconds['least']:.3g} – {seconds['most']:.3g})" if row["seeds"] > 1 else ""
    above = "" if row["kkt"] is None else f"{100 * (error['median'] / best - 1):.2f} %"
    kkt = "" if row["kkt"] is None else f"{row['kkt']['median']:.1e}"
    iterations = "" if row["iterations"] is None else f"{row['iterations']['median']:.0f}"
    peak = "" if row["peak_bytes"] is None else f"{row['peak_bytes']['median'] / 1e6:,.0f} MB"
    return [
        row["label"],
        f"{seconds['median']:.3g}{wide}",
        f"{error['median']:.5f}",
        above,
        kkt,
        iterations,
        peak,
        *end,
    ]


def curves_table(result: dict[str, Any]) -> str:
    """Seconds to within 0.1 % of the best error known, from the same start."""
    rows = []
    for row in result["curves"].values():
        label = row["label"] + (" (a start of its own)" if row["own_start"] else "")
        if not row["points"]:
            rows.append([label, "failed" if "failed" in row else "over the limit", "", "", str(row["seeds"])])
            continue
        pairs = zip(row["within"], row["last_seconds"], strict=True)
        within = ", ".join(f"not in {last:.3g}" if at is None else f"{at:.3g}" for at, last in pairs)
        last, kkt = row["points"][-1], "" if row["kkt"] is None else f"{row['kkt']:.1e}"
        ended = f"{last['error']:.5f} after {last['iterations']} in {last['seconds']:.3g} s"
        rows.append([label, within, ended, kkt, str(row["seeds"])])
    return table(["solver", "seconds, each seed", "last error", "last KKT", "seeds"], rows)
