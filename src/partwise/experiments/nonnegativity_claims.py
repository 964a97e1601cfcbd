"""Verdicts on clipping, NNLS and their alternatives, from the runs and the half-steps of each way."""

from __future__ import annotations

from typing import TypeAlias

from partwise.experiments.experiment import Claim, Record, judge

COLLECTIONS = ("medlars", "cisi")
CLIPPED, FAST_NNLS, PIVOTING, NNLS, LOG = (
    "clipped",
    "NNLS, Bro–de Jong",
    "NNLS, pivoting",
    "NNLS, Lawson–Hanson",
    "barrier",
)
SERIAL, SOLVE, PRODUCT = "column by column", "one matrix solve", "WᵀA"
Rows: TypeAlias = dict[tuple[str, str], Record]
"""(collection, way) -> what was measured."""


def verdicts(series: Record) -> tuple[Claim, ...]:
    """From the runs and the half-steps."""
    rows = {(row["data"], row["way"]): row for row in series["rows"]}
    return (*_solver_claims(series["costs"]), *_clipping_claims(rows), *_alternatives(rows, series["programs"]))


def _solver_claims(costs: Record) -> list[Claim]:
    """One solve against many, and NNLS against the product with A."""
    serial = {n: c[SERIAL] / c[SOLVE] for n, c in costs.items()}
    share = {n: c[FAST_NNLS] / (c[FAST_NNLS] + c[PRODUCT]) for n, c in costs.items()}
    gain = {n: c[NNLS] / c[FAST_NNLS] for n, c in costs.items()}
    pivoting = {n: c[FAST_NNLS] / c[PIVOTING] for n, c in costs.items()}
    return [
        Claim(
            "The speed improvement results from our use of one matrix system rather than serial vector systems to "
            "solve the CLS step",
            judge(ratio > 2 for ratio in serial.values()),
            "Column by column the solves take "
            + ", ".join(f"{ratio:.0f} times the one solve ({n})" for n, ratio in serial.items())
            + ".",
            "3.4",
        ),
        Claim(
            "the NNLS algorithm is very slow, as it is an ‘active set’ method",
            judge(c[NNLS] > 10 * c[CLIPPED] for c in costs.values()),
            "Lawson and Hanson's NNLS takes "
            + ", ".join(f"{c[NNLS] / c[CLIPPED]:,.0f} times a clipped half-step ({n})" for n, c in costs.items())
            + "; block pivoting, an active-set method too, "
            + ", ".join(f"{c[PIVOTING] / c[CLIPPED]:.1f}" for c in costs.values())
            + " times.",
            "3.1",
        ),
        Claim(
            "Even the faster version of the NNLS algorithm by Bro and de Jong is still not fast enough, and the NNLS "
            "step remains the computational bottleneck",
            judge(value > 0.5 for value in share.values()),
            "Bro and de Jong's is "
            + ", ".join(f"{ratio:.0f} times as fast as Lawson and Hanson's ({n})" for n, ratio in gain.items())
            + f" and takes {', '.join(f'{value:.0%}' for value in share.values())} of the half-step with its product; "
            + f"block pivoting is {min(pivoting.values()):.1f} to {max(pivoting.values()):.1f} times as fast again.",
            "3.1",
        ),
    ]


def _clipping_claims(rows: Rows) -> list[Claim]:
    """Clipping against exact rows."""
    clip, proper, slow = ([rows[n, way] for n in COLLECTIONS] for way in (CLIPPED, PIVOTING, NNLS))
    faster = [c["ms"] < 0.67 * p["ms"] for c, p in zip(clip, proper, strict=True)]
    much = [c["ms"] < 0.1 * s["ms"] for c, s in zip(clip, slow, strict=True)]
    sparser = [c[key] > p[key] for c, p in zip(clip, proper, strict=True) for key in ("zeros", "w", "h")]
    return [
        Claim(
            "drastically speeds up the algorithm",
            judge([*faster, *much]),
            "An iteration clipped, with block pivoting and with Lawson and Hanson's NNLS: "
            + "; ".join(
                f"{c['ms']:.3g}, {p['ms']:.3g} and {s['ms']:,.3g} ms ({c['data']})"
                for c, p, s in zip(clip, proper, slow, strict=True)
            )
            + ".",
            "3.3.3",
        ),
        Claim(
            "improves sparsity",
            judge(sparser),
            "Clipped and exact: "
            + "; ".join(
                f"zeros {c['zeros']:.1%} and {p['zeros']:.1%}, sparsity by row of W {c['w']:.3f} and {p['w']:.3f}, of "
                f"H {c['h']:.3f} and {p['h']:.3f} ({c['data']})"
                for c, p in zip(clip, proper, strict=True)
            )
            + ".",
            "3.3.3",
        ),
        Claim(
            "while not theoretically appealing, works quite well in practice",
            judge(c["error"] - p["error"] < 0.1 for c, p in zip(clip, proper, strict=True)),
            "Above the SVD, clipped and exact: "
            + "; ".join(
                f"{c['error']:.3f} and {p['error']:.3f} % ({c['data']})" for c, p in zip(clip, proper, strict=True)
            )
            + "; a tenth of a point counts as well.",
            "3.1",
        ),
    ]


def _alternatives(rows: Rows, programs: Record) -> list[Claim]:
    """Linear programs, and the logarithmic penalty that the paper leaves to future work."""
    log, proper, clip = ([rows[n, way] for n in COLLECTIONS] for way in (LOG, PIVOTING, CLIPPED))
    return [
        Claim(
            "this has the same problem as the NNLS algorithm, lengthy execution time",
            judge([programs["alp"] > 10 * programs["acls"]]),
            f"An iteration of alternating linear programs takes {programs['alp']:.3g} s on {programs['shape'][1]} "
            f"faces of {programs['shape'][0]} pixels, {programs['alp'] / programs['acls']:,.0f} times ACLS.",
            "3.3.4",
        ),
        Claim(
            "add negativity penalties in the form of logarithmic functions to the NMF objective function",
            judge(abs(b["error"] - p["error"]) < 0.1 for b, p in zip(log, proper, strict=True)),
            "The paper leaves it to future work. As a barrier that goes to nothing it ends where exact NNLS does: "
            + "; ".join(
                f"{b['error']:.3f} and {p['error']:.3f} % above the SVD, {b['ms'] / c['ms']:.0f} times the time of "
                f"clipping and {b['ms'] / p['ms']:.1f} times that of pivoting ({b['data']})"
                for b, p, c in zip(log, proper, clip, strict=True)
            )
            + ".",
            "3.3.4",
        ),
    ]
