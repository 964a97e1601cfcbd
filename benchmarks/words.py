"""From texts to a weighted matrix, and from a CSV file to a saved model, beside scikit-learn.

Matrices: 20,000 articles of Reuters-21578 and the docstrings of Python's standard library repeated to 50 MB, once with
scikit-learn's pattern and stop words, where the two matrices must be equal, and made-up texts in five scripts with the
default words, each with scikit-learn's TfidfVectorizer as it comes. Each takes its turn ``TURNS`` times in one process
that has compiled what it needs; the fastest turn counts, by the clock and by the processor time of all threads. Models:
``partwise topics`` and a script of scikit-learn's, each a process of its own, caches warm: those of compiled kernels
and of Python's byte code, which an installed package has, and a source tree only where Python may write it. ``make
bench-words`` writes ``benchmarks/results/words.json``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from pipeline import written
from sklearn.feature_extraction.text import TfidfVectorizer

from partwise import datasets
from partwise.text import Weighting
from partwise.text.stop_words import english

TURNS, COUNT, MEGABYTES, RANK = 7, 20_000, 50, 20
SKLEARN_PATTERN = r"(?u)\b\w\w+\b"
SCRIPTS = {
    "Latin": (0.4, "abcdefghijklmnoprstuvwyz"),
    "Cyrillic": (0.2, "абвгдежзиклмнопрстуфхчшя"),
    "Devanagari": (0.1, "कखगचजतदनपबमयरलवसह"),
    "Arabic": (0.1, "ابتجحدرسشصطعفقكلمنهوي"),
    "Han": (0.2, "".join(map(chr, range(0x4E00, 0x4E00 + 1500)))),
}
"""script -> (share of the texts, letters)"""
FLOOR = {"matrix": 3.0, "model": 4.0}
SCRIPT = """
import csv, sys, joblib
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import TfidfVectorizer
csv.field_size_limit(2**25)
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    texts = [row["text"] for row in csv.DictReader(file)]
vectorizer = TfidfVectorizer(stop_words="english", min_df=2)
matrix = vectorizer.fit_transform(texts)
model = NMF(int(sys.argv[3]), random_state=0)
weights = model.fit_transform(matrix)
terms = vectorizer.get_feature_names_out()
for topic in model.components_:
    print(", ".join(terms[topic.argsort()[::-1][:10]]))
joblib.dump((vectorizer, model, weights, matrix), sys.argv[2])
"""


def standard_library():
    """The demo's texts again and again, about 50 MB."""
    texts = [document.text for document in datasets.load_standard_library()]
    size = sum(map(len, texts))
    return texts * round(MEGABYTES * 1e6 / size)


def mixed_scripts(count=20_000, words=120, seed=0):
    """Texts of made-up words, each text in one script, words drawn by Zipf's law from 30,000 of a script.

    A word has two to eight letters; in Han one to three, and a comma after eight words in place of blanks.
    """
    rng = np.random.default_rng(seed)
    texts = []
    for script, (share, letters) in SCRIPTS.items():
        signs, han = np.array(list(letters)), script == "Han"
        lengths = rng.integers(1, 4, 30_000) if han else rng.integers(2, 9, 30_000)
        vocabulary = ["".join(rng.choice(signs, size)) for size in lengths]
        chances = 1 / np.arange(1, len(vocabulary) + 1)
        drawn = rng.choice(len(vocabulary), (round(share * count), words), p=chances / chances.sum())
        for row in drawn:
            chosen = [vocabulary[i] for i in row]
            clauses = ["".join(chosen[at : at + 8]) for at in range(0, words, 8)]
            texts.append("，".join(clauses) if han else " ".join(chosen))
    rng.shuffle(texts)
    return texts


def seconds(task):
    """((how long a task takes, processor time of it and its children), its result)"""
    start, used = time.perf_counter(), processor_time()
    result = task()
    return (time.perf_counter() - start, processor_time() - used), result


def processor_time():
    """Of all threads of this process and of the processes it has waited for."""
    return sum(os.times()[:4])


