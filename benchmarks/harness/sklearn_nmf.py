"""What the files of scikit-learn's solvers share."""

import warnings

PACKAGES = ("scikit-learn", "numpy", "scipy")


def fitted(model, matrix, **start):
    """Factors and iterations of an NMF model; reaching max_iter is what the settings ask for, not an accident."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        w = model.fit_transform(matrix, **start)
    return {"W": w, "H": model.components_, "iterations": int(model.n_iter_)}
