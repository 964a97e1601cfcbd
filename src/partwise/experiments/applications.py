"""The paper's other kinds of data: expression, ratings, images, and the two uses of the SVD it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from partwise.datasets import load_golub, load_movielens, load_orl
from partwise.experiments import faces, leukemia
from partwise.experiments.clustering import agreement_with_labels
from partwise.experiments.corpora import PAPER_LIKE, articles, weight_note, weighting
from partwise.experiments.drawing import label, stacked
from partwise.experiments.experiment import Claim, Context, Experiment, Record, Result, Table, Wording, judge
from partwise.experiments.numbers import count_noun
from partwise.experiments.recommendations import LIKED, offers
from partwise.experiments.retrieval import query_precisions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEARLY = 0.9
"""The share of the SVD's score that is nearly as good."""


def run(
    context: Context,
    *,
    runs: int = 50,
    clusters: tuple[int, ...] = (2, 3, 4, 5),
    ranks: tuple[int, ...] = (5, 10, 20, 40),
    top: int = 10,
    held: int = 10,
    splits: int = 3,
    parts: int = 25,
    concepts: int = 100,
    least: int = 20,
    weight: str = PAPER_LIKE[0],
    stem: str = PAPER_LIKE[1],
) -> Result:
    """Five applications, one table each."""
    samples, ratings, orl = load_golub(context.data), load_movielens(context.data), load_orl(context.data)
    groups = leukemia.cluster_rows(context, samples, clusters, runs, "als-hals")
    films = offers(context, ratings, ranks, top, splits, held)
    images = faces.compare_with_svd(orl, min(parts, *orl.pixels.shape), "als-hals", 0)
    query_rows = [
        row
        for name in context.track("queries", ("medlars", "cisi"))
        for row in query_precisions(context, name, concepts, weight, stem)
    ]
    agreement = agreement_with_labels(context, articles(context.data), weighting(weight, stem, 3), least)
    notes = (
        f"Leukaemia: {samples.values.shape[0]:,} genes, {samples.values.shape[1]} samples, values as they are, {runs} "
        "random starts; the clusters are the consensus tree's, as Brunet et al. 2004 define them (they minimise the "
        "divergence, we the squares).",
        f"MovieLens: of every user {held} ratings are held out; a film is wanted if it has {LIKED:g} stars or more "
        f"among them; unknown is zero; mean of {splits} splits.",
        f"ORL: {images['images']} faces of {images['size'][0]} × {images['size'][1]}, k = {parts}. Queries: cosine "
        "with the "
        f"columns of A, of the SVD's A_k and of WH at k = {concepts}. " + weight_note(weight, stem),
        f"Articles: those of reuters10 with one category that has at least {least} such, "
        f"{agreement[0]['documents']:,} in {agreement[0]['rank']} clusters; NMF by the strongest topic of als-hals, "
        "the SVD by k-means of the documents' directions, both at that k, mean of 3 seeds.",
    )
    tables = (
        Table("leukemia", "Leukaemia samples in clusters", leukemia.COLUMNS,
              tuple(leukemia.table_row(group) for group in groups)),
        Table("films", f"Held-out films among the first {top}", ("method", "k", "recall", "±", "NDCG"),
              tuple(tuple(row.values()) for row in films)),
        Table("clusters", "Articles in clusters, against their categories",
              ("method", "k", "documents", "purity", "mutual information", "adjusted Rand index"),
              tuple(tuple(row.values()) for row in agreement)),
        Table("queries", "Mean average precision", ("collection", "documents as", "k", "mean average precision"),
              tuple(tuple(row.values()) for row in query_rows)),
        Table("faces", "NMF and SVD on the ORL faces", faces.COLUMNS, tuple(faces.table_rows("ORL", images))),
    )  # fmt: skip
    series = {"groups": groups, "films": films, "queries": query_rows, "top": top, "clusters": agreement}
    series["faces"] = {"ratio": images["ratio"], **{kind: row["error"] for kind, row in images["rows"].items()}}
    return Result(tables, verdicts(series), notes, series)


def verdicts(series: Record) -> tuple[Claim, ...]:
    """From the clusters, the films, the queries and the faces."""
    return (
        *_cluster_claims(series["groups"]),
        _label_claim(series["clusters"]),
        *_use_claims(series["films"], series["queries"], series["top"]),
        _image_claim(series["faces"]),
    )


def _cluster_claims(groups: list[Record]) -> list[Claim]:
    by = {group["rank"]: group for group in groups}
    two, three = by[min(by)], by[sorted(by)[1]]
    rest = [g["cophenetic"] for k, g in by.items() if k > 3]
    correlations = ", ".join(f"{g['cophenetic']:.4f} (k = {k})" for k, g in by.items())
    return [
        Claim(
            "NMF tells the two kinds of leukaemia, ALL and AML, apart",
            judge([two["wrong"] <= 2, two["wrong"] <= 6]),
            f"{count_noun(two['wrong'], 'sample')} not with their own at k = {two['rank']}: "
            f"{'; '.join(two['clusters'])}.",
            "gene expression, 1",
            Wording.BRUNET,
        ),
        Claim(
            "With one more cluster the B and T cells of ALL part",
            judge([three["wrong_subtypes"] <= 2, three["wrong_subtypes"] <= 6]),
            f"{count_noun(three['wrong_subtypes'], 'sample')} not with their own at k = {three['rank']}: "
            f"{'; '.join(three['clusters'])}.",
            "gene expression, 1",
            Wording.BRUNET,
        ),
        Claim(
            "The cophenetic correlation is high for the clusters that are there and falls beyond them",
            judge([two["cophenetic"] > 0.98, three["cophenetic"] > 0.98, not rest or max(rest) < three["cophenetic"]]),
            f"It is {correlations}.",
            "gene expression, 1",
            Wording.BRUNET,
        ),
    ]


