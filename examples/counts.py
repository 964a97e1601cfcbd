"""Topics of word counts by the Poisson likelihood: the docstrings of some packages of Python's standard library."""

import partwise as pw
from partwise.datasets import load_standard_library
from partwise.text.collection import collect

PACKAGES = (
    "asyncio",
    "email",
    "http",
    "logging",
    "multiprocessing",
    "sqlite3",
    "tkinter",
    "unittest",
    "xml",
    "zipfile",
)


def main() -> None:
    """Count, fit, show, and ask held-out counts which ranks predict best."""
    documents = [text for text in load_standard_library() if text.id.split(".")[0] in PACKAGES]
    words = collect(documents, pw.Weighting(weight="counts", normalize=False, min_df=3))
    counts = words.A
    print(f"{int(counts.sum()):,} words, {counts.shape[0]:,} different ones, in {counts.shape[1]:,} docstrings.\n")
    fit = pw.factorize(counts, rank=8, loss="poisson", seed=0)
    for topic in fit.W.T / fit.W.sum(axis=0)[:, None]:
        strongest = topic.argsort()[::-1][:7]
        print("  " + ", ".join(f"{words.vocabulary.terms[i]} {topic[i]:.1%}" for i in strongest))
    print(f"\n{fit.certificate}\n")
    print(pw.ranks(counts, [2, 4, 8, 12], by="held-out", loss="poisson", runs=1, folds=3))


if __name__ == "__main__":
    main()
