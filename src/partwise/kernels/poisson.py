"""Rows of the Poisson likelihood φ(x) = s·x − Σ_j a_j log(f_j·x), x ≥ 0, over the stored entries a_j of a row.

``indptr`` points into ``indices`` and ``values``, which may be those of the whole matrix; ``fixed`` is the other factor
F, whose rows are f_j, and ``sums`` is s = Fᵀ1 with a linear penalty, one row for all or one for
each. Sums are taken in float64.
"""

import math

import numpy as np

from partwise.kernels.jit import sums_jit

NEARLY_ALL = 1 - 1.5e-8
"""A component that makes up more than this share of some entry is not set to zero in one step."""


@sums_jit
def _gather(indices, values, lo, hi, fixed, rows, entries):
    """The rows of F for one row of A, by component, and its entries, in float64; the sum of the entries."""
    k = fixed.shape[1]
    total = 0.0
    for j in range(hi - lo):
        f = fixed[indices[lo + j]]
        entries[j] = values[lo + j]
        total += entries[j]
        for c in range(k):
            rows[c, j] = f[c]
    return total


@sums_jit
def _fitted(rows, x, size, y):
    """y_j = f_j·x; whether all of them are positive."""
    for j in range(size):
        y[j] = 0.0
    for c in range(len(x)):
        if x[c] != 0:
            f, v = rows[c], x[c]
            for j in range(size):
                y[j] += v * f[j]
    least = np.inf
    for j in range(size):
        least = min(least, y[j])
    return least > 0


@sums_jit
def _cold(sums, total, x):
    """x = n/Σs in every component, a row with the right sum."""
    whole = 0.0
    for c in range(len(x)):
        whole += sums[c]
    for c in range(len(x)):
        x[c] = total / whole if sums[c] > 0 and whole > 0 else 0.0


@sums_jit
def _dot(size, b, f):
    """Σ b f."""
    total = 0.0
    for j in range(size):
        total += b[j] * f[j]
    return total


@sums_jit
def _curvature(size, b, v, f):
    """(Σ a q², max q) with q = f/y, b = a/y and v = 1/y."""
    total, largest = 0.0, 0.0
    for j in range(size):
        q = f[j] * v[j]
        total += b[j] * f[j] * q
        largest = max(largest, q)
    return total, largest


@sums_jit
def _move(size, step, f, a, y, v, b):
    """y += step · f, and what depends on y."""
    for j in range(size):
        y[j] += step * f[j]
        v[j] = 1 / y[j]
        b[j] = a[j] * v[j]


@sums_jit
def _safe_step(s, x, c, h, share):
    """The minimiser of a convex majoriser of φ along one coordinate, tight in value, slope and curvature.

    With ratio of sums c/s, curvature h and ``share`` = x · max q: upward from Jensen's inequality, downward from the
    two-point distribution. It never passes the coordinate's minimum, and sets a zero only where that is optimal.
    """
    g = s - c
    if not h > 0:
        return 0.0 if s > 0 else x
    if g < 0:
        return x - c / s * g / h if s > 0 else x
    if h * x <= g * (1 - share) and share < NEARLY_ALL:
        return 0.0
    return x - x * g / (h * x + share * g)


