"""What must be reached, each row computed from the summaries: the figure, the limit, met or missed."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Results = dict[str, dict[str, Any]]
AS_GOOD = 1.001
"""Our error may be this times theirs: local minima differ by about that."""


@dataclass(frozen=True)
class Outcome:
    """What came out of one row: the figure as text, whether it is met, and what it was computed from."""

    figure: str
    met: bool | None
    detail: str


@dataclass(frozen=True)
class Target:
    """One row of the table."""

    on: str
    against: str
    limit: str
    outcome: Callable[[Results], Outcome | None]

    def measured(self, results: Results) -> Outcome:
        """The outcome, or that there is none yet."""
        return self.outcome(results) or Outcome("", None, "not measured")


def fit(results: Results, data: str, solver: str) -> dict[str, Any] | None:
    """A solver's row on a data set; one that was stopped has its limit as the least of its seconds."""
    fit_row: dict[str, Any] | None = results.get(data, {}).get("fits", {}).get(solver)
    return None if fit_row is None or "failed" in fit_row else fit_row


def mid(row: dict[str, Any], figure: str) -> float | None:
    """A median."""
    return None if row.get(figure) is None else float(row[figure]["median"])


def description(row: dict[str, Any]) -> str:
    """Seconds with error and KKT beside them."""
    if "over" in row:
        return f"{row['label']} over {row['over']:.0f} s"
    kkt = "" if mid(row, "kkt") is None else f", KKT {mid(row, 'kkt'):.1e}"
    return f"{row['label']} {mid(row, 'seconds'):.3g} s (error {mid(row, 'error'):.5f}{kkt})"


def faster(data: str, ours: str, theirs: list[str], least: float, bound: Callable[..., float]) -> Callable[..., Any]:
    """Their time, the quickest of them, over ours, with our figure at most what `bound` allows."""

    def outcome(results: Results) -> Outcome | None:
        us, them = fit(results, data, ours), [fit(results, data, name) for name in theirs]
        if us is None or "over" in us or None in them:
            return None
        peer = min(them, key=seconds)  # type: ignore[type-var]
        ratio, good = seconds(peer) / seconds(us), bound(us, peer) <= 1 + 1e-6
        figure = f"{'at least ' if 'over' in peer else ''}{ratio:.1f} ×"
        detail = f"{description(us)}; {description(peer)}" + ("" if good else "; not down to what is asked")
        return Outcome(figure, ratio >= least and good, detail)

    return outcome


def seconds(row: Any) -> float:
    """The median time, or the limit that was passed."""
    return float(row["over"]) if "over" in row else float(row["seconds"]["median"])


def as_good(us: Any, peer: Any) -> float:
    """Our error as a part of what is allowed; a peer that was stopped has none."""
    return 0.0 if "over" in peer else us["error"]["median"] / (AS_GOOD * peer["error"]["median"])


def on_target(figure: str) -> Callable[..., float]:
    """The worst of our runs as a part of the target that they were given."""
    return lambda us, peer: us[figure]["most"] / us["target"]


def near(data: str, ours: str, theirs: str, least: float) -> Callable[[Results], Outcome | None]:
    """Seconds from the same start to within 0.1 % of the best error known, theirs over ours."""

    def outcome(results: Results) -> Outcome | None:
        curves = results.get(data, {}).get("curves", {})
        if ours not in curves or theirs not in curves or not (curves[ours]["seeds"] and curves[theirs]["seeds"]):
            return None
        us, peer = curves[ours], curves[theirs]
        mine = statistics.median(float("inf") if at is None else at for at in us["within"])
        pairs = zip(peer["within"], peer["last_seconds"], strict=True)
        never = any(at is None for at in peer["within"])
        other = statistics.median(last if at is None else at for at, last in pairs)
        detail = f"{us['label']} {mine:.3g} s; {peer['label']} {'not within ' if never else ''}{other:.3g} s"
        ratio = other / mine
        return Outcome(f"{'at least ' if never else ''}{ratio:.1f} ×", ratio >= least, detail)

    return outcome