def _use_claims(films: list[Record], query_rows: list[Record], top: int) -> list[Claim]:
    recall = {(f["method"], f["rank"]): f["recall"] for f in films}
    popular = recall["popularity", None]
    best = {m: max(r for (method, _), r in recall.items() if method == m) for m in ("NMF", "SVD")}
    precision = {(row["data"], row["method"]): row["precision"] for row in query_rows}
    names = sorted({data for data, _ in precision})
    return [
        Claim(
            "A nonnegative sparse matrix of ratings shows what a user may like",
            judge([best["NMF"] > popular]),
            f"Recall among the first {top}: NMF {best['NMF']:.3f}, the SVD {best['SVD']:.3f} (each at its best k), "
            f"popularity {popular:.3f}.",
            "1",
            Wording.OURS,
        ),
        Claim(
            "the NMF works nearly as well as the SVD on points … (2)",
            judge([best["NMF"] >= NEARLY * best["SVD"],
                   *(precision[n, "NMF"] >= NEARLY * precision[n, "SVD"] for n in names)]),
            "Mean average precision, words, SVD and NMF: "
            + "; ".join(f"{n} {', '.join(f'{precision[n, m]:.3f}' for m in ('words', 'SVD', 'NMF'))}" for n in names)
            + f"; films, recall of NMF against the SVD: {best['NMF'] / best['SVD']:.2f}; {NEARLY:g} and more counts as "
            "nearly.",
            "1",
        ),
    ]  # fmt: skip


def _label_claim(agreement: list[Record]) -> Claim:
    nmf, svd = agreement
    scores = ("purity", "nmi", "ari")
    return Claim(
        "the NMF works nearly as well as the SVD on points (1)",
        judge(nmf[score] >= NEARLY * svd[score] for score in scores),
        f"Clusters of articles against their categories, NMF and SVD: purity {nmf['purity']:.3f} and "
        f"{svd['purity']:.3f}, mutual information {nmf['nmi']:.3f} and {svd['nmi']:.3f}, adjusted Rand index "
        f"{nmf['ari']:.3f} and {svd['ari']:.3f}; {NEARLY:g} of the SVD's counts as nearly.",
        "1",
    )


def _image_claim(errors: Record) -> Claim:
    return Claim(
        "The NMF and the SVD perform equally well in reconstructing an approximation to the original image",
        judge([errors["ratio"] <= faces.EQUAL, errors["ratio"] <= faces.NEARLY]),
        f"On the ORL faces the error is {errors['NMF']:.4f} of ‖A‖ for NMF, {errors['SVD']:.4f} for the SVD, "
        f"{errors['ratio']:.2f} times.",
        "2.2",
    )


def draw(result: Result) -> Figure:
    """The consensus at each rank above, the cophenetic correlation, films and queries below."""
    groups, films, query_rows = (result.series[key] for key in ("groups", "films", "queries"))
    figure, upper, lower = stacked(11, 6.6, 1.25)
    for axis, group in zip(np.atleast_1d(upper.subplots(1, len(groups))), groups, strict=True):
        axis.imshow(np.array(group["consensus"], float), cmap="Blues", vmin=0, vmax=1)
        axis.set_xticks([])
        axis.set_yticks([])
        label(axis, f"k = {group['rank']}, ρ = {group['cophenetic']:.4f}", "samples", "samples")
    axes = lower.subplots(1, 3)
    axes[0].plot([g["rank"] for g in groups], [g["cophenetic"] for g in groups], "o-", color="#20335c")
    axes[0].set_xticks([g["rank"] for g in groups])
    label(axes[0], "leukaemia", "k", "cophenetic correlation")
    for method, color in (("NMF", "#0b6e4f"), ("SVD", "#c1272d")):
        own = [f for f in films if f["method"] == method]
        axes[1].errorbar([f["rank"] for f in own], [f["recall"] for f in own], [f["spread"] for f in own], color=color,
                         marker="o", label=method)  # fmt: skip
    axes[1].axhline(films[0]["recall"], color="#777777", ls="--", label="popularity")
    axes[1].set_ylim(0)
    axes[1].legend(fontsize=8, frameon=False)
    label(axes[1], "films", "k", "recall among the first ten")
    names = list(dict.fromkeys(row["data"] for row in query_rows))
    for place, (method, color) in enumerate((("words", "#777777"), ("SVD", "#c1272d"), ("NMF", "#0b6e4f"))):
        values = [row["precision"] for row in query_rows if row["method"] == method]
        axes[2].bar(np.arange(len(names)) + 0.27 * (place - 1), values, 0.25, color=color, label=method)
    axes[2].set_xticks(range(len(names)), names)
    axes[2].legend(fontsize=8, frameon=False)
    label(axes[2], "queries", "collection", "mean average precision")
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
    return figure


NEEDS = ("golub-leukemia", "movielens-100k", "orl-faces", "medlars", "cisi", "reuters-21578")
EXPERIMENT = Experiment("Other applications", "Sections 1 and 2.2", run, verdicts, draw, NEEDS)
