"""Verdicts on figure 3 and the paper's words on speed, from the errors and seconds of every method."""

from __future__ import annotations

import math

from partwise.experiments.experiment import Claim, Record, judge
from partwise.experiments.numbers import median

ALS_TYPE = ("acls", "ahcls", "als")
PAPERS = ("acls", "ahcls", "multiplicative", "gdcls")
"""The methods of the paper's figure 3; the verdicts on it rest on these."""
OTHERS = ("multiplicative", "gdcls", "hals", "anls", "projected-gradient", "anls-lawson-hanson")
NEAR, TWO_THIRDS = 1.0, 0.8
"""Per cent above the SVD that is close to it; the share of GDCLS's time that is still about two thirds."""


def verdicts(series: Record) -> tuple[Claim, ...]:
    """From the paths of errors and seconds."""
    results, large = series["collections"], series["large"]
    return (*_accuracy(results), *_speed(results, large), *_against_others(results))


def time_of(collection: Record, name: str) -> float:
    """Seconds of one iteration, the median over all."""
    return float(collection["methods"][name]["iteration"])


def until(collection: Record, name: str, level: float) -> float | None:
    """Seconds until the error has come down to a level, None where it never does."""
    path = collection["methods"][name]
    return next((s for s, e in zip(path["seconds"], path["error"], strict=True) if e <= level), None)


def _accuracy(results: Record) -> list[Claim]:
    last = {(n, m): one["methods"][m]["error"][-1] for n, one in results.items() for m in one["methods"]}
    ten = {(n, m): one["methods"][m]["error"][:11][-1] for n, one in results.items() for m in one["methods"]}
    beats = [e[n, m] < e[n, "multiplicative"] for e in (ten, last) for n in results for m in ALS_TYPE]
    close = [abs(last[n, m] - last[n, "gdcls"]) <= 0.5 for n in results for m in ALS_TYPE]
    errors_text = "; ".join(
        f"{n}: ACLS {ten[n, 'acls']:.2f} and {last[n, 'acls']:.2f} %, AHCLS {ten[n, 'ahcls']:.2f} and "
        f"{last[n, 'ahcls']:.2f} %, Lee–Seung {ten[n, 'multiplicative']:.2f} and {last[n, 'multiplicative']:.2f} %"
        for n in results
    )
    gaps = "; ".join(
        f"{n}: ACLS {last[n, 'acls']:.2f}, AHCLS {last[n, 'ahcls']:.2f}, GDCLS {last[n, 'gdcls']:.2f} %"
        for n in results
    )
    ends = [last[n, m] for n in results for m in PAPERS]
    return [
        Claim(
            "the ALS-type algorithms outperform the Lee-Seung multiplicative update algorithms in terms of accuracy",
            judge(beats),
            f"Above the SVD at iteration 10 and at the last, {errors_text}.",
            "3.4",
        ),
        Claim(
            "the ALS-type algorithms provide similar accuracy to the GDCLS algorithm",
            judge(close),
            f"Above the SVD at the last iteration, {gaps}; half a point apart counts as similar.",
            "3.4",
        ),
        Claim(
            "how close all NMF algorithms come to the optimal factorization error",
            judge(error <= NEAR for error in ends),
            f"The farthest of the paper's four ends {max(ends):.2f} % above the SVD; within {NEAR:g} % counts as "
            "close.",
            "3.4",
        ),
    ]


def _speed(results: Record, large: Record) -> list[Claim]:
    collections = {**results, "reuters10": large}
    ratios = {n: [time_of(one, m) / time_of(one, "gdcls") for m in ("acls", "ahcls")] for n, one in collections.items()}
    faster, comparisons = [], []
    for name, one in results.items():
        near = {m: until(one, m, NEAR) for m in ("acls", "ahcls")}
        svds = one["svd_seconds"], one["arpack_seconds"]
        faster += [time is not None and time < svd for time in near.values() for svd in svds]
        comparisons.append(
            f"{name}: ACLS {_milliseconds(near['acls'])}, AHCLS {_milliseconds(near['ahcls'])} against "
            f"{_milliseconds(svds[0])} and {_milliseconds(svds[1])}"
        )
    ratios_text = "; ".join(f"{name}: {a:.2f} and {b:.2f}" for name, (a, b) in ratios.items())
    return [
        _against_lee_seung(results),
        Claim(
            "On average the ACLS and AHCLS algorithms require roughly 2/3 the time of the GDCLS algorithm",
            judge(ratio <= TWO_THIRDS for pair in ratios.values() for ratio in pair),
            f"An iteration of ACLS and of AHCLS over one of GDCLS, {ratios_text}; the products with A, the same for "
            "all, are most of each.",
            "3.4",
        ),
        Claim(
            "ACLS and AHCLS require less time than the SVD to produce such good, sparse, nonnegative factorizations",
            judge(faster),
            f"Until they are {NEAR:g} % above the SVD, against our SVD and ARPACK's, {'; '.join(comparisons)}.",
            "3.4",
        ),
    ]


