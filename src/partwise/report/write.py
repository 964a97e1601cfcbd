"""``write_report``: a model or a factorisation as one page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from partwise.arguments import whole_number
from partwise.data.products import gram_of
from partwise.data.write import ArrayOrSparse
from partwise.report.charts_payload import charts_payload, map_payload
from partwise.report.comparison_payload import check_pair, comparison_payload
from partwise.report.diagnostics import Diagnostics, diagnose
from partwise.report.documents_payload import documents_payload
from partwise.report.encoding import Payload, clipped, significant
from partwise.report.labelled_fit import LabelledFit, label_fit
from partwise.report.page import page, plotly_script
from partwise.report.pictures_payload import pictures_payload
from partwise.report.search_payload import search_payload, weights_payload
from partwise.report.topics_payload import topics_payload
from partwise.report.verdicts import verdict_lines
from partwise.result.factorization import Factorization
from partwise.storage.atomic import atomic
from partwise.storage.targets import check_target
from partwise.text.topic_model import TopicModel

MOST_RUNS = 1000
"""The most runs for the reliability of topics, whose mean cosine is shown with two digits."""


def write_report(
    model: TopicModel | Factorization,
    path: str | os.PathLike[str],
    *,
    other: TopicModel | Factorization | None = None,
    matrix: ArrayOrSparse | None = None,
    shape: tuple[int, int] | None = None,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str | None = None,
    other_title: str = "the other model",
    runs: int | None = None,
) -> Path:
    """Write one HTML file that opens offline and explains a topic model or a factorisation.

    Parameters
    ----------
    other : a second model or factorisation to compare with.
    matrix : the matrix that was factored, for a bare factorisation: for the SVD, and the original pictures.
    shape : (rows, columns) of a picture, where the columns of the matrix are pictures.
    rows, columns : labels of a bare factorisation.
    runs : how many runs from other seeds measure the reliability of each topic; by default 3 where they take
        seconds, else 0.
    """
    if runs is not None:
        whole_number("runs", runs, 0, "or None", most=MOST_RUNS)
    if not isinstance(title, (str, type(None))) or not isinstance(other_title, str):
        raise TypeError("The titles of a report must be texts.")
    check_target(path)
    target = Path(path)
    labelled = label_fit(model, matrix, shape, rows, columns)
    second = None if other is None else label_fit(other, rows=rows if isinstance(other, Factorization) else None)
    if second is not None:
        check_pair(labelled, second)
    plotly_script()  # refuses a missing plotly before any work
    heading = title if title is not None else _title(labelled)
    payload = page_payload(labelled, diagnose(labelled, runs), heading)
    if second is not None:
        payload["compare"] = comparison_payload(labelled, second, other_title)
    text = page(clipped(heading), payload)
    with atomic(target) as file:
        file.write(text.encode("utf-8", "replace"))
    return target


def page_payload(labelled: LabelledFit, diagnostics: Diagnostics, title: str) -> Payload:
    """All data of the page."""
    topics = topics_payload(labelled, diagnostics)
    known = [topic["coherence"] for topic in topics if topic["coherence"] is not None]
    coherence = float(np.mean(known)) if known else None
    certificate = labelled.fit.certificate
    return {
        "title": clipped(title),
        "nouns": labelled.nouns,
        "about": {
            "rows": certificate.shape[0],
            "columns": certificate.shape[1],
            "explained": significant(certificate.explained),
            "seconds": significant(certificate.seconds, 3),
            "version": certificate.versions.get("partwise", ""),
        },
        "topics": topics,
        "factor": weights_payload(labelled.fit.w, labelled.rows, gram_of(labelled.fit.w)),
        "documents": documents_payload(labelled),
        "search": None if labelled.model is None else search_payload(labelled.model),
        "verdicts": [line.as_dict() for line in verdict_lines(labelled, diagnostics, coherence)],
        "certificate": [list(row) for row in certificate.rows()],
        "map": map_payload(labelled),
        "charts": charts_payload(labelled, diagnostics),
        "pictures": None if labelled.shape is None else pictures_payload(labelled, diagnostics),
        "compare": None,
    }


def _title(labelled: LabelledFit) -> str:
    m, n = len(labelled.fit.w), len(labelled.fit.h)
    if labelled.model is not None:
        return f"{labelled.fit.rank} topics in {n:,} documents"
    return f"{labelled.fit.rank} parts of a {m:,} × {n:,} matrix"
