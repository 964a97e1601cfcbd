"""How often the recommended rank is the planted one or its neighbour, by stability and by held-out entries.

Run it with ``make bench-ranks``, or a part of it with ``--only stability``, ``held-out`` or ``texts``; it writes
``benchmarks/results/ranks.json``, ``ranks-held-out.json`` and ``ranks-texts.json`` there.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import partwise as pw
from partwise import datasets

RESULTS = Path(__file__).parent / "results"
RANKS, NOISE = range(3, 21), (0.05, 0.2, 0.5)
STOP = [pw.Frobenius(change=1e-4), pw.MaxIterations(60)]
TEXTS = {
    "chosen on": [
        ("earn acq crude trade money-fx", slice(None, 120)),
        ("earn acq crude trade money-fx interest ship sugar", slice(None, 100)),
        ("crude sugar money-supply", slice(None, 100)),
    ],
    "judged on": [
        ("coffee sugar gold ship money-supply", slice(-50, None)),
        ("cpi gnp cocoa alum copper reserves jobs", slice(-40, None)),
        ("trade interest acq crude", slice(-120, None)),
        ("money-fx grain earn ship coffee iron-steel", slice(-60, None)),
        ("acq earn crude trade grain money-fx interest ship sugar", slice(-70, None)),
    ],
}
"""Categories of Reuters-21578 and which of their articles with no other category: human classes."""
HELD_OUT_RANKS, FLOOR = (3, 4, 5, 6, 8, 10, 12, 15, 18, 20), 0.9


def planted(k, noise, seed, m=250, n=200):
    """Sparse planted parts and nonnegative noise whose norm is a given part of theirs."""
    rng = np.random.default_rng(seed)
    w = rng.random((m, k)) * (rng.random((m, k)) < 0.3)
    h = rng.random((k, n)) * (rng.random((k, n)) < 0.3)
    extra = rng.random((m, n))
    return w @ h + noise * extra * np.linalg.norm(w @ h) / np.linalg.norm(extra)


def by_stability():
    """Planted k = 3 … 20, three noise levels."""
    rows = []
    for noise in NOISE:
        answers = {k: pw.ranks(planted(k, noise, k), range(2, 25), runs=5).recommended for k in RANKS}
        rows.append({"noise": noise, **_counted(answers)})
        print(f"noise {noise:>4}: {rows[-1]}", flush=True)
    (RESULTS / "ranks.json").write_text(json.dumps({"rows": rows}, indent=1) + "\n")


def by_held_out():
    """Squares, counts and a matrix with a tenth of its entries unknown, at low noise; 80 × 60."""
    kinds = {
        "squared": (_squared, {}),
        "poisson": (_counts, {"loss": "poisson"}),
        "holes": (_holes, {"missing": "nan"}),
    }
    rows = []
    for name, (draw, settings) in kinds.items():
        began, answers = time.process_time(), {}
        for k in HELD_OUT_RANKS:
            survey = pw.ranks(draw(k), range(2, 24), by="held-out", runs=1, folds=3, stop=STOP, **settings)
            answers[k] = survey.recommended
            print(name, k, survey.recommended, flush=True)
        row = {"data": name, **_counted(answers), "cpu_seconds": round(time.process_time() - began, 1)}
        rows.append(row | {"floor": FLOOR, "met": row["near"] >= FLOOR * row["of"]})
        print(rows[-1], flush=True)
    (RESULTS / "ranks-held-out.json").write_text(json.dumps({"rows": rows}, indent=1) + "\n")


def by_texts():
    """Categories that people made: by stability of weighted words, by held-out counts, and by both together."""
    articles, rows = [one for one in datasets.load_reuters() if len(one.topics) == 1 and one.body], []
    for use, collections in TEXTS.items():
        for names, some in collections:
            classes, began = names.split(), time.process_time()
            groups = [[f"{a.title}\n{a.body}" for a in articles if a.topics[0] == name][some] for name in classes]
            texts = [text for group in groups for text in group]
            weighted = pw.Weighting().fit(texts)[1]
            counts = pw.Weighting(weight="counts", normalize=False).fit(texts)[1]
            stable = pw.ranks(weighted, range(2, 17), runs=5, stop=STOP)
            held = pw.ranks(counts, range(2, 17), by="held-out", loss="poisson", runs=5, folds=3, stop=STOP)
            near = [row for row in held.rows if held.recommended / 2 <= row.rank <= held.recommended]
            row = {"use": use, "classes": len(classes), "names": names, "documents": len(texts)}
            row |= {"stability": stable.recommended, "held-out counts": held.recommended}
            row["both"] = max(near, key=lambda row: (row.reliability, row.rank)).rank
            rows.append(row | {"cpu_seconds": round(time.process_time() - began, 1)})
            print(rows[-1], flush=True)
    (RESULTS / "ranks-texts.json").write_text(json.dumps({"rows": rows}, indent=1) + "\n")


def _parts(k):
    return planted(k, 0.0, k, m=80, n=60)


def _squared(k):
    """Normal noise of 5 % of the root mean square, negative sums set to 0."""
    parts = _parts(k)
    noise = np.random.default_rng(k).standard_normal(parts.shape)
    return np.maximum(0, parts + 0.05 * np.sqrt((parts**2).mean()) * noise)


def _counts(k):
    """Poisson counts, 20 an entry in the mean."""
    parts = _parts(k)
    return np.random.default_rng(k).poisson(20 * parts / parts.mean())


def _holes(k):
    """The squared case with a tenth of the entries unknown."""
    matrix = _squared(k)
    matrix[np.random.default_rng(k + 1).random(matrix.shape) < 0.1] = np.nan
    return matrix


def _counted(answers):
    near = sum(abs(answers[k] - k) <= 1 for k in answers)
    missed = {k: r for k, r in answers.items() if abs(r - k) > 1}
    return {"exact": sum(answers[k] == k for k in answers), "near": near, "of": len(answers), "missed": missed}


def main():
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("stability", "held-out", "texts"))
    only = parser.parse_args().only
    for name, measure in (("stability", by_stability), ("held-out", by_held_out), ("texts", by_texts)):
        if only in (None, name):
            measure()


if __name__ == "__main__":
    main()
