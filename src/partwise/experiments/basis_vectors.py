"""Tables 3 to 9: the topics of the best of 500 restarts, and W⁽⁰⁾ of each start beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from partwise.algorithms.as_written import as_written
from partwise.datasets import TOP_TEN
from partwise.engine.stopping import MaxIterations
from partwise.experiments.basis_claims import (
    LABELS,
    PAPERS_BEST,
    PAPERS_ERROR,
    TOP,
    likeness,
    topic_claims,
    weight_table,
)
from partwise.experiments.corpora import WEIGHTINGS, Corpus, counts_note, reuters_corpus, weight_note
from partwise.experiments.drawing import canvas, label
from partwise.experiments.experiment import Cell, Context, Experiment, Record, Result, Table
from partwise.experiments.numbers import above, rounded, strongest
from partwise.factorize import iterate
from partwise.linalg.matching import assign, unit_columns
from partwise.linalg.svd import SVD, truncated_svd
from partwise.result.factorization import Factorization
from partwise.study.stability import strongest_topics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STARTS = ("random", "centroid", "svd-centroid", "random-acol", "random-c", "co-occurrence")


def run(
    context: Context,
    *,
    rank: int = 10,
    larger: int = 12,
    restarts: int = 500,
    iterations: int = 50,
    weight: str = "tfidf",
    split: str = "train",
) -> Result:
    """Race the restarts, polish the best, and match every start to it."""
    text = reuters_corpus(context.data, weight, split)
    svd = truncated_svd(text.matrix, max(rank, larger))
    tried = {}
    plan = [("acls", rank, restarts), ("als-hals", rank, max(2, restarts // 5)), ("acls", larger, restarts)]
    for algorithm, k, count in context.track("restarts", plan):
        tried[algorithm, k] = _raced(context, text, algorithm, k, count, iterations)
    (best, seconds), (lower, other) = tried["acls", rank], tried["als-hals", rank]
    polished = context.fit(text.matrix, rank, algorithm="als-hals", init=best)
    polishing = polished.certificate.seconds
    topics, wider = _topics(text, best), _topics(text, tried["acls", larger][0])
    moved = {weight: (gaps_of(best, svd), topics, wider)}
    for another in context.track("weightings", [w for w in WEIGHTINGS if w != weight]):
        others = reuters_corpus(context.data, another, split)
        moved[another] = _weighted(context, others, rank, larger, max(2, restarts // 5), iterations)
    starts = {name: _start(text, best, name, rank) for name in STARTS}
    gaps = [
        ("acls", rank, restarts, rounded(seconds, 3), gaps_of(best, svd)),
        ("acls, then als-hals", rank, restarts, rounded(seconds + polishing, 3), gaps_of(polished, svd)),
        ("als-hals", rank, max(2, restarts // 5), rounded(other, 3), gaps_of(lower, svd)),
        ("acls", larger, restarts, rounded(tried["acls", larger][1], 3), gaps_of(tried["acls", larger][0], svd)),
    ]  # fmt: skip
    notes = (
        counts_note(context.data, text, split),
        weight_note(weight),
        f"{restarts} random starts of {iterations} ACLS iterations with λ = .5, k = {rank}, raced: those behind "
        "are dropped "
        "at iterations 10, 20 and 40. A topic is called by the category most frequent among the documents whose "
        f"strongest topic it is. The paper's best run is {PAPERS_ERROR} % above the SVD.",
    )
    tables = (
        Table("runs", "The best runs, and how far above the SVD they end",
              ("method", "k", "restarts", "s", "above the SVD, %", "KKT residual", "verdict"),
              (*((*g[:4], *g[4]) for g in gaps), ("paper", 10, 500, None, PAPERS_ERROR, None, None))),
        _best_table(topics),
        _start_table(topics, starts),
        _wider_table(wider, larger),
        weight_table(moved),
    )  # fmt: skip
    claims = topic_claims(gaps, starts, larger, moved)
    series = {"topics": topics, "wider": wider, "starts": starts, "categories": list(TOP_TEN)}
    return Result(tables, tuple(claims), notes, series)


def _weighted(
    context: Context, text: Corpus, rank: int, larger: int, restarts: int, iterations: int
) -> tuple[Any, Any, Any]:
    """(gap to the SVD, topics, topics at the larger rank) of the best of fewer restarts under another weighting."""
    small, large = (_raced(context, text, "acls", k, restarts, iterations)[0] for k in (rank, larger))
    return gaps_of(small, truncated_svd(text.matrix, rank)), _topics(text, small), _topics(text, large)


def _raced(
    context: Context, text: Corpus, algorithm: str, k: int, count: int, iterations: int
) -> tuple[Factorization, float]:
    stop, method = MaxIterations(iterations), as_written(algorithm) if algorithm == "acls" else algorithm
    fit = context.fit(text.matrix, k, algorithm=method, init="random", restarts=count, stop=stop)
    return fit, fit.certificate.seconds


def gaps_of(fit: Factorization, svd: SVD) -> tuple[Cell, ...]:
    """(per cent above the SVD, KKT residual, verdict)."""
    kkt = fit.certificate.kkt
    return rounded(above(fit.error, svd.truncate(fit.rank).error), 4), rounded(kkt, 2), fit.certificate.verdict


def _topics(text: Corpus, fit: Factorization) -> list[Record]:
    """For each topic its terms, how many documents it is strongest in, and the shares of the categories among them."""
    labels = strongest_topics(fit.w, fit.h)
    topics = []
    for topic in range(fit.rank):
        members = [text.categories[j] for j in np.flatnonzero(labels == topic)]
        shares = {c: sum(c in own for own in members) / max(len(members), 1) for c in TOP_TEN}
        topics.append(
            {
                "terms": strongest(fit.w[:, topic], text.terms, TOP),
                "documents": len(members),
                "category": max(shares, key=lambda c: shares[c]) if members else "",
                "shares": rounded(list(shares.values()), 4),
            }
        )
    return topics


def _start(text: Corpus, best: Factorization, name: str, rank: int) -> Record:
    """W⁽⁰⁾ of a start with its columns in the order of the best topics."""
    w = next(iter(iterate(text.matrix, rank, algorithm=as_written("acls"), init=name))).w
    cosines = unit_columns(best.w).T @ unit_columns(w)
    matched, order = assign(cosines)
    return {
        "terms": [strongest(w[:, c], text.terms, TOP) for c in order],
        "cosines": rounded(cosines[matched, order], 4),
        "distinct": len({term for c in range(rank) for term in strongest(w[:, c], text.terms, TOP)}),
    }


def _best_table(topics: list[Record]) -> Table:
    rows = []
    for place, topic in enumerate(topics, 1):
        theirs, shared = likeness(topic["terms"])
        share = max(topic["shares"], default=0)
        rows.append(
            (place, ", ".join(topic["terms"]), topic["documents"], f"{topic['category']} ({share:.0%})",
             ", ".join(PAPERS_BEST[theirs]) if shared else "", LABELS[theirs] if shared else "", shared)
        )  # fmt: skip
    head = (
        "topic",
        "our six terms",
        "documents",
        "category (share)",
        "the paper's nearest topic",
        "its label",
        "shared",
    )
    return Table("best", "The best topics beside the paper's table 3", head, tuple(rows))


def _start_table(topics: list[Record], starts: dict[str, Record]) -> Table:
    head = ("topic", "best", *(f"{name} W⁽⁰⁾" for name in starts))
    rows: list[tuple[Cell, ...]] = [
        (place + 1, ", ".join(topic["terms"]), *(", ".join(s["terms"][place]) for s in starts.values()))
        for place, topic in enumerate(topics)
    ]
    last = ("cosine", None, *(rounded(np.mean(s["cosines"]), 3) for s in starts.values()))
    distinct = ("different terms", None, *(s["distinct"] for s in starts.values()))
    return Table(
        "starts", "W⁽⁰⁾ of each start (tables 4 to 9), aligned to the best topics", head, (*rows, last, distinct)
    )


def _wider_table(topics: list[Record], larger: int) -> Table:
    rows = [
        (place, ", ".join(topic["terms"]), topic["documents"], f"{topic['category']} ({max(topic['shares']):.0%})")
        for place, topic in enumerate(topics, 1)
    ]
    return Table(
        "wider", f"The topics at k = {larger}", ("topic", "six terms", "documents", "category (share)"), tuple(rows)
    )


def draw(result: Result) -> Figure:
    """The shares of the categories in the topics, at both ranks, and the cosines of the starts."""
    figure, axes = canvas(1, 3, 13.0, 4.2, width_ratios=(1, 1.15, 1))
    names = result.series["categories"]
    for axis, key in zip(axes[0], ("topics", "wider"), strict=False):
        topics = result.series[key]
        shares = np.array([topic["shares"] for topic in topics]).T
        image = axis.imshow(shares, cmap="Greens", vmin=0, vmax=1, aspect="auto")
        axis.set_xticks(range(len(topics)), [(topic["terms"] or ["–"])[0] for topic in topics], rotation=60, ha="right")
        axis.set_yticks(range(len(names)), names)
        label(axis, f"k = {len(topics)}", "topic, by its first term", "category")
        axis.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes[0, 1], shrink=0.8).set_label("share of the topic's documents", fontsize=8)
    starts = result.series["starts"]
    means = {name: np.mean(s["cosines"]) for name, s in starts.items()}
    axes[0, 2].barh(list(means), list(means.values()), color="#0b6e4f")
    for row, s in enumerate(starts.values()):
        axes[0, 2].plot(s["cosines"], [row] * len(s["cosines"]), "k|", ms=9, alpha=0.6)
    axes[0, 2].invert_yaxis()
    label(axes[0, 2], "W⁽⁰⁾ and the best topics", "cosine, mean and each topic", "start")
    return figure


NEEDS = ("reuters-21578",)
EXPERIMENT = Experiment("The basis vectors", "Tables 3 to 9, section 4.3", run, draw, NEEDS)
