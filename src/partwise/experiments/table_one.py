"""Verdicts on each pro and con of the paper's table 1, from the rows of table 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from partwise.experiments.experiment import Claim, Record, Wording, judge

Finding = tuple[str, list[bool], str]
CHEAP = 2.0
"""How many ACLS iterations a cheap start may take."""
SLIGHT = 0.5
"""A start that needs more than this share of random's iterations saves only slightly."""


def iterations_saved(rows: Mapping[str, Record], name: str) -> float:
    """Iterations from this start until the error of ten iterations from random is reached, over ten."""
    goal = rows["random"]["path"][10]
    path = rows[name]["path"]
    needed = next((i for i, error in enumerate(path) if error <= goal), len(path))
    return needed / 10


@dataclass(frozen=True)
class Starts:
    """The rows of table 2 by start, with what each costs and saves."""

    rows: Mapping[str, Record]

    def cost(self, name: str) -> float:
        """The seconds of W⁽⁰⁾ in ACLS iterations."""
        return float(self.rows[name]["seconds"]) / self.cycle(name)

    def cycle(self, name: str) -> float:
        """The seconds of an ACLS iteration."""
        return max(float(self.rows[name]["acls"][1]), 1e-9) / 10

    def share(self, name: str) -> float:
        """The share of random's ten iterations that is needed from this start."""
        return iterations_saved(self.rows, name)

    def costs(self, name: str) -> str:
        """Seconds and iterations in words."""
        return f"W⁽⁰⁾ takes {self.rows[name]['seconds']:.3g} s, {self.cost(name):.1f} ACLS iterations"

    def saves(self, name: str) -> str:
        """Iterations in words."""
        return f"ACLS is where random is after 10 iterations after {10 * self.share(name):.0f}"

    def near(self, name: str) -> str:
        """Nearness to the best topics in words."""
        return f"mean cosine with the best topics found {self.rows[name]['cosine']:.2f}"

    def size(self, name: str) -> str:
        """Storage in words."""
        return f"{self.rows[name]['kilobytes']:.0f} kB, {self.rows[name]['zeros']:.0%} zeros"


def table_one(rows: Sequence[Record], svd_seconds: float) -> list[Claim]:
    """One claim for the pros and one for the cons of every start."""
    starts = Starts({row["init"]: row for row in rows})
    findings = [*_existing(starts), *_centroid_of_v(starts, svd_seconds), *_columns(starts), *_co_occurrence(starts)]
    return [Claim(says, judge(checks), numbers, "table 1", Wording.CELL) for says, checks, numbers in findings]


def _existing(starts: Starts) -> list[Finding]:
    rows = starts.rows
    others = min(row["cosine"] for name, row in rows.items() if name != "random")
    more = rows["centroid"]["seconds"] / rows["random-acol"]["seconds"]
    return [
        ("Random: easy, cheap to compute", [starts.cost("random") < CHEAP], starts.costs("random") + "."),
        (
            "Random: dense matrices, no intuitive basis",
            [rows["random"]["zeros"] == 0, rows["random"]["cosine"] <= others],
            f"{starts.size('random')}; {starts.near('random')}, the others {others:.2f} and more.",
        ),
        (
            "Centroid: reduces # NMF iterations, firm, intuitive foundation",
            [starts.share("centroid") < SLIGHT, rows["centroid"]["cosine"] > rows["random"]["cosine"] + 0.2],
            f"{starts.saves('centroid')}; {starts.near('centroid')}.",
        ),
        (
            "Centroid: expensive, must run clustering algorithm on cols of A",
            [starts.cost("centroid") > 10, more > 10],
            f"{starts.costs('centroid')}, {more:.0f} times random-acol.",
        ),
    ]


def _centroid_of_v(starts: Starts, svd_seconds: float) -> list[Finding]:
    name, rows = "svd-centroid", starts.rows
    return [
        (
            "SVD-Centroid: inexpensive, reduces # NMF iterations",
            [rows[name]["seconds"] < rows["centroid"]["seconds"], starts.share(name) < SLIGHT],
            f"{starts.costs(name)} with V at hand, centroid {rows['centroid']['seconds']:.3g} s; "
            f"{starts.saves(name)}; {starts.near(name)}.",
        ),
        (
            "SVD-Centroid: SVD factor V must be available",
            [svd_seconds > rows[name]["seconds"]],
            f"The SVD takes {svd_seconds:.3g} s if it is not, {svd_seconds / starts.cycle(name):.0f} ACLS iterations.",
        ),
    ]


def _columns(starts: Starts) -> list[Finding]:
    rows, dense = starts.rows, starts.rows["random"]["kilobytes"]
    ten = {name: rows[name]["error"][1] for name in ("random-acol", "random-c")}
    return [
        (
            "Random Acol: cheap, sparse matrices built from original data",
            [starts.cost("random-acol") < CHEAP, rows["random-acol"]["kilobytes"] < 0.5 * dense],
            f"{starts.costs('random-acol')}; {starts.size('random-acol')}.",
        ),
        (
            "Random Acol: only slight decrease in number of NMF iterations",
            [SLIGHT <= starts.share("random-acol") < 1],
            starts.saves("random-acol") + ".",
        ),
        (
            "Random C: cheap, sparse",
            [starts.cost("random-c") < CHEAP, rows["random-c"]["kilobytes"] < 0.5 * dense],
            f"{starts.costs('random-c')}; {starts.size('random-c')}.",
        ),
        (
            "Random C: not very effective",
            [starts.share("random-c") >= SLIGHT, ten["random-c"] >= ten["random-acol"]],
            f"{starts.saves('random-c')}; Error(10) {ten['random-c']:.3f} %, random-acol {ten['random-acol']:.3f} %.",
        ),
    ]


def _co_occurrence(starts: Starts) -> list[Finding]:
    name, rows = "co-occurrence", starts.rows
    slowest = max(row["seconds"] for row in rows.values())
    return [
        (
            "Co-occurrence: uses term-term similarities",
            [rows[name]["cosine"] > rows["random"]["cosine"] + 0.2],
            f"Its columns are those of C = AAᵀ; {starts.near(name)}, random {rows['random']['cosine']:.2f}.",
        ),
        (
            "Co-occurrence: large, dense co-occurrence matrix, very expensive computation",
            [starts.cost(name) > 100, starts.cost(name) > 100 and rows[name]["seconds"] == slowest],
            f"{starts.costs(name)}, since C = AAᵀ is never formed here (the paper: 3,287 s).",
        ),
    ]
