"""Verdicts on each pro and con of the paper's table 1, from the rows of table 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from partwise.experiments.types import Claim, judge

CHEAP = 2.0
"""How many ACLS iterations a cheap start may take."""
SLIGHT = 0.5
"""A start that needs more than this share of random's iterations saves only slightly."""


def iterations_saved(rows: Mapping[str, Mapping[str, Any]], name: str) -> float:
    """The share of random's ten iterations that ACLS needs from a start to be as near as random is after ten."""
    goal = rows["random"]["path"][10]
    path = rows[name]["path"]
    needed = next((i for i, error in enumerate(path) if error <= goal), len(path))
    return needed / 10


def table_one(found: Sequence[Mapping[str, Any]], svd_seconds: float) -> list[Claim]:
    """One claim for the pros and one for the cons of every start."""
    rows = {row["init"]: row for row in found}
    share = {name: iterations_saved(rows, name) for name in rows}
    cycle = {name: row["acls"][1] / 10 for name, row in rows.items()}
    cost = {name: row["seconds"] / cycle[name] for name, row in rows.items()}

    def claim(says: str, checks: Sequence[bool], numbers: str) -> Claim:
        return Claim(says, judge(checks), numbers, "table 1")

    def costs(name: str) -> str:
        return f"W⁽⁰⁾ takes {rows[name]['seconds']:.3g} s, {cost[name]:.1f} ACLS iterations"

    def saves(name: str) -> str:
        return f"ACLS is where random is after 10 iterations after {10 * share[name]:.0f}"

    def near(name: str) -> str:
        return f"mean cosine with the best topics found {rows[name]['cosine']:.2f}"

    dense = rows["random"]["kilobytes"]
    return [
        claim("Random: easy, cheap to compute", [cost["random"] < CHEAP], costs("random") + "."),
        claim(
            "Random: dense matrices, no intuitive basis",
            [rows["random"]["zeros"] == 0, rows["random"]["cosine"] == min(row["cosine"] for row in rows.values())],
            f"{rows['random']['zeros']:.0%} zeros, {dense:.0f} kB; {near('random')}, the others "
            f"{min(r['cosine'] for n, r in rows.items() if n != 'random'):.2f} and more.",
        ),
        claim(
            "Centroid: reduces # NMF iterations, firm, intuitive foundation",
            [share["centroid"] < SLIGHT, rows["centroid"]["cosine"] > rows["random"]["cosine"] + 0.2],
            f"{saves('centroid')}; {near('centroid')}.",
        ),
        claim(
            "Centroid: expensive, must run clustering algorithm on cols of A",
            [cost["centroid"] > 10, rows["centroid"]["seconds"] > 10 * rows["random-acol"]["seconds"]],
            f"{costs('centroid')}, {rows['centroid']['seconds'] / rows['random-acol']['seconds']:.0f} times random-acol.",
        ),
        claim(
            "SVD-Centroid: inexpensive, reduces # NMF iterations",
            [rows["svd-centroid"]["seconds"] < rows["centroid"]["seconds"], share["svd-centroid"] < SLIGHT],
            f"{costs('svd-centroid')} with V at hand, centroid {rows['centroid']['seconds']:.3g} s; "
            f"{saves('svd-centroid')}; {near('svd-centroid')}.",
        ),
        claim(
            "SVD-Centroid: SVD factor V must be available",
            [svd_seconds > rows["svd-centroid"]["seconds"]],
            f"The SVD takes {svd_seconds:.3g} s when it is not, {svd_seconds / cycle['svd-centroid']:.0f} ACLS iterations.",
        ),
        claim(
            "Random Acol: cheap, sparse matrices built from original data",
            [cost["random-acol"] < CHEAP, rows["random-acol"]["kilobytes"] < 0.5 * dense],
            f"{costs('random-acol')}; {rows['random-acol']['kilobytes']:.0f} kB, {rows['random-acol']['zeros']:.0%} zeros.",
        ),
        claim(
            "Random Acol: only slight decrease in number of NMF iterations",
            [SLIGHT <= share["random-acol"] < 1],
            saves("random-acol") + ".",
        ),
        claim(
            "Random C: cheap, sparse",
            [cost["random-c"] < CHEAP, rows["random-c"]["kilobytes"] < 0.5 * dense],
            f"{costs('random-c')}; {rows['random-c']['kilobytes']:.0f} kB, {rows['random-c']['zeros']:.0%} zeros.",
        ),
        claim(
            "Random C: not very effective",
            [share["random-c"] >= SLIGHT, rows["random-c"]["error"][1] >= rows["random-acol"]["error"][1]],
            f"{saves('random-c')}; Error(10) {rows['random-c']['error'][1]:.3f} %, random-acol "
            f"{rows['random-acol']['error'][1]:.3f} %.",
        ),
        claim(
            "Co-occurrence: uses term-term similarities",
            [rows["co-occurrence"]["cosine"] > rows["random"]["cosine"] + 0.2],
            f"Its columns are those of C = AAᵀ; {near('co-occurrence')}, random {rows['random']['cosine']:.2f}.",
        ),
        claim(
            "Co-occurrence: large, dense co-occurrence matrix, very expensive computation",
            [cost["co-occurrence"] > 100, rows["co-occurrence"]["seconds"] == max(r["seconds"] for r in rows.values())],
            f"{costs('co-occurrence')}, since C = AAᵀ is never formed here (the paper: 3,287 s).",
        ),
    ]
