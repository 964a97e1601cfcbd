"""Figures 1 and 2: four MEDLARS topics as bars, and the bases of faces that NMF and the SVD find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from partwise.algorithms.as_written import as_written
from partwise.data.as_data import as_data
from partwise.datasets import load_cbcl
from partwise.experiments.corpora import PAPER_LIKE, Corpus, reuters_corpus, smart_corpus, weight_note
from partwise.experiments.drawing import label, picture, stacked, tiles
from partwise.experiments.experiment import Claim, Context, Experiment, Record, Result, Table, judge
from partwise.experiments.faces import COLUMNS, EQUAL, NEARLY, compare_with_svd, table_rows
from partwise.experiments.numbers import rounded, strongest
from partwise.factorize import factorize
from partwise.linalg.matching import unit_columns
from partwise.linalg.measures import sparse_bytes
from partwise.linalg.svd import truncated_svd
from partwise.result.coherence import mean_coherence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN, TERMS = 4, 10
HEART = ("heart", "cardiac", "ventricular", "aortic", "coronary", "septal")


def run(
    context: Context,
    *,
    rank: int = 10,
    parts: int = 49,
    ranks: tuple[int, ...] = (10, 50, 100, 200),
    algorithm: str = "als-hals",
    weight: str = PAPER_LIKE[0],
    stem: str = PAPER_LIKE[1],
) -> Result:
    """Topics of MEDLARS, storage on three collections, parts of the CBCL faces."""
    text = smart_corpus("medlars", context.data, weight, stem)
    topics = _topics(text, rank)
    storage = [row for name in context.track("storage", ("medlars", "cisi", "reuters10"))
               for row in _storage(context, name, ranks, weight, stem)]  # fmt: skip
    faces = load_cbcl(context.data)
    comparison = compare_with_svd(faces, min(parts, *faces.pixels.shape), algorithm, 49)
    notes = (
        f"MEDLARS at k = {rank} by als-hals from random-acol; the {SHOWN} topics with most weight are drawn. "
        + weight_note(weight, stem),
        f"CBCL: {comparison['images']:,} faces of {comparison['size'][0]} × {comparison['size'][1]} pixels in [0, 1], "
        f"k = {parts} as in Lee and Seung's figure, {algorithm}. A factor is stored sparse where that is smaller.",
    )
    head = (
        "collection",
        "k",
        "A, kB",
        "SVD's factors, kB",
        "NMF's factors, kB",
        "SVD / A",
        "NMF / SVD",
        "zeros in W and H",
    )
    tables = (
        Table("topics", "MEDLARS topics", ("topic", "terms", "weight"),
              tuple((i + 1, ", ".join(t["terms"]), t["share"]) for i, t in enumerate(topics["all"]))),
        Table("storage", "Storage", head, tuple(tuple(row.values()) for row in storage)),
        Table("faces", "NMF and SVD on the CBCL faces", COLUMNS, tuple(table_rows("CBCL", comparison))),
    )  # fmt: skip
    series = {"topics": topics, "storage": storage, "faces": comparison}
    return Result(tables, verdicts(series), notes, series)


def _topics(text: Corpus, rank: int) -> Record:
    """Every topic with its strongest terms and weights, ordered by share; and the coherence of NMF and SVD."""
    fit = factorize(text.matrix, rank, algorithm="als-hals", init="random-acol")
    svd = truncated_svd(text.matrix, rank)
    share = np.linalg.norm(fit.w, axis=0) * fit.h.sum(axis=0)
    topics = []
    for topic in np.argsort(-share):
        column = unit_columns(fit.w)[:, topic]
        order = np.argsort(-column, kind="stable")[:TERMS]
        topics.append(
            {
                "terms": strongest(column, text.terms, TERMS),
                "weights": rounded(column[order], 4),
                "share": rounded(share[topic] / share.sum(), 3),
            }
        )
    data = as_data(text.matrix)
    return {
        "all": topics,
        "coherence": {
            "NMF": rounded(mean_coherence(data, fit.w), 4),
            "SVD": rounded(mean_coherence(data, abs(svd.u)), 4),
        },
        "negative": rounded(np.mean(svd.u < 0), 4),
    }


def _storage(context: Context, name: str, ranks: tuple[int, ...], weight: str, stem: str) -> list[Record]:
    """The bytes of A, of the SVD's factors and of NMF's, at several ranks."""
    options = (context.data, weight, stem)
    matrix = (reuters_corpus(*options) if name == "reuters10" else smart_corpus(name, *options)).matrix
    rows = []
    for rank in [k for k in ranks if k < min(matrix.shape)]:
        fit = factorize(matrix, rank, algorithm=as_written("acls"), init="random-acol")
        nmf = sum(min(sparse_bytes(f), f.nbytes) for f in (fit.w, fit.h))
        svd, own = fit.certificate.svd_bytes, fit.certificate.data_bytes
        zeros = (np.sum(fit.w == 0) + np.sum(fit.h == 0)) / (fit.w.size + fit.h.size)
        rows.append(
            {
                "name": name, "rank": rank, "data": rounded(own / 1000, 4), "svd": rounded(svd / 1000, 4),
                "nmf": rounded(nmf / 1000, 4), "svd_ratio": rounded(svd / own, 3), "nmf_ratio": rounded(nmf / svd, 3),
                "zeros": rounded(zeros, 3),
            }
        )  # fmt: skip
    return rows


def verdicts(series: Record) -> tuple[Claim, ...]:
    """From the topics, the storage and the faces."""
    topics, storage, comparison = series["topics"], series["storage"], series["faces"]
    faces = comparison["rows"]["NMF"]["kilobytes"] / comparison["rows"]["SVD"]["kilobytes"]
    more = [row["svd_ratio"] > 1 for row in storage]
    less = [row["nmf_ratio"] < 1 for row in storage]
    coherence = topics["coherence"]
    hearts = [i + 1 for i, topic in enumerate(topics["all"]) if len(set(HEART) & set(topic["terms"])) >= 2]
    return (
        Claim(
            "a user might attach the label ‘heart’ to basis vector",
            judge([bool(hearts)]),
            f"Topics with two or more of {', '.join(HEART)} among their {TERMS} strongest terms: "
            f"{', '.join(map(str, hearts)) or 'none'} of {len(topics['all'])}.",
            "2.2",
        ),
        Claim(
            "the mixed signs in u_i and v_i preclude interpretation",
            judge([topics["negative"] > 0.2, coherence["NMF"] > coherence["SVD"] + 0.02]),
            f"{topics['negative']:.0%} of the entries of U are negative; mean NPMI of the {TERMS} strongest terms "
            f"{coherence['NMF']:.3f} for NMF, {coherence['SVD']:.3f} for the SVD by absolute weight.",
            "2.1, 2.2",
        ),
        Claim(
            "In many cases, A_k can require more (sometimes much more) storage than A",
            judge([sum(more) > len(more) / 2, max(row["svd_ratio"] for row in storage) > 2]),
            f"In {sum(more)} of {len(more)} cases: the factors take {min(r['svd_ratio'] for r in storage):.2f} to "
            f"{max(r['svd_ratio'] for r in storage):.1f} times the storage of the sparse A.",
            "2.1",
        ),
        Claim(
            "the factors W and H are generally naturally sparse, thereby saving a great deal of storage when compared "
            "with the SVD's dense factors",
            judge(less),
            f"NMF's factors take {min(r['nmf_ratio'] for r in storage):.2f} to "
            f"{max(r['nmf_ratio'] for r in storage):.2f} of the SVD's storage on text "
            f"({min(r['zeros'] for r in storage):.0%} to {max(r['zeros'] for r in storage):.0%} zeros); on the faces "
            f"{faces:.2f}.",
            "2.2",
        ),
        *_face_claims(comparison),
    )


def _face_claims(comparison: Record) -> list[Claim]:
    nmf, svd, ratio = comparison["rows"]["NMF"], comparison["rows"]["SVD"], comparison["ratio"]
    return [
        Claim(
            "are very sparse … On the other hand, the SVD factors are nearly completely dense",
            judge(
                [
                    nmf["zeros_w"] > 0.5,
                    nmf["zeros_h"] > 0.3,
                    svd["zeros_w"] < 0.01,
                    nmf["sparsity_w"] > svd["sparsity_w"],
                ]
            ),
            f"Faces, zeros of W and H: NMF {nmf['zeros_w']:.0%} and {nmf['zeros_h']:.0%}, SVD {svd['zeros_w']:.0%} "
            f"and {svd['zeros_h']:.0%}; Hoyer sparsity of a basis image {nmf['sparsity_w']:.2f} against "
            f"{svd['sparsity_w']:.2f}.",
            "2.2",
        ),
        Claim(
            "The NMF and the SVD perform equally well in reconstructing an approximation to the original image",
            judge([ratio <= EQUAL, ratio <= NEARLY]),
            f"The error is {nmf['error']:.4f} of ‖A‖ for NMF and {svd['error']:.4f} for the SVD, {ratio:.2f} times; "
            f"up to {EQUAL:g} counts as equal, up to {NEARLY:g} in part.",
            "2.2",
        ),
    ]


def draw(result: Result) -> Figure:
    """Four topics above, both bases with a face and its reconstructions below."""
    figure, upper, lower = stacked(11, 8.6, 1.45)
    for place, (axis, topic) in enumerate(zip(upper.subplots(1, SHOWN), result.series["topics"]["all"], strict=False)):
        axis.barh(topic["terms"], topic["weights"][: len(topic["terms"])], color="#0b6e4f")
        axis.invert_yaxis()
        axis.tick_params(labelsize=8)
        axis.spines[["top", "right"]].set_visible(False)
        label(axis, f"W{'₁₂₃₄'[place]}", "weight in a topic of length 1", "")
    comparison = result.series["faces"]
    axes = lower.subplots(1, 3, width_ratios=(3, 3, 1.1))
    for axis, kind in zip(axes, ("NMF", "SVD"), strict=False):
        images = np.array(comparison["basis"][kind], float)
        if kind == "SVD":
            images = (1 + images) / 2
        picture(
            axis, tiles(images, 7, 0.5), f"{kind} basis" + (" (grey is zero)" if kind == "SVD" else " (white is zero)")
        )
    faces = [comparison["face"], comparison["rebuilt"]["NMF"], comparison["rebuilt"]["SVD"]]
    picture(axes[2], 1 - tiles(np.clip(np.array(faces, float), 0, 1), 1, 0.0), "a face; by NMF; by SVD")
    return figure


NEEDS = ("medlars", "cisi", "reuters-21578", "cbcl-faces")
EXPERIMENT = Experiment("Interpretation of the basis vectors", "Figures 1 and 2, section 2", run, verdicts, draw, NEEDS)
