"""The topic map and the plotly charts of a page, without colours of ground and text, which the page sets."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from partwise.linalg.matching import unit_columns
from partwise.linalg.measures import topic_cosines
from partwise.plot.layout import by_strongest, circles, extent
from partwise.report.diagnostics import Diagnostics
from partwise.report.encoding import Payload
from partwise.report.labelled_fit import LabelledFit
from partwise.types import Array

LABELLED_ROWS, LABELLED_COLUMNS = 60, 200


def map_payload(labelled: LabelledFit) -> dict[str, list[float]]:
    """The circles of ``plot.topics()``: centres, radii, and the corners of their bounding box, y upward."""
    points, radii = circles(topic_cosines(labelled.fit.w), labelled.shares)
    low, high = extent(points, radii)
    drawn = {"x": points[:, 0], "y": points[:, 1], "r": radii, "low": low, "high": high}
    return {name: np.round(values, 4).tolist() for name, values in drawn.items()}


def charts_payload(labelled: LabelledFit, diagnostics: Diagnostics) -> Payload:
    """Chart name -> plotly figure as JSON."""
    from partwise.plot import figures  # imported late: plotly takes a second

    fit, names = labelled.fit, labelled.names
    cosines = topic_cosines(fit.w)
    charts = {
        "error": figures.error(fit.history, None if diagnostics.svd is None else diagnostics.svd.error),
        "angles": figures.angles(fit.history),
        "sparsity": figures.sparsity(fit.w, fit.h, names),
        "similarity": figures.similarity(cosines, names),
    }
    if diagnostics.svd is not None:
        errors = [diagnostics.svd.truncate(r).error for r in range(1, diagnostics.svd.rank + 1)]
        charts["svd"] = figures.against_svd(errors, fit.rank, fit.error)
    if labelled.model is None and labelled.shape is None:
        charts["rows"] = figures.heat_map(*_strongest_rows(fit.w, labelled.rows), names)
        values, labels = _spread_columns(fit.h, labelled.ids)
        charts["columns"] = figures.heat_map(values.T, names, labels)
    return {name: json.loads(figure.to_json()) for name, figure in charts.items()}


def _strongest_rows(w: Array, rows: Sequence[str]) -> tuple[Array, list[str]]:
    """(weights, labels) of the strongest rows of every part, ordered by part."""
    unit = unit_columns(w)
    each = max(2, LABELLED_ROWS // w.shape[1])
    chosen = np.unique(np.argsort(-unit, axis=0, kind="stable")[:each])
    chosen = chosen[by_strongest(w[chosen])]
    return _scaled(unit[chosen], 0), [rows[int(i)] for i in chosen]


def _spread_columns(h: Array, ids: Sequence[str]) -> tuple[Array, list[str]]:
    """(weights, labels) of columns ordered by their strongest part, at most 200, evenly spaced."""
    order = by_strongest(h)
    if len(order) > LABELLED_COLUMNS:
        order = order[np.linspace(0, len(order) - 1, LABELLED_COLUMNS).astype(int)]
    return _scaled(h[order].astype(np.float64), 1), [ids[int(i)] for i in order]


def _scaled(values: Array, axis: int) -> Array:
    top = values.max(axis=axis, keepdims=True)
    scaled: Array = values / np.where(top > 0, top, 1)
    return scaled
