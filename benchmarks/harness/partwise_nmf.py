"""What the files of partwise's solvers share: the compile cache is warm before the clock starts."""

import warnings

import numpy as np

PACKAGES = ("partwise", "numpy", "scipy", "numba", "scikit-learn")


def warm(dtype="float64", **settings):
    """Small fits of every kind of matrix, of few and many components, so that kernels are compiled and loaded."""
    import scipy.sparse as sp

    import partwise as pw

    dense = np.random.default_rng(0).random((400, 300)).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for matrix in (dense, sp.csr_matrix(dense * (dense > 0.5))):
            for rank in (3, 50):
                pw.NMF(rank, max_iter=12, random_state=0, **settings).fit(matrix)
                pw.factorize(matrix.T, rank, stop=pw.MaxIterations(6))


def fitted(model, matrix):
    """Factors and iterations of an estimator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        w = model.fit_transform(matrix)
    return {"W": w, "H": model.components_, "iterations": int(model.n_iter_)}


def factored(matrix, rank, **settings):
    """Factors, iterations and the median seconds of one iteration of ``pw.factorize`` on A = Xᵀ."""
    import partwise as pw

    fit = pw.factorize(matrix.T, rank, **settings)
    taken = np.diff(fit.history.seconds)
    later = taken[2:] if len(taken) > 3 else taken
    each = float(np.median(later)) if len(later) else None
    return {"W": fit.h, "H": fit.w.T, "iterations": int(fit.certificate.iterations), "iteration_seconds": each}


def started(matrix, w, h, iterations, **settings):
    """The same from a given (W, H), so many iterations."""
    import partwise as pw

    return factored(matrix, w.shape[1], init=(h.T, w.T), stop=pw.MaxIterations(iterations), **settings)
