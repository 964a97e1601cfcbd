"""Draw docs/images/parts.png: the parts of handwritten digits beside the SVD's basis, as the paper's figure 2 does."""

from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import partwise as pw

TARGET = Path(__file__).parent.parent / "docs" / "images" / "parts.png"


def main() -> None:
    """Fit both, draw both."""
    pixels = load_digits().data.T
    fit = pw.factorize(pixels, rank=16, seed=0)
    svd = pw.truncated_svd(pixels, 16)
    figure = plt.figure(figsize=(9, 4.6), layout="constrained")
    halves = figure.subfigures(1, 2, wspace=0.06)
    sides = ((f"partwise: error {fit.error:.3f}, nonnegative, {fit.certificate.w.zeros:.0%} zeros", fit.W, "Greys", 0),
             (f"SVD: error {svd.error:.3f}, mixed signs, no zeros", svd.u, "RdBu", None))  # fmt: skip
    for half, (title, basis, colours, low) in zip(halves, sides, strict=True):
        half.suptitle(title, fontsize=11)
        for c, axis in enumerate(half.subplots(4, 4).flat):
            limit = abs(basis[:, c]).max()
            axis.imshow(basis[:, c].reshape(8, 8), cmap=colours, vmin=-limit if low is None else low, vmax=limit)
            axis.set(xticks=[], yticks=[])
    figure.savefig(TARGET, dpi=110)


if __name__ == "__main__":
    main()
