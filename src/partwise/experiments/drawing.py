"""Axes, labels, colours and files that all figures share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise.storage.atomic import atomic
from partwise.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis
    from matplotlib.figure import Figure, SubFigure

COLORS = {
    "acls": "#0b6e4f",
    "ahcls": "#6bbf59",
    "als": "#08a4bd",
    "hals": "#7b2d8b",
    "als-hals": "#b084cc",
    "anls": "#d17b0f",
    "multiplicative": "#c1272d",
    "gdcls": "#20335c",
    "projected-gradient": "#8c8c8c",
}
"""A colour for a method, the same in every figure."""


def canvas(rows: int, columns: int, width: float = 9.0, height: float = 3.6, **settings: Any) -> tuple[Figure, Array]:
    """A figure and its axes, always as a two-dimensional array."""
    from matplotlib.figure import Figure  # imported late: only drawing needs it

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **settings)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
    return figure, axes


def stacked(width: float, height: float, ratio: float) -> tuple[Figure, SubFigure, SubFigure]:
    """A figure in two parts, one above the other, the lower ``ratio`` times as high."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    parts = figure.subfigures(2, 1, squeeze=False, height_ratios=(1, ratio))
    return figure, parts[0, 0], parts[1, 0]


def label(axis: Axes, title: str, x: str, y: str) -> None:
    """A title and both axes in words."""
    axis.set_title(title, fontsize=10, loc="left")
    axis.set_xlabel(x, fontsize=9)
    axis.set_ylabel(y, fontsize=9)


def plain_log(axis: XAxis | YAxis) -> None:
    """A logarithmic axis (``axes.xaxis`` or ``axes.yaxis``) with plain numbers at 1, 2 and 5."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def picture(axis: Axes, image: Array, title: str = "") -> None:
    """A grey image without axes; dark is much."""
    axis.imshow(image, cmap="gray_r", interpolation="nearest")
    axis.set_axis_off()
    if title:
        axis.set_title(title, fontsize=10, loc="left")


def tiles(images: Array, columns: int, edge: float) -> Array:
    """Images (count × height × width) in one picture, with a narrow edge between them."""
    count, height, width = images.shape
    rows = -(-count // columns)
    mosaic = np.full((rows * (height + 1) - 1, columns * (width + 1) - 1), edge)
    for place, image in enumerate(images):
        top, left = (place // columns) * (height + 1), (place % columns) * (width + 1)
        mosaic[top : top + height, left : left + width] = image
    return mosaic


def save_figure(figure: Figure, folder: Path) -> None:
    """figure.svg and figure.png, the same bytes for the same figure."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "partwise", "svg.fonttype": "none"}):
        for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            with atomic(folder / f"figure.{kind}") as file:
                figure.savefig(file, format=kind, dpi=110, metadata=metadata)
