"""``write_report``: a model or a factorisation as one page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from partwise.report.charts import charts_payload, map_payload
from partwise.report.comparison import check_pair, comparison_payload
from partwise.report.documents import documents_payload
from partwise.report.measured import Measured, check_runs, measured
from partwise.report.page import page, plotly_script
from partwise.report.payload import clipped
from partwise.report.pictures import pictures_payload
from partwise.report.subject import Subject, subject_of
from partwise.report.topics import topics_payload
from partwise.report.verdicts import lines
from partwise.report.vocabulary import search_payload, unit_gram, weights_payload
from partwise.result.factorization import Factorization
from partwise.storage.archive import atomic
from partwise.storage.targets import check_target
from partwise.text.model import TopicModel


def write_report(
    model: TopicModel | Factorization,
    path: str | os.PathLike[str],
    *,
    other: TopicModel | Factorization | None = None,
    matrix: Any = None,
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
    other : a second one to compare with: topics matched side by side, what moved.
    matrix : what was factored, where that is not in the model: for the SVD, and pictures as they were.
    shape : (rows, columns) of a picture, where the columns of the matrix are pictures.
    rows, columns : labels of a bare factorisation.
    runs : how many more runs tell how reliable each topic is; unless given 3 where that takes seconds, else none.
    """
    check_runs(runs)
    target = Path(path)
    check_target(target)
    subject = subject_of(model, matrix, shape, rows, columns)
    second = None if other is None else subject_of(other, rows=rows if isinstance(other, Factorization) else None)
    if second is not None:
        check_pair(subject, second)
    plotly_script()  # refuses a missing plotly before any work
    name = title if title is not None else _title(subject)
    payload = page_payload(subject, measured(subject, runs), name)
    if second is not None:
        payload["compare"] = comparison_payload(subject, second, other_title)
    text = page(clipped(name), payload)
    with atomic(target) as file:
        file.write(text.encode("utf-8", "replace"))
    return target


def page_payload(subject: Subject, found: Measured, title: str) -> dict[str, Any]:
    """All that the page knows."""
    topics = topics_payload(subject, found)
    known = [topic["coherence"] for topic in topics if topic["coherence"] is not None]
    told = subject.fit.certificate
    return {
        "title": clipped(title),
        "nouns": subject.nouns,
        "about": {
            "rows": told.shape[0],
            "columns": told.shape[1],
            "explained": float(f"{told.explained:.6g}"),
            "seconds": float(f"{told.seconds:.3g}"),
            "version": told.versions.get("partwise", ""),
        },
        "topics": topics,
        "factor": weights_payload(subject.fit.w, subject.rows, unit_gram(subject.fit.w)),
        "documents": documents_payload(subject),
        "search": None if subject.model is None else search_payload(subject.model),
        "verdicts": [line.as_dict() for line in lines(subject, found, float(np.mean(known)) if known else None)],
        "certificate": [list(row) for row in told.rows()],
        "map": map_payload(subject),
        "charts": charts_payload(subject, found),
        "pictures": None if subject.shape is None else pictures_payload(subject, found),
        "compare": None,
    }


def _title(subject: Subject) -> str:
    m, n = len(subject.fit.w), len(subject.fit.h)
    if subject.model is not None:
        return f"{subject.fit.rank} topics in {n:,} documents"
    return f"{subject.fit.rank} parts of a {m:,} × {n:,} matrix"
