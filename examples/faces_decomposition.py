"""Faces as sums of parts: ``python examples/faces_decomposition.py``.

Olivetti's faces where they are at hand (``PARTWISE_DATA``), else drawn ones: an oval with eyes, brows, nose, mouth and
beard that come and go. The decompositions are scikit-learn's but for one import line.
"""

import numpy as np
from sklearn.decomposition import PCA

from partwise import NMF
from partwise.datasets import load_olivetti

SHADES = " .:-=+*#%@"
PARTS, ACROSS = 6, 22


def drawn_faces(count=300, size=32):
    """Faces of ``size`` × ``size`` points, each with parts of random strength."""
    rng = np.random.default_rng(0)
    down, across = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]

    def oval(y, x, high, wide):
        return np.exp(-(((down - y) / high) ** 2 + ((across - x) / wide) ** 2))

    parts = [
        oval(0, 0, 0.8, 0.6) * (1 - oval(0, 0, 0.6, 0.45)),
        oval(-0.2, -0.28, 0.09, 0.13) + oval(-0.2, 0.28, 0.09, 0.13),
        oval(-0.4, -0.28, 0.05, 0.2) + oval(-0.4, 0.28, 0.05, 0.2),
        oval(0.1, 0, 0.22, 0.07),
        oval(0.42, 0, 0.07, 0.28),
        oval(0.75, 0, 0.18, 0.35),
    ]
    weights = rng.gamma(1.5, size=(count, len(parts)))
    faces = weights @ np.array([part.ravel() for part in parts])
    return faces + 0.01 * rng.random(faces.shape), (size, size)


def faces_at_hand():
    """(faces, shape of a picture, where they are from)."""
    try:
        faces = load_olivetti()
    except FileNotFoundError:
        return *drawn_faces(), "drawn faces"
    return faces.pixels.T.astype(float), (faces.height, faces.width), "Olivetti faces"


def picture(values, shape):
    """Lines of characters, dark to bright."""
    rows = np.linspace(0, shape[0] - 1, ACROSS // 2).astype(int)
    columns = np.linspace(0, shape[1] - 1, ACROSS).astype(int)
    small = values.reshape(shape)[np.ix_(rows, columns)]
    small = (small - small.min()) / max(np.ptp(small), 1e-12)
    return ["".join(SHADES[int(level * (len(SHADES) - 1))] for level in line) for line in small]


def show(title, parts, shape):
    """The pictures side by side."""
    print(f"\n{title}")
    for line in zip(*(picture(part, shape) for part in parts), strict=True):
        print("  " + "  ".join(line))


def main():
    """Parts that add up beside directions that cancel, and how much of the faces either explains."""
    faces, shape, source = faces_at_hand()
    print(f"{len(faces)} {source} of {shape[0]} × {shape[1]} points")

    model = NMF(PARTS, init="nndsvda", random_state=0)
    weights = model.fit_transform(faces)
    show("Parts, which add up (NMF)", model.components_, shape)

    directions = PCA(PARTS, svd_solver="randomized", random_state=0).fit(faces)
    show("Directions, which add and cancel (PCA)", directions.components_, shape)

    show("A face, and the sum of its parts", [faces[0], weights[0] @ model.components_], shape)
    print(f"\nThe sums of parts miss {model.reconstruction_err_ / np.linalg.norm(faces):.1%} of the faces.")


if __name__ == "__main__":
    main()
