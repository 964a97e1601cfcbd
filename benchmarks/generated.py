"""Text-like matrices of any size: a Zipf vocabulary, planted topics, tf-idf weights, documents of unit length.

Document i has up to three topics. A token is a rank r of the Zipf–Mandelbrot law, P(r) ∝ (r + 2.7)^-1.07; a topical
token is moved to the word of its block of `topics` ranks that belongs to its topic, so the law holds over all words.
"""

import numpy as np
from scipy.sparse import csr_matrix

SHIFT, POWER, TOPICAL, LENGTH = 2.7, 1.07, 0.6, 150
CHUNK, BLOCK = 20_000, 500
"""Documents drawn at once; the result does not depend on the machine, only on the seed."""


def text(nnz: int, words: int, topics: int = 50, seed: int = 0) -> csr_matrix:
    """Documents × words with `nnz` nonzeros to within one document; words that do not occur are left out."""
    rng = np.random.default_rng(seed)
    columns, counts, lengths, total = [], [], [], 0
    while total < nnz:
        chunk = documents(rng, min(CHUNK, 1 + nnz // 100), words, topics)
        columns.append(chunk[0])
        counts.append(chunk[1])
        lengths.append(chunk[2])
        total += len(chunk[0])
    sizes = np.concatenate(lengths)
    keep = 1 + int(np.searchsorted(np.cumsum(sizes), nnz))
    indptr = np.concatenate([[0], np.cumsum(sizes[:keep])]).astype(np.int32)
    indices = np.concatenate(columns)[: indptr[-1]]
    columns.clear()
    values = np.concatenate(counts)[: indptr[-1]]
    counts.clear()
    return weighted(indptr, indices, values, words)


def blocks(nnz: int, words: int, length: int, dtype, topics: int = 50, seed: int = 0):
    """The same law in blocks of documents, words × documents, up to `nnz` nonzeros: 1 + log count, unit length.

    Block b is drawn from (seed, b) alone, so a larger matrix begins with a smaller one. No idf: no block sees another.
    """
    block = 0
    while nnz > 0:
        rng = np.random.default_rng((seed, block))
        indices, counts, sizes = documents(rng, BLOCK, words, topics, length)
        keep = min(BLOCK, 1 + int(np.searchsorted(np.cumsum(sizes), nnz)))
        indptr = np.concatenate([[0], np.cumsum(sizes[:keep])]).astype(np.int32)
        data = 1 + np.log(counts[: indptr[-1]])
        data /= np.repeat(np.sqrt(np.add.reduceat(data * data, indptr[:-1])), np.diff(indptr))
        yield csr_matrix((data.astype(dtype), indices[: indptr[-1]], indptr), shape=(keep, words)).T
        nnz -= int(indptr[-1])
        block += 1


def documents(rng: np.random.Generator, count: int, words: int, topics: int, length: int = LENGTH):
    """(word indices, counts, distinct words of each document) of some documents, in order."""
    tokens = np.maximum(5, rng.lognormal(np.log(length), 0.5, count)).astype(np.int64)
    owner = np.repeat(np.arange(count), tokens)
    mine = rng.integers(topics, size=(count, 3))
    which = np.minimum(rng.geometric(0.6, len(owner)) - 1, 2)
    rank = zipf(rng, len(owner), words)
    topical = rng.random(len(owner)) < TOPICAL
    word = np.where(topical, np.minimum(rank - rank % topics + mine[owner, which], words - 1), rank)
    keys, times = np.unique(owner * words + word, return_counts=True)
    return (keys % words).astype(np.int32), times.astype(np.float32), np.bincount(keys // words, minlength=count)


def zipf(rng: np.random.Generator, count: int, words: int):
    """Ranks 0 … words − 1 by the inverse of the continuous distribution function."""
    low, high = (SHIFT + 0.5) ** (1 - POWER), (SHIFT + words + 0.5) ** (1 - POWER)
    drawn = (low + rng.random(count) * (high - low)) ** (1 / (1 - POWER)) - SHIFT - 0.5
    return np.clip(drawn.astype(np.int64), 0, words - 1)


def weighted(indptr, indices, values, words: int) -> csr_matrix:
    """(1 + log count) · idf with unit rows, in place; idf as scikit-learn smooths it."""
    count = len(indptr) - 1
    frequency = np.bincount(indices, minlength=words)
    there = np.flatnonzero(frequency)
    number = np.zeros(words, np.int32)
    number[there] = np.arange(len(there), dtype=np.int32)
    idf = np.log((1 + count) / (1 + frequency)) + 1
    data = np.log(values, dtype=np.float64)
    data += 1
    step = 1_000_000
    for low in range(0, len(data), step):
        data[low : low + step] *= idf[indices[low : low + step]]
        indices[low : low + step] = number[indices[low : low + step]]
    norms = np.sqrt(np.add.reduceat(data * data, indptr[:-1]))
    data /= np.repeat(norms, np.diff(indptr))
    return csr_matrix((data, indices, indptr), shape=(count, len(there)))
