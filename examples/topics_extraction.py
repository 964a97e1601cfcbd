"""Topics of the docstrings of Python's standard library, three ways: ``python examples/topics_extraction.py``.

The pipeline is scikit-learn's; one import line is another one. scikit-learn's own estimator stands there with
``from sklearn.decomposition import NMF``, and for the third way ``MiniBatchNMF``.
"""

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from partwise import NMF
from partwise.datasets import load_standard_library

TOPICS, WORDS, BATCH = 8, 7, 100


def show(title, model, terms):
    """The strongest words of each topic, one line a topic."""
    print(f"\n{title}")
    for number, weights in enumerate(model.components_, 1):
        print(f"  {number}. {', '.join(terms[weights.argsort()[::-1][:WORDS]])}")


def main():
    """Squares on tf-idf, Kullback–Leibler on counts, and a stream of batches."""
    texts = [document.text for document in load_standard_library()]
    words = {"max_df": 0.5, "min_df": 5, "stop_words": "english", "token_pattern": r"(?u)\b[a-z]{3,}\b"}
    weighting, counting = TfidfVectorizer(**words), CountVectorizer(**words)
    matrix, counts = weighting.fit_transform(texts), counting.fit_transform(texts)
    terms = weighting.get_feature_names_out()
    print(f"{matrix.shape[0]} docstrings, {matrix.shape[1]} words")

    squares = NMF(TOPICS, random_state=0).fit(matrix)
    show("Least squares on tf-idf", squares, terms)

    divergence = NMF(TOPICS, beta_loss="kullback-leibler", solver="mu", max_iter=60, tol=0, random_state=0)
    show("Kullback-Leibler divergence on counts", divergence.fit(counts), terms)

    stream = NMF(TOPICS, random_state=0)
    for first in range(0, matrix.shape[0], BATCH):
        stream.partial_fit(matrix[first : first + BATCH])
    show(f"A stream in batches of {BATCH}, each seen once", stream, terms)


if __name__ == "__main__":
    main()
