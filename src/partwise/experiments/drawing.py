"""One look for all figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from partwise.files import atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = {
    "acls": "#0b6e4f",
    "ahcls": "#6bbf59",
    "als": "#08a4bd",
    "hals": "#7b2d8b",
    "als-hals": "#b084cc",
    "anls": "#d17b0f",
    "multiplicative": "#c1272d",
    "gdcls": "#20335c",
}
"""A colour for a method, the same in every figure."""


def canvas(rows: int, columns: int, width: float = 9.0, height: float = 3.6, **settings: Any) -> tuple[Figure, Any]:
    """A figure and its axes, always as a two-dimensional array."""
    from matplotlib.figure import Figure  # imported late: only drawing needs it

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **settings)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
    return figure, axes


def label(axis: Any, title: str, x: str, y: str) -> None:
    """A title and both axes in words."""
    axis.set_title(title, fontsize=10, loc="left")
    axis.set_xlabel(x, fontsize=9)
    axis.set_ylabel(y, fontsize=9)


def picture(axis: Any, image: Any, title: str = "") -> None:
    """A grey image without axes; dark is much."""
    axis.imshow(image, cmap="gray_r", interpolation="nearest")
    axis.set_axis_off()
    if title:
        axis.set_title(title, fontsize=10, loc="left")


def tiles(images: Any, columns: int, edge: float) -> Any:
    """Images (count × height × width) in one picture, with a narrow edge between them."""
    import numpy as np

    count, height, width = images.shape
    rows = -(-count // columns)
    made = np.full((rows * (height + 1) - 1, columns * (width + 1) - 1), edge)
    for place, image in enumerate(images):
        top, left = (place // columns) * (height + 1), (place % columns) * (width + 1)
        made[top : top + height, left : left + width] = image
    return made


def save(figure: Figure, folder: Path) -> None:
    """figure.svg and figure.png, the same bytes for the same figure."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "partwise", "svg.fonttype": "none"}):
        for kind, told in (("svg", {"Date": None}), ("png", {"Software": None})):
            with atomic(folder / f"figure.{kind}") as file:
                figure.savefig(file, format=kind, dpi=110, metadata=told)