def fastest(turns):
    """(the shortest time by the clock, the least processor time)"""
    return tuple(map(min, zip(*turns, strict=True)))


def compared(name, texts, weighting, vectorizer, same):
    """The fastest of some turns of both, and whether the matrices are equal where they must be."""
    weighting.fit(texts[:200])
    ours, theirs = [], []
    for _ in range(TURNS):
        taken, (vocabulary, matrix) = seconds(lambda: weighting.fit(texts))
        ours.append(taken)
        taken, expected = seconds(lambda: vectorizer.fit_transform(texts))
        theirs.append(taken)
    if same:
        assert list(vocabulary.keys) == list(vectorizer.get_feature_names_out())
        difference = abs(matrix - expected.T).max()
        assert difference < 1e-12, difference
    size = sum(len(text.encode()) for text in texts) / 1e6
    about = {"megabytes": round(size, 1), "documents": len(texts), "terms": len(vocabulary), "same_matrix": same}
    return row(name, ours, theirs, FLOOR["matrix"]) | about


def row(name, ours, theirs, floor):
    """The fastest turns of both, printed."""
    (clock, used), (their_clock, their_used) = fastest(ours), fastest(theirs)
    ratio = their_clock / clock
    print(
        f"{name:<44}{clock:>8.2f} s{their_clock:>8.2f} s{ratio:>7.1f} ×   processor {their_used / used:.1f} ×",
        flush=True,
    )
    return {
        "name": name,
        "seconds": round(clock, 3),
        "sklearn_seconds": round(their_clock, 3),
        "ratio": round(ratio, 2),
        "processor_seconds": round(used, 3),
        "sklearn_processor_seconds": round(their_used, 3),
        "met": ratio >= floor,
    }


def matrices():
    """The rows of matrices."""
    stop = english()
    plain = Weighting("tfidf", pattern=SKLEARN_PATTERN, stop_words=tuple(sorted(stop)), min_df=2)
    oracle = TfidfVectorizer(stop_words=sorted(stop), min_df=2)
    reuters = [article.text for article in datasets.load_reuters() if article.text][:COUNT]
    shares = ", ".join(f"{share:.0%} {script}" for script, (share, _) in SCRIPTS.items())
    mixed = mixed_scripts()
    return [
        compared("Reuters, scikit-learn's pattern", reuters, plain, oracle, same=True),
        compared("standard library, scikit-learn's pattern", standard_library(), plain, oracle, same=True),
        compared("Reuters, default words", reuters, Weighting("tfidf"), oracle, same=False),
        compared("mixed scripts, default words", mixed, Weighting("tfidf"), TfidfVectorizer(min_df=2), same=False)
        | {"scripts": shares},
    ]


def models():
    """The row of models: both commands by turns, whole processes."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        source, target, script = (Path(folder, name) for name in ("reuters.csv", "model", "script.py"))
        written(source)
        script.write_text(SCRIPT, encoding="utf-8")
        commands = {
            "partwise": ["-m", "partwise", "topics", source, "--column", "text", "-k", RANK, "-o", target],
            "sklearn": [script, source, target, RANK],
        }
        taken = {name: [] for name in commands}
        for _ in range(TURNS + 1):  # the first turn fills the caches
            for name, command in commands.items():
                run = partial(subprocess.run, check=True, capture_output=True, env=environment)
                taken[name].append(seconds(partial(run, [sys.executable, *map(str, command)]))[0])
    ours, theirs = (turns[1:] for turns in taken.values())
    return row("partwise topics, CSV to saved model", ours, theirs, FLOOR["model"]) | {"documents": COUNT, "rank": RANK}


def main():
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("matrices", "models"))
    only = parser.parse_args().only
    path = Path(__file__).parent / "results" / "words.json"
    content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    content |= {"cores": os.cpu_count(), "floors": FLOOR, "load": round(os.getloadavg()[0], 1)}
    if only != "models":
        content["matrices"] = matrices()
    if only != "matrices":
        content["model"] = models()
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