def linear(most: float) -> Callable[[Results], Outcome | None]:
    """How much more one iteration costs for each nonzero on the largest matrices than on the least of them."""

    def outcome(results: Results) -> Outcome | None:
        rows = [(name, fit(results, name, "partwise_iterations")) for name in ("text1e6", "text1e7", "text1e8")]
        if any(row is None or row.get("iteration_seconds") is None for _, row in rows):
            return None
        cost = [1e9 * mid(row, "iteration_seconds") / results[name]["nnz"] for name, row in rows]  # type: ignore
        growth = max(cost[1:]) / cost[0]
        detail = f"{', '.join(f'{each:.0f}' for each in cost)} ns a nonzero at 1e6, 1e7, 1e8"
        return Outcome(f"{growth:.2f} ×", growth <= most, detail)

    return outcome


def memory(data: str, times: float) -> Callable[[Results], Outcome | None]:
    """The peak against 2.4 × the bytes of A in CSR and 6 (m + n) k words."""

    def outcome(results: Results) -> Outcome | None:
        row = fit(results, data, "partwise_memory")
        if row is None or row.get("peak_bytes") is None:
            return None
        about = results[data]
        m, n = about["shape"]
        csr = 12 * about["nnz"] + 4 * (m + 1)
        words = 6 * (m + n) * about["rank"] * 8
        peak, allowed = row["peak_bytes"]["most"], times * csr + words
        detail = f"A in CSR {csr / 1e9:.2f} GB, 6 (m + n) k words {words / 1e9:.2f} GB, allowed {allowed / 1e9:.2f} GB"
        figure = f"{peak / 1e9:.2f} GB, {(peak - words) / csr:.2f} × + 6 (m + n) k words"
        return Outcome(figure, peak <= allowed, detail)

    return outcome


def default(on: str, data: str, peer: str, against: str, least: float, ours: str = "partwise") -> Target:
    """Default against default."""
    return Target(on, against, f"(a) {least:g} ×", faster(data, ours, [peer], least, as_good))


CD, ALL = "scikit-learn CD default", "Reuters, all documents, k = 50"
TARGETS = [
    default(f"{ALL}, float64", "reuters", "sklearn_cd", CD, 8),
    Target(f"{ALL}, float64", CD, "(b) 8 ×", near("reuters", "partwise", "sklearn_cd", 8)),
    Target(
        f"{ALL}, float64",
        "scikit-learn CD default, down to its final KKT",
        "2.5 ×",
        faster("reuters", "partwise_to_kkt", ["sklearn_cd"], 2.5, on_target("kkt")),
    ),
    default(f"{ALL}, float32", "reuters", "sklearn_cd_float32", "scikit-learn CD float32", 10, "partwise_float32"),
    default("Reuters, ten categories, k = 10", "reuters10", "sklearn_cd", CD, 3),
    Target(
        ALL,
        "RcppML, to RcppML's own final error",
        "5 ×",
        faster("reuters", "partwise_to_rcppml", ["rcppml"], 5, on_target("error")),
    ),
    default("CBCL faces, k = 49, dense", "cbcl", "sklearn_cd", CD, 3),
    default("CBCL faces, k = 49, dense", "cbcl", "sklearn_cd_2000", "scikit-learn CD, max_iter=2000", 6),
    default("generated, 1e7 nonzeros, k = 50", "text1e7", "sklearn_cd", CD, 8),
    Target(
        "ACLS to within 1 % of the rank-10 SVD's error, Reuters, ten categories, random-acol start",
        "the faster of scipy svds and randomized SVD",
        "1 ×",
        faster("reuters10", "partwise_acls_to_svd", ["svd_arpack", "svd_randomized"], 1, on_target("error")),
    ),
    Target("one iteration, 1e6 to 1e8 nonzeros", "itself, cost of a nonzero", "at most 1.5 ×", linear(1.5)),
    Target(
        "peak memory, 1e8 nonzeros, k = 50, the caller's matrix included",
        "bytes of A in CSR",
        "at most 2.4 × + 6 (m + n) k words",
        memory("text1e8", 2.4),
    ),
]
