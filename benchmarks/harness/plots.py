"""Error against seconds, both on log scales: one picture a data set."""

from pathlib import Path
from typing import Any

from harness import BENCH

IMAGES = BENCH.parent / "docs" / "images"
COLOURS = {
    "partwise": "#c0392b",
    "partwise_acls": "#e59866",
    "sklearn_cd": "#1f618d",
    "sklearn_mu": "#7fb3d5",
    "rcppml": "#6c3483",
    "nimfa_lsnmf": "#117864",
    "mlpack": "#7d6608",
}
"""The same solver has the same colour in every picture."""
FLOOR = 1e-5


def draw(results: dict[str, dict[str, Any]], folder: Path = IMAGES) -> list[Path]:
    """Draw every data set that has curves; nothing is drawn without matplotlib."""
    try:
        import matplotlib as mpl
    except ImportError:
        return []
    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "partwise", "font.size": 9, "svg.fonttype": "none"})
    return [picture(result, folder) for result in results.values() if result["curves"]]


def picture(result: dict[str, Any], folder: Path) -> Path:
    """(error − best)/best against seconds, from the same start."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    for name, row in result["curves"].items():
        line(axes, name, row, result["best_error"])
    axes.axhline(1e-3, color="0.6", lw=0.8, ls=":")
    axes.annotate("0.1 %", (0.995, 1e-3), xycoords=("axes fraction", "data"), ha="right", va="bottom", color="0.4")
    axes.set(xscale="log", yscale="log", xlabel="seconds", ylabel="error above the best known, relative")
    axes.set_title(f"{result['label']}, k = {result['rank']}", loc="left")
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    path = folder / f"bench-{result['name']}.svg"
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return path


def line(axes: Any, name: str, row: dict[str, Any], best: float) -> None:
    """One solver; partwise is drawn thicker, a start of its own is dashed."""
    points = row["points"]
    if not points:
        return
    axes.plot(
        [point["seconds"] for point in points],
        [max(point["error"] / best - 1, FLOOR) for point in points],
        color=COLOURS.get(name),
        lw=2.2 if name == "partwise" else 1.3,
        ls="--" if row["own_start"] else "-",
        marker="o",
        ms=2.5,
        label=row["label"] + (", own start" if row["own_start"] else ""),
    )
