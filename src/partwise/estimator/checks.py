"""What X may be: anything else is refused in a sentence, with the place of what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_array, validate_data

from partwise.arguments import shortened
from partwise.data.as_data import as_data, at_a_glance, is_kept_elsewhere, refuse_foreign
from partwise.data.entry_checks import float_type
from partwise.data.sparse_structure import check_structure
from partwise.data.unknown import as_fitted, observed
from partwise.types import Array, Data

UNKNOWN = 'take them as unknown by NMF(missing="nan")'


def checked_samples(estimator: Any, X: Any, *, reset: bool) -> Data:
    """X as the engine's data; the features are noted at a fit and compared afterwards."""
    if estimator.missing is None and (plain := _plain(estimator, X, reset)) is not None:
        return plain
    if is_kept_elsewhere(X):
        _check_n_features(estimator, X, reset=reset)
        return as_data(observed(X, missing=estimator.missing), zero=not reset)
    if estimator.missing == "nan" and np.ma.isMaskedArray(X):
        X = np.ma.filled(X.astype(float_type(X.dtype, "X")), np.nan)
    X = _validated(estimator, X, reset)
    try:
        data: Any = as_fitted(X, None if reset else _known_mean(estimator), missing=estimator.missing)
    except ValueError as error:
        raise (_bad_entry(X, type(estimator).__name__) if estimator.missing is None else None) or error from None
    if reset and data.weighted and not data.row_counts.any():
        raise ValueError("All entries of X are unknown, so there is nothing to factor.")
    samples: Data = data
    return samples


def _plain(estimator: Any, X: Any, reset: bool) -> Data | None:
    """The data of an array about which there is nothing to ask; scikit-learn's questions take as long as a batch."""
    if type(X) is not np.ndarray:
        return None
    if not reset and (X.shape[1:] != (estimator.n_features_in_,) or hasattr(estimator, "feature_names_in_")):
        return None
    data = at_a_glance(X)
    if reset and data is not None:
        _check_feature_names(estimator, X, reset=True)
        _check_n_features(estimator, X, reset=True)
    return data


def _validated(estimator: Any, X: Any, reset: bool) -> Any:
    """X as a matrix of floats, by scikit-learn's own checks."""
    refuse_foreign(X)
    _refuse_kind(X)
    if sp.issparse(X):
        check_structure(X)
    try:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse=("csr", "csc", "coo", "bsr"),  # scikit-learn makes the others csr
            dtype=[np.float64, np.float32],
            order=None,
            ensure_all_finite=False,
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise _reworded(error) from None


def checked_weights(X: Any, components: int) -> Any:
    """X as the weights of samples for so many components."""
    _refuse_kind(X)
    if sp.issparse(X):
        check_structure(X)
    try:
        weights = check_array(X, accept_sparse=True, dtype=[np.float64, np.float32])
    except (ValueError, TypeError, OverflowError) as error:
        raise _reworded(error) from None
    if weights.shape[1] != components:
        raise ValueError(f"X must have {components} columns, one for each component, not {weights.shape[1]}.")
    return weights


def _known_mean(estimator: Any) -> float | None:
    """The mean of the entries that a fit knew, where some were unknown."""
    known = estimator.certificate_.known if hasattr(estimator, "certificate_") else None
    return None if known is None else float(known.mean)


def _refuse_kind(X: Any) -> None:
    """Refuse masked entries, dates and complex numbers, which numpy would take for numbers."""
    if np.ma.is_masked(X):
        raise ValueError(f"X has masked entries; take them as 0 by X.filled(0), or {UNKNOWN}.")
    for where, dtype in _kinds(X):
        temporal = getattr(dtype, "is_temporal", None)  # polars
        if getattr(dtype, "kind", "") in ("m", "M") or (callable(temporal) and temporal()):
            raise TypeError(
                f"{where} holds dates or times ({dtype}), not numbers; leave them out, or count days first."
            )
        if getattr(dtype, "kind", "") == "c":
            raise ValueError(f"Complex data not supported: {where} must hold real numbers; take X.real or abs(X).")


def _kinds(X: Any) -> Iterator[tuple[str, Any]]:
    """(where, dtype) of an array, or of each column of a data frame."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        yield from ((f"X's column {name!r}", dtype) for name, dtype in zip(X.columns, X.dtypes, strict=True))
    elif hasattr(X, "dtype"):
        yield "X", X.dtype


def _reworded(error: Exception) -> Exception:
    """numpy's and scikit-learn's words for what is no table of numbers in our own; its others are left as they are."""
    text = re.match(r"could not convert string to float: (?:np\.\w+\()?(.+?)\)?$", str(error))
    if text:
        there = f"there is the text {shortened(text[1])}"
        return ValueError(f"X must hold numbers, but {there}; count words first, e.g. by TfidfVectorizer.")
    if "inhomogeneous" in str(error) or "element with a sequence" in str(error):
        return ValueError("X must have rows of one length, one entry for each feature.")
    if flat := re.match(r"(Expected 2D array), got (\w+) array", str(error)):
        shapes = "X.reshape(-1, 1) where it is one feature, X.reshape(1, -1) where it is one sample"
        return ValueError(f"{flat[1]} of samples × features, got {flat[2]}. Reshape your data: {shapes}.")
    if isinstance(error, OverflowError):
        return ValueError("X holds a whole number too large for a float; rescale it.")
    if isinstance(error, TypeError):
        return TypeError(f"X must hold numbers, one for each sample and feature: {error}.")
    return error


def _bad_entry(X: Any, where: str) -> ValueError | None:
    """The sentence for the first entry that is negative or not a finite number, with its row and column."""
    if sp.issparse(X):
        entries = sp.coo_array(X)
        entries.sum_duplicates()
        (rows, columns), values = entries.coords, entries.data
    else:
        values, (rows, columns) = X.ravel(), np.unravel_index(np.arange(X.size), X.shape)
    bad: Array = np.flatnonzero(~((values >= 0) & np.isfinite(values)))
    if not len(bad):
        return None
    p = bad[0]
    place, value = f"row {rows[p]}, column {columns[p]}", values[p]
    if np.isfinite(value):
        return ValueError(f"Negative values in data passed to {where}: X has {value:g} at {place}.")
    if np.isnan(value):
        return ValueError(f"X contains NaN, first at {place}; fill such entries, or {UNKNOWN}.")
    return ValueError(f"X contains infinity, first at {place}; {where} needs finite numbers.")
