"""Rows whose grams differ from a shared one by a few entries each, G_i = G + Σ_j δ_j f_j f_jᵀ, none of them formed.

No views of rows in the loops: numba counts references to each.
"""

import numpy as np

from partwise.kernels.jit import sums_jit
from partwise.kernels.row_systems import LANES, _fill_up


@sums_jit
def _gather_row(first, size, indices, values, deltas, fixed, f, delta, own, r):
    """The rows of the fixed factor at a row's entries, by component, and r + Σ_j δ_j a_j f_j; the size filled up."""
    for j in range(size):
        at, delta[j] = indices[first + j], deltas[first + j]
        a = delta[j] * np.float64(values[first + j])
        for c in range(len(f)):
            f[c, j] = fixed[at, c]
        if a != 0:
            for c in range(len(f)):
                r[c] += a * fixed[at, c]
    return _fill_up(size, f, delta, own)


@sums_jit
def _begin_row(size, gram, ridge, f, delta, x, z, own, curvature):
    """z = Gx, own_j = δ_j f_j·x and the curvature along each component."""
    z[:] = 0.0
    own[:size] = 0.0
    for c in range(len(f)):
        value, total = x[c], 0.0
        if value != 0:
            for d in range(len(f)):
                z[d] += value * gram[c, d]
            for j in range(size):
                own[j] += value * f[c, j]
        for j in range(size):
            total += delta[j] * f[c, j] * f[c, j]
        curvature[c] = gram[c, c] + total + ridge
    for j in range(size):
        own[j] *= delta[j]


@sums_jit
def _sweep_row(size, gram, ridge, r, linear, f, delta, x, z, own, curvature):
    """Exact minimisation over one entry at a time; what it gains.

    ``own`` is moved in the loop that sums it for the next component.
    """
    k, gain, slope = len(f), 0.0, 0.0
    for j in range(size):
        slope += f[0, j] * own[j]
    for c in range(k):
        slope += z[c] + ridge * x[c] + linear[c] - r[c]
        new = max(0.0, x[c] - slope / curvature[c]) if curvature[c] > 0 else 0.0
        step = new - x[c]
        following, slope = min(c + 1, k - 1), 0.0
        if step == 0:
            for j in range(size):
                slope += f[following, j] * own[j]
            continue
        x[c] = new
        gain += step * step * curvature[c]
        for d in range(k):
            z[d] += step * gram[c, d]
        for j in range(size):
            own[j] += step * delta[j] * f[c, j]
            slope += f[following, j] * own[j]
    return gain


@sums_jit
def sweep_entries(
    indptr, indices, values, deltas, fixed, gram, right, linear, ridge, before, sweeps, settled, out, gains
):
    """The sweeps of ``row_systems.sweep_rows`` on G_i + ridge_i I and r_i = right_i + Σ_j δ_j a_j f_j.

    A sweep over a row with n entries costs 2nk + k², where forming G_i costs nk²/2. ``gains`` is 2 r_i·x − xG_ix of
    the new rows, without the ridge.
    """
    k, longest = len(gram), 0
    for i in range(len(out)):
        longest = max(longest, indptr[i + 1] - indptr[i])
    f, delta, own = np.empty((k, longest + LANES)), np.empty(longest + LANES), np.empty(longest + LANES)
    x, z, r, curvature = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    for i in range(len(out)):
        for c in range(k):
            x[c], r[c] = before[i, c], right[i, c]
        n = indptr[i + 1] - indptr[i]
        size = _gather_row(indptr[i], n, indices, values, deltas, fixed, f, delta, own, r)
        _begin_row(size, gram, ridge[i], f, delta, x, z, own, curvature)
        first = 0.0
        for sweep in range(sweeps):
            gain = _sweep_row(size, gram, ridge[i], r, linear[i % len(linear)], f, delta, x, z, own, curvature)
            if sweep == 0:
                first = gain
            if gain <= settled * first:
                break
        gains[i] = 0.0
        for c in range(k):
            out[i, c] = x[c]
            gains[i] += x[c] * (2 * r[c] - z[c])
        for j in range(n):
            if delta[j] != 0:
                gains[i] -= own[j] * own[j] / delta[j]