def _milliseconds(seconds: float | None) -> str:
    return "never" if seconds is None else f"{1e3 * seconds:.3g} ms"


def _against_others(results: Record) -> list[Claim]:
    """The times until a method is near the SVD, against those of ACLS and AHCLS and of the SVD."""
    fastest, slower, ratios = [], [], []
    for one in results.values():
        near = {m: until(one, m, NEAR) for m in (*ALS_TYPE[:2], *OTHERS)}
        times = {m: seconds for m, seconds in near.items() if seconds is not None}
        fastest.append(min(times, key=lambda m: times[m]) in ALS_TYPE)
        fastest.append(min(times.values()) < min(one["svd_seconds"], one["arpack_seconds"]))
        svd = min(one["svd_seconds"], one["arpack_seconds"])
        ratios += [(m, times[m] / svd) for m in OTHERS if m in times]
        slower += [m not in times or times[m] > svd for m in OTHERS]
    by_method = {m: median([r for name, r in ratios if name == m]) for m in dict(ratios)}
    listed = ", ".join(f"{m} {ratio:.2g}" for m, ratio in sorted(by_method.items(), key=lambda item: item[1]))
    order = "; ".join(
        f"{name}: "
        + ", ".join(
            f"{m} {_milliseconds(t)}"
            for m, t in sorted(
                ((m, until(one, m, NEAR)) for m in (*ALS_TYPE[:2], *OTHERS[:-2])), key=lambda pair: pair[1] or math.inf
            )
        )
        for name, one in results.items()
    )
    return [
        Claim(
            "ACLS and AHCLS are the fastest NMF algorithms available (and faster than current truncated SVD "
            "algorithms)",
            judge(fastest),
            f"Until {NEAR:g} % above the SVD, {order}; the SVD takes "
            + ", ".join(_milliseconds(min(one["svd_seconds"], one["arpack_seconds"])) for one in results.values())
            + ".",
            "3.3.1",
        ),
        Claim(
            "Most other NMF algorithms require much more time than the SVD, often times orders of magnitude more time",
            judge([sum(slower) > len(slower) / 2, sum(r >= 10 for r in by_method.values()) > 1]),
            f"Until {NEAR:g} % above the SVD, over the time of the faster SVD (medians): {listed}; {sum(slower)} of "
            f"{len(slower)} take longer than the SVD.",
            "4",
        ),
    ]


def _against_lee_seung(results: Record) -> Claim:
    """The seconds until 1 % above the SVD, and until the error with which Lee–Seung ends."""
    shares: dict[str, list[float]] = {"near": [], "last": []}
    tried = 0
    for one in results.values():
        path = one["methods"]["multiplicative"]
        for goal, level in (("near", NEAR), ("last", path["error"][-1])):
            theirs = until(one, "multiplicative", level) or path["seconds"][-1]
            times = [until(one, method, level) for method in ALS_TYPE]
            shares[goal] += [ours / theirs for ours in times if ours is not None]
            tried += len(times)
    every = shares["near"] + shares["last"]
    checks = [*(share < 1 for share in every), *[False] * (tried - len(every))]
    return Claim(
        "outperform the Lee-Seung multiplicative update algorithms in terms of … speed",
        judge(checks),
        f"They are {NEAR:g} % above the SVD after {median(shares['near']):.0%} of its time; its last error they reach "
        f"in {len(shares['last'])} of {tried // 2} cases, after {median(shares['last']):.0%} of its time (medians).",
        "3.4",
    )
