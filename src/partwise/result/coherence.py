"""Do the top terms of a topic occur together? NPMI, from the matrix itself."""

import numpy as np
import scipy.sparse as sp

from partwise.linalg.matching import largest
from partwise.threads.pool import Workers
from partwise.types import Array, Data


def npmi_coherence(data: Data, w: Array, top: int = 10) -> Array:
    """For each topic the mean NPMI of the pairs of its ``top`` strongest terms over the documents of the matrix.

    npmi(i, j) = log(p_ij / (p_i p_j)) / −log p_ij, where p counts the documents that hold a term (Bouma 2009); −1 for a
    pair that never meets, 0 for independent terms, 1 for terms that only come together. A topic with fewer than two
    terms has none: NaN.
    """
    with Workers(1) as workers:
        return np.array([_topic(data, column, top, workers) for column in np.asarray(w).T])


def mean_coherence(data: Data, w: Array, top: int = 10) -> float:
    """The mean over the topics that have one, or NaN."""
    values = npmi_coherence(data, w, top)
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _topic(data: Data, column: Array, top: int, workers: Workers) -> float:
    terms = largest(column, top)
    terms = terms[column[terms] > 0]
    if len(terms) < 2:
        return float("nan")
    order = np.argsort(terms)
    held = sp.csr_array(data.some(terms[order], workers) > 0, dtype=np.float64)
    together = np.empty((len(terms), len(terms)))
    together[np.ix_(order, order)] = (held @ held.T).toarray() / data.shape[1]
    alone = np.diag(together)
    pairs = np.triu_indices(len(terms), 1)
    both, apart = together[pairs], np.outer(alone, alone)[pairs]
    values = np.full(len(both), -1.0)
    met = (both > 0) & (both < 1)
    values[met] = np.log(both[met] / apart[met]) / -np.log(both[met])
    values[both >= 1] = 1.0
    return float(values.mean())
