"""The plotly figures; colours of background and text are left to whoever shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from partwise.plot.colours import COLOURS, colour, pale
from partwise.plot.layout import by_strongest, circles, extent, thinned
from partwise.types import Array

BLUES = [[0.0, "rgba(61,125,216,0)"], [0.15, "rgba(61,125,216,.3)"], [1.0, "#1d4f9e"]]
MAIN, OTHER = COLOURS[0], COLOURS[1]
ROWS = 240
DEGREES = [a * 10.0**b for b in range(-6, 2) for a in (1, 3)] + [90.0]


def error(history: Any, svd: float | None = None) -> go.Figure:
    """‖A − WH‖ / ‖A‖ by iteration."""
    figure = _figure("iteration", "relative error")
    figure.add_scatter(
        x=history["iteration"], y=history["error"], mode="lines", line={"color": MAIN, "width": 2.5}, name="this fit"
    )
    if svd is not None:
        line = {"color": OTHER, "dash": "dash", "width": 2}
        ends = [history["iteration"][0], history["iteration"][-1]] if len(history) else [0, 1]
        figure.add_scatter(x=ends, y=[svd, svd], mode="lines", line=line, name="the SVD, the least possible")
    return figure


def angles(history: Any) -> go.Figure:
    """The largest angle by which a topic turned, in degrees, on a logarithmic axis."""
    figure = _figure("iteration", "degrees turned")
    known = np.isfinite(history["angle"]) & (history["angle"] > 0)
    figure.add_scatter(
        x=history["iteration"][known], y=history["angle"][known], mode="lines",
        line={"color": MAIN, "width": 2.5}, name="the topic that turned most",
    )  # fmt: skip
    return figure.update_yaxes(type="log", tickvals=DEGREES, ticktext=[f"{d:g}°" for d in DEGREES], minor={"ticks": ""})


def against_svd(errors: Sequence[float], rank: int, own: float) -> go.Figure:
    """The SVD's error for every rank up to this one, and the error of the fit."""
    figure = _figure("rank", "relative error")
    figure.add_scatter(
        x=list(range(1, len(errors) + 1)), y=list(errors), mode="lines", line={"color": OTHER, "width": 2.5}, name="SVD"
    )
    figure.add_scatter(x=[rank], y=[own], mode="markers", marker={"color": MAIN, "size": 13}, name="this fit")
    return figure


def topic_map(cosines: Array, shares: Array, names: Sequence[str]) -> go.Figure:
    """Topics as circles, near where they share rows, large where they hold much."""
    points, radii = circles(cosines, shares)
    few, colours = 1 if len(names) > 30 else 2, [colour(c) for c in range(len(names))]
    figure = _figure("", "")
    figure.add_scatter(
        x=points[:, 0], y=points[:, 1], mode="markers+text",
        text=["<br>".join(_wrapped(name, few)) for name in names], textposition="middle center",
        hovertext=[f"<b>{_plain(n)}</b><br>{share:.1%} of the whole" for n, share in zip(names, shares, strict=True)],
        hoverinfo="text", customdata=list(range(len(names))), cliponaxis=False,
        marker={
            "size": np.round(2 * radii, 4), "sizemode": "diameter", "sizeref": 1 / 420, "opacity": 1,
            "color": [pale(c) for c in range(len(names))], "line": {"width": 1.5, "color": colours},
        },
        textfont={"size": 12.5 if len(names) <= 24 else 10.5},
    )  # fmt: skip
    low, high = extent(points, radii)
    hidden: dict[str, Any] = {"visible": False, "fixedrange": True}
    figure.update_xaxes(range=[low[0] - 0.07, high[0] + 0.07], **hidden)
    figure.update_yaxes(range=[low[1] - 0.03, high[1] + 0.03], **hidden)
    return figure.update_layout(margin={"l": 4, "r": 4, "t": 4, "b": 4}, height=460, hovermode="closest")


