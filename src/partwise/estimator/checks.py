"""Entries of X that cannot be fitted, refused with their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.types import Array


def check_entries(X: Any, where: str) -> None:
    """Refuse the first entry of X that is negative or not a finite number, with its row and column."""
    values = X.data if sp.issparse(X) else X
    if values.size == 0 or (values.min() >= 0 and values.max() < np.inf):  # either is False where there is a NaN
        return
    if sp.issparse(X):
        entries = sp.coo_array(X)
        entries.sum_duplicates()
        rows, columns = entries.coords
        values = entries.data
    else:
        values, (rows, columns) = X.ravel(), np.unravel_index(np.arange(X.size), X.shape)
    bad: Array = np.flatnonzero(~((values >= 0) & np.isfinite(values)))
    if not len(bad):
        return
    p = bad[0]
    place, value = f"row {rows[p]}, column {columns[p]}", values[p]
    if np.isfinite(value):
        raise ValueError(f"Negative values in data passed to {where}: X has {value:g} at {place}.")
    if np.isnan(value):
        raise ValueError(f"X contains NaN, first at {place}; {where} does not accept missing values: fill them first.")
    raise ValueError(f"X contains infinity, first at {place}; {where} needs finite numbers.")
