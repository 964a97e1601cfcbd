"""The map as the page draws it, and the charts as plotly describes them; the page gives them its own colours."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from partwise.linalg.matching import unit_columns
from partwise.linalg.measures import topic_cosines
from partwise.plot.layout import by_strongest, extent, places
from partwise.report.measured import Measured
from partwise.report.subject import Subject
from partwise.types import Array

LABELLED_ROWS, LABELLED_COLUMNS = 60, 200


def map_payload(subject: Subject) -> dict[str, list[float]]:
    """The circles of ``plot.topics()``: centres, radii, and the corners of what they fill, y upward."""
    points, radii = places(topic_cosines(subject.fit.w), subject.shares)
    low, high = extent(points, radii)
    found = {"x": points[:, 0], "y": points[:, 1], "r": radii, "low": low, "high": high}
    return {name: np.round(values, 4).tolist() for name, values in found.items()}


def charts_payload(subject: Subject, found: Measured) -> dict[str, Any]:
    """name -> figure."""
    from partwise.plot import figures  # imported late: plotly takes its time

    fit, names = subject.fit, subject.names
    cosines = topic_cosines(fit.w)
    made = {
        "error": figures.error(fit.history, None if found.svd is None else found.svd.error),
        "angles": figures.angles(fit.history),
        "sparsity": figures.sparsity(fit.w, fit.h, names),
        "similarity": figures.similarity(cosines, names),
    }
    if found.svd is not None:
        errors = [found.svd.truncate(r).error for r in range(1, found.svd.rank + 1)]
        made["svd"] = figures.against_svd(errors, fit.rank, fit.error)
    if subject.model is None and subject.shape is None:
        made["rows"] = figures.heat_map(*_strongest_rows(fit.w, subject.rows), names)
        values, labels = _spread_columns(fit.h, subject.ids)
        made["columns"] = figures.heat_map(values.T, names, labels)
    return {name: json.loads(figure.to_json()) for name, figure in made.items()}


def _strongest_rows(w: Array, rows: Any) -> tuple[Array, list[str]]:
    """The strongest rows of every part, gathered by part."""
    unit = unit_columns(w)
    each = max(2, LABELLED_ROWS // w.shape[1])
    chosen = np.unique(np.argsort(-unit, axis=0, kind="stable")[:each])
    chosen = chosen[by_strongest(w[chosen])]
    return _to_one(unit[chosen], 0), [rows[int(i)] for i in chosen]


def _spread_columns(h: Array, ids: Any) -> tuple[Array, list[str]]:
    """Columns gathered by their strongest part, evenly thinned where they are many."""
    order = by_strongest(h)
    if len(order) > LABELLED_COLUMNS:
        order = order[np.linspace(0, len(order) - 1, LABELLED_COLUMNS).astype(int)]
    return _to_one(h[order].astype(np.float64), 1), [ids[int(i)] for i in order]


def _to_one(values: Array, axis: int) -> Array:
    top = values.max(axis=axis, keepdims=True)
    scaled: Array = values / np.where(top > 0, top, 1)
    return scaled