def sparsity(w: Array, h: Array, names: Sequence[str]) -> go.Figure:
    """W and H side by side, rows ordered by their strongest topic."""
    titles = [f"W: {len(w):,} rows", f"H: {len(h):,} columns"]
    figure = make_subplots(1, 2, subplot_titles=titles, horizontal_spacing=0.06)
    for number, factor in enumerate((w, h), 1):
        picture = np.round(thinned(factor[by_strongest(factor)], ROWS), 3)
        figure.add_heatmap(
            z=picture, x=_short(names), colorscale=BLUES, zmin=0, zmax=1, showscale=False, row=1, col=number,
            hovertemplate="%{x}: %{z:.2f}<extra></extra>",
        )  # fmt: skip
    figure.update_yaxes(autorange="reversed", showticklabels=False, showgrid=False, zeroline=False)
    figure.update_xaxes(showticklabels=False, showgrid=False, zeroline=False)
    return _bare(figure, height=360)


def similarity(cosines: Array, names: Sequence[str]) -> go.Figure:
    """The cosine of every two topics."""
    figure = _figure("", "")
    short = _short(names)
    shown = np.round(cosines - np.diag(np.diag(cosines)), 3)
    figure.add_heatmap(
        z=shown, x=short, y=short, colorscale=BLUES, zmin=0, zmax=max(float(shown.max()), 0.1),
        colorbar={"title": {"text": "cosine"}, "thickness": 12},
        hovertemplate="%{y}<br>and %{x}<br>cosine %{z:.2f}<extra></extra>",
    )  # fmt: skip
    figure.update_yaxes(autorange="reversed", showgrid=False, zeroline=False)
    figure.update_xaxes(tickangle=-50, showgrid=False, zeroline=False)
    return figure.update_layout(height=max(360, 110 + 22 * len(names)))


def heat_map(values: Array, rows: Sequence[str], columns: Sequence[str]) -> go.Figure:
    """A labelled table of weights as colours."""
    figure = _figure("", "")
    figure.add_heatmap(
        z=np.round(values, 3), x=_short(columns), y=_short(rows), colorscale=BLUES, zmin=0, zmax=1, showscale=False,
        hovertemplate="%{y}<br>%{x}: %{z:.2f}<extra></extra>",
    )  # fmt: skip
    figure.update_yaxes(autorange="reversed", showgrid=False, zeroline=False)
    figure.update_xaxes(showgrid=False, zeroline=False, tickangle=-50)
    return figure.update_layout(height=max(280, 120 + 15 * len(rows)))


def parts(w: Array, shape: tuple[int, int]) -> go.Figure:
    """The columns of W as pictures."""
    k = w.shape[1]
    across = min(k, 7)
    down = -(-k // across)
    figure = make_subplots(down, across, horizontal_spacing=0.01, vertical_spacing=0.06 / down)
    for c in range(k):
        row, column = c // across + 1, c % across + 1
        figure.add_heatmap(z=w[:, c].reshape(shape), colorscale="Greys", showscale=False, row=row, col=column)
        figure.update_yaxes(scaleanchor=f"x{c + 1 if c else ''}", row=row, col=column)
    figure.update_xaxes(visible=False, constrain="domain")
    figure.update_yaxes(visible=False, autorange="reversed", constrain="domain")
    return _bare(figure, height=30 + 130 * down)


def _figure(x: str, y: str) -> go.Figure:
    figure = _bare(go.Figure(), height=320)
    return figure.update_xaxes(title={"text": x}).update_yaxes(title={"text": y})


def _bare(figure: go.Figure, height: int) -> go.Figure:
    return figure.update_layout(
        template="none", paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", height=height,
        margin={"l": 60, "r": 16, "t": 32, "b": 48}, font={"size": 13, "family": "system-ui, sans-serif"},
        legend={"orientation": "h", "y": 1.12, "x": 0}, xaxis={"automargin": True}, yaxis={"automargin": True},
    )  # fmt: skip


def _short(names: Sequence[str], length: int = 28) -> list[str]:
    """Names as axis labels, at most 28 characters, numbered where two would be equal."""
    cut = [_plain(name if len(name) <= length else name[: length - 1] + "…") for name in names]
    seen: dict[str, int] = {}
    for i, name in enumerate(cut):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            cut[i] = f"{name} ({seen[name]})"
    return cut


def _wrapped(name: str, few: int) -> list[str]:
    return [_plain(part if len(part) <= 13 else part[:12] + "…") for part in name.split(", ")[:few]]


def _plain(text: str) -> str:
    """A text with plotly's markup escaped."""
    return text[:200].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
