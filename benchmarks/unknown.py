"""The default penalty where entries are unknown, beside fixed ones, on data that it was not chosen on.

Run it with ``python benchmarks/unknown.py``; it writes ``benchmarks/results/unknown.json``. The error is that on the
hidden entries, in units of the standard deviation of all.
"""

import json
from pathlib import Path

import numpy as np

import partwise as pw
from partwise import datasets

RESULT = Path(__file__).parent / "results" / "unknown.json"
SHARES, LAMBDAS = (0.1, 0.5, 0.8, 0.9), (0.001, 0.003, 0.01, 0.03)


def matrices():
    """Name, matrix and rank: faces, expression, products of lognormal factors with noise, sparse parts."""
    yield "ORL faces, every 37th pixel", datasets.load_orl().pixels[::37] / 255, 25
    yield "CBCL faces, every fourth", datasets.load_cbcl().pixels[:, ::4] / 255, 25
    for noise in (0.02, 0.1, 0.5):
        rng = np.random.default_rng(11)
        parts = rng.lognormal(0, 1, (160, 6)) @ rng.lognormal(0, 1, (6, 220))
        yield f"generated, noise {noise:.0%}", parts * rng.gamma(noise**-2, noise**2, parts.shape), 6
    rng = np.random.default_rng(5)
    w, h = (rng.random(shape) * (rng.random(shape) < 0.3) for shape in ((150, 10), (10, 120)))
    yield "sparse parts, noise 10%", np.maximum(0, w @ h + 0.1 * (w @ h).mean() * rng.standard_normal((150, 120))), 10
    golub = np.maximum(np.asarray(datasets.load_golub().values, float), 20)
    yield "Golub, logarithms, 2,000 genes", np.log2(golub[1500:3500] / 20), 4


def error(matrix, hidden, rank, **settings):
    """On the hidden entries."""
    fit = pw.factorize(np.where(hidden, np.nan, matrix), rank, missing="nan", **settings)
    return float(np.sqrt(((fit.W @ fit.H - matrix)[hidden] ** 2).mean()) / matrix.std())


def main():
    """Measure, print, write."""
    rows = []
    for name, matrix, rank in matrices():
        for share in SHARES:
            hidden = np.random.default_rng(8).random(matrix.shape) < share
            grid, method = {}, pw.als_hals() if share < 0.5 else pw.extrapolated("anls")
            for lam in LAMBDAS:
                penalty = pw.PerObservation(lam)
                grid[lam] = error(matrix, hidden, rank, algorithm=pw.penalised(method, w=penalty, h=penalty))
            rows.append({"data": name, "shape": matrix.shape, "rank": rank, "unknown": share, "fixed": grid})
            rows[-1]["default"] = error(matrix, hidden, rank)
            print(rows[-1], flush=True)
    RESULT.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
