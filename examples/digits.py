"""Factor the 1,797 handwritten digits that scikit-learn ships into 16 parts and say what the result is worth."""

import numpy as np
from sklearn.datasets import load_digits

import partwise as pw

SHADES = " .:-=+*#%@"


def drawn(part: np.ndarray) -> list[str]:
    """An 8 × 8 part as text."""
    levels = (part / part.max() * (len(SHADES) - 1)).astype(int).reshape(8, 8)
    return ["".join(2 * SHADES[level] for level in row) for row in levels]


def main() -> None:
    """Fit, certify, show, fold in."""
    pixels = load_digits().data.T
    fit = pw.factorize(pixels, rank=16, seed=0, svd=True)
    print(f"{pixels.shape[1]:,} images of {pixels.shape[0]} pixels in {fit.rank} parts:\n")
    print(fit.certificate)
    strongest = np.argsort(-np.linalg.norm(fit.W, axis=0) * np.linalg.norm(fit.H, axis=1))[:4]
    print("\nFour of the parts:\n")
    for lines in zip(*(drawn(fit.W[:, c]) for c in strongest), strict=True):
        print("  |  ".join(lines))
    weights = fit.transform(pixels[:, :1])[:, 0]
    used = ", ".join(f"{c} ({weights[c]:.2g})" for c in np.argsort(-weights)[:4])
    print(f"\nThe first image is mostly made of the parts {used}.")


if __name__ == "__main__":
    main()