@sums_jit
def coordinate_rows(indptr, indices, values, fixed, sums, before, sweeps, settled, out, logs):
    """Improve each row by safe coordinate steps, at most ``sweeps`` times over all components; φ never rises.

    A row ends when a sweep gains at most the share ``settled`` of what the first one gained. A row of zeros, or one
    that fits some entry with 0, begins at n/Σs. ``logs[0]`` gains Σ a log(a/y) at the new rows.
    """
    k = fixed.shape[1]
    longest = 1
    for i in range(len(out)):
        longest = max(longest, indptr[i + 1] - indptr[i])
    rows, x = np.empty((k, longest)), np.empty(k)
    a, y, v, b = np.empty(longest), np.empty(longest), np.empty(longest), np.empty(longest)
    for i in range(len(out)):
        lo, hi, s_ = indptr[i], indptr[i + 1], sums[i % len(sums)]
        size = hi - lo
        if size == 0:
            for c in range(k):
                out[i, c] = 0
            continue
        total = _gather(indices, values, lo, hi, fixed, rows, a)
        for c in range(k):
            x[c] = before[i, c]
        if not _fitted(rows, x, size, y):
            _cold(s_, total, x)
            _fitted(rows, x, size, y)
        _move(size, 0.0, rows[0], a, y, v, b)
        first = 0.0
        for sweep in range(sweeps):
            gain = 0.0
            for c in range(k):
                s, f, old = s_[c], rows[c], x[c]
                slope = _dot(size, b, f)
                if old == 0 and slope <= s:
                    continue
                h, largest = _curvature(size, b, v, f)
                new = _safe_step(s, old, slope, h, old * largest)
                step = new - old
                if step != 0:
                    x[c] = new
                    gain += abs(step * (s - slope))
                    _move(size, step, f, a, y, v, b)
            if sweep == 0:
                first = gain
            if gain <= settled * first:
                break
        whole = 0.0
        for c in range(k):
            whole += x[c] * s_[c]
        scale = total / whole if whole > 0 else 1.0  # the row's sum is then right: free, and φ does not rise
        for c in range(k):
            out[i, c] = x[c] * scale
        gained = 0.0
        for j in range(size):
            gained += a[j] * math.log(a[j] / (y[j] * scale))
        logs[0] += gained


@sums_jit
def ratio_rows(indptr, indices, values, fixed, factor, out, logs):
    """out[i] = Σ_j (a_j / y_j) f_j with y_j = f_j·x_i; ``logs`` gains (Σ a log(a/y), the entries with y = 0)."""
    k = fixed.shape[1]
    total = np.empty(k)
    for i in range(len(out)):
        x = factor[i]
        for c in range(k):
            total[c] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            f, a = fixed[indices[p]], np.float64(values[p])
            y = 0.0
            for c in range(k):
                y += np.float64(f[c]) * np.float64(x[c])
            if y > 0:
                ratio = a / y
                for c in range(k):
                    total[c] += ratio * f[c]
                logs[0] += a * math.log(a / y)
            elif a > 0:
                logs[1] += 1
        for c in range(k):
            out[i, c] = total[c]


@sums_jit
def log_sums(indptr, indices, values, fixed, factor, logs):
    """``logs`` gains (Σ a log(a/y), the entries with y = 0), y_j = f_j·x_i."""
    k = fixed.shape[1]
    for i in range(len(factor)):
        x = factor[i]
        for p in range(indptr[i], indptr[i + 1]):
            f, a = fixed[indices[p]], np.float64(values[p])
            y = 0.0
            for c in range(k):
                y += np.float64(f[c]) * np.float64(x[c])
            if y > 0:
                logs[0] += a * math.log(a / y) if a > 0 else 0.0
            elif a > 0:
                logs[1] += 1


@sums_jit
def row_losses(indptr, indices, values, fixed, factor, out):
    """out[i] = Σ_j a_j log(a_j / y_j); infinite where an entry is fitted with 0."""
    k = fixed.shape[1]
    for i in range(len(out)):
        total = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            a = np.float64(values[p])
            y = 0.0
            for c in range(k):
                y += np.float64(fixed[indices[p], c]) * np.float64(factor[i, c])
            if a > 0:
                total += a * math.log(a / y) if y > 0 else np.inf
        out[i] = total


@sums_jit
def stationarity_rows(ratios, factor, sums, totals):
    """(Σ_i 1/n_i Σ_c min(u, n_i γ)², zeros whose gradient is negative) with u = x s, γ = 1 − ratio/s."""
    squares, locked = 0.0, 0
    for i in range(len(factor)):
        n = totals[i]
        if n <= 0:
            continue
        for c in range(factor.shape[1]):
            s, x = sums[i % len(sums), c], np.float64(factor[i, c])
            if s <= 0:
                continue
            gradient = 1 - ratios[i, c] / s
            if x == 0 and gradient < -1e-8:
                locked += 1
            r = min(x * s, n * gradient)
            squares += r * r / n
    return squares, locked


@sums_jit
def entropy(indptr, indices, values, whole):
    """Σ a log(a/whole) over the rows that ``indptr`` points to."""
    total = 0.0
    for p in range(indptr[0], indptr[-1]):
        a = np.float64(values[p])
        if a > 0:
            total += a * math.log(a / whole)
    return total
