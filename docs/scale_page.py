"""The measured part of docs/scale.md, between its two marks, from ``benchmarks/results/disk.json``."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BEGIN, END = "<!-- disk: written by make docs -->", "<!-- disk: end -->"
Table = Callable[[tuple[str, ...], list[tuple[str, ...]]], str]


def page(found: dict[str, Any], table: Table) -> str:
    """docs/scale.md with the numbers as they are now; the rest of it is written by hand."""
    text = (HERE / "scale.md").read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{measured(found, table)}\n\n{END}{after}".rstrip("\n")


def measured(found: dict[str, Any], table: Table) -> str:
    """What was asked, what was measured, and whether it was met."""
    parts = found["parts"]
    rows = [row for name, tell in ROWS.items() if name in parts for row in [(*tell(parts[name]), met(parts[name]))]]
    said = (
        f"`make bench-disk` ({found['cores']} cores, {found['cpu']}; generated text of long documents, "
        f"{found['words']:,} words, about 1,000 different ones in a document, rank {found['rank']}; "
        "`benchmarks/results/disk.json`)."
    )
    pieces = [said, table(("what", "measured", "at most", ""), rows)]
    return "\n\n".join([*pieces, *sizes(parts.get("scaling"), table)])


def met(part: dict[str, Any]) -> str:
    """Whether the limit was kept."""
    return "met" if part["met"] else "**missed**"


def memory(part: dict[str, Any]) -> Sequence[str]:
    """The peak beside the limit."""
    what = (
        f"peak resident memory (VmHWM): {part['bytes_on_disk'] / 1e9:.2f} GB on disk, {part['nnz']:,} nonzeros, "
        f'{part["documents"]:,} documents, {part["dtype"]}, `{part["algorithm"]}`, `memory_limit="1 GB"` '
        f"(`plan` said {part['planned_bytes'] / 1e6:.0f} MB)"
    )
    return what, f"{part['peak_bytes'] / 1e6:.0f} MB", "1,000 MB"


def twin(part: dict[str, Any]) -> Sequence[str]:
    """The largest difference of two factors."""
    names = ", ".join(f"{name} {gap:.0e}" for name, gap in part["algorithms"].items())
    what = f"factors after {part['iterations']} iterations, disk against memory, {part['nnz']:,} nonzeros, float64"
    return what, names, "1e-06"


def warm(part: dict[str, Any]) -> Sequence[str]:
    """Two iterations beside each other."""
    ratios = "; ".join(
        f"{name} {row['ratio']:.2f} ({row['memory_seconds']:.2f} s, {row['disk_seconds']:.2f} s)"
        for name, row in part["algorithms"].items()
    )
    return "an iteration on disk with a warm page cache, in iterations in memory, same matrix, medians", ratios, "1.6"


def scaling(part: dict[str, Any]) -> Sequence[str]:
    """The dearest nonzero against the cheapest."""
    first, last = part["rows"][0], part["rows"][-1]
    what = f"cost of a nonzero, {first['nnz']:,} to {last['nnz']:,} nonzeros on disk, dearest against cheapest"
    return what, f"{part['value']:.2f}", "1.4"


ROWS = {"memory": memory, "twin": twin, "warm": warm, "scaling": scaling}


def sizes(part: dict[str, Any] | None, table: Table) -> list[str]:
    """The cost by size."""
    if part is None:
        return []
    rows = [
        (
            f"{row['nnz']:,}",
            f"{row['documents']:,}",
            f"{row['bytes_on_disk'] / 1e9:.2f} GB",
            f"{row['iteration_seconds']:.2f} s",
            f"{row['ns_per_nonzero']:.1f} ns",
        )
        for row in part["rows"]
    ]
    said = (
        f"More and more documents of the same kind, the words and the rank the same (`{part['algorithm']}`, float32, "
        "warm page cache, medians of turns):"
    )
    return [said, table(("nonzeros", "documents", "on disk", "iteration", "a nonzero"), rows)]
