"""Restore images with holes: a third of the pixels of handwritten digits are unknown. Draws docs/images/holes.png."""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import partwise as pw

TARGET = Path(__file__).parent.parent / "docs" / "images" / "holes.png"
SHOWN = 8


def main(target: Path = TARGET) -> None:
    """Hide, fit what is left, say how good the rest is, draw."""
    import matplotlib.pyplot as plt

    pixels = load_digits().data.T
    hidden = np.random.default_rng(0).random(pixels.shape) < 1 / 3
    seen = np.where(hidden, np.nan, pixels)
    gently = pw.PerObservation(0.03)  # with so many holes a part may be little but unknown pixels: λ holds it down
    fit = pw.factorize(seen, rank=16, missing="nan", algorithm=pw.penalised("als-hals", w=gently, h=gently), seed=0)
    restored = np.where(hidden, fit.W @ fit.H, pixels)
    error = np.sqrt(np.mean((pixels - restored)[hidden] ** 2))
    usual = np.sqrt(np.mean((pixels - np.nanmean(seen, axis=1)[:, None])[hidden] ** 2))
    print(f"{hidden.mean():.0%} of {pixels.size:,} pixels hidden. RMSE on them, of 16 shades: {error:.2f};")
    print(f"each pixel's mean over all images has {usual:.2f}.\n\n{fit.certificate}")
    figure, axes = plt.subplots(3, SHOWN, figsize=(9, 3.6), layout="constrained")
    for row, (name, images) in zip(axes, (("seen", seen), ("restored", restored), ("as it was", pixels)), strict=True):
        row[0].set_ylabel(name)
        for j, axis in enumerate(row):
            axis.set(xticks=[], yticks=[], facecolor="#d9534f")
            axis.imshow(np.ma.masked_invalid(images[:, j].reshape(8, 8)), cmap="Greys", vmin=0, vmax=16)
    figure.savefig(target, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
