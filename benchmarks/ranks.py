"""How often the recommended rank is the planted one or its neighbour: planted k = 3 … 20, three noise levels.

Run it with ``make bench-ranks``; it writes ``benchmarks/results/ranks.json``.
"""

import json
from pathlib import Path

import numpy as np

import partwise as pw

RANKS, NOISE = range(3, 21), (0.05, 0.2, 0.5)


def planted(k, noise, seed, m=250, n=200):
    """Sparse planted parts and nonnegative noise whose norm is a given part of theirs."""
    rng = np.random.default_rng(seed)
    w = rng.random((m, k)) * (rng.random((m, k)) < 0.3)
    h = rng.random((k, n)) * (rng.random((k, n)) < 0.3)
    extra = rng.random((m, n))
    return w @ h + noise * extra * np.linalg.norm(w @ h) / np.linalg.norm(extra)


def main():
    """Measure, print, write."""
    rows = []
    for noise in NOISE:
        answers = {k: pw.ranks(planted(k, noise, k), range(2, 25), runs=5).recommended for k in RANKS}
        exact = sum(answers[k] == k for k in RANKS)
        near = sum(abs(answers[k] - k) <= 1 for k in RANKS)
        missed = {k: r for k, r in answers.items() if abs(r - k) > 1}
        rows.append({"noise": noise, "exact": exact, "near": near, "of": len(RANKS), "missed": missed})
        print(
            f"noise {noise:>4}: exact {exact}, exact or next {near} of {len(RANKS)}; missed {missed or 'none'}",
            flush=True,
        )
    (Path(__file__).parent / "results" / "ranks.json").write_text(json.dumps({"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
