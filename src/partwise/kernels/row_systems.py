"""Rows with a quadratic problem of their own: x_i from (r_i, G_i), packed as k numbers and an upper triangle.

A system is additive over the entries of its row, so that rows which lie scattered over the parts of A can be made from
the sum of what each part gives. Triangles run along the rows of G: G[0, 0:], G[1, 1:], …
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

from partwise.kernels.jit import jit, sums_jit
from partwise.kernels.nnls import fnnls_row, pivot_row, solve_passive

NEAR = 128
"""Entries that are taken at a time, so that their rows of the fixed factor stay near."""
LANES = 16
"""Entries are filled up with zeros to a multiple of this, so that no sum over them has a remainder."""
NOTHING = 1e-20
"""The share of a row's sum below which a component that the Newton step sends to zero is zero."""


def width(rank: int) -> int:
    """The numbers of one system."""
    return rank + rank * (rank + 1) // 2


@lru_cache(maxsize=32)
def triangle(rank: int) -> tuple[Any, Any]:
    """(rows, columns) of the triangle as it is packed."""
    return np.triu_indices(rank)


@sums_jit
def _fill_up(size, f, first, second):
    """Zeros after the first ``size`` columns of f and of two rows of weights; the size with them."""
    full = (size + LANES - 1) // LANES * LANES
    for j in range(size, full):
        first[j] = second[j] = 0.0
        for c in range(len(f)):
            f[c, j] = 0.0
    return full


@sums_jit
def _add_products(size, f, weight, weighted, system):
    """The triangle of Σ_j weight_j f_j f_jᵀ over the first ``size`` columns of f (k × NEAR), added."""
    k = len(f)
    at = k
    for c in range(k):
        own, row = weighted, f[c]
        for j in range(size):
            own[j] = weight[j] * row[j]
        rest = k - (k - c) % 4
        for d in range(c, rest, 4):
            g0, g1, g2, g3 = f[d], f[d + 1], f[d + 2], f[d + 3]
            t0 = t1 = t2 = t3 = 0.0
            for j in range(size):
                t0 += own[j] * g0[j]
                t1 += own[j] * g1[j]
                t2 += own[j] * g2[j]
                t3 += own[j] * g3[j]
            system[at + d - c] += t0
            system[at + d + 1 - c] += t1
            system[at + d + 2 - c] += t2
            system[at + d + 3 - c] += t3
        for d in range(rest, k):
            other, total = f[d], 0.0
            for j in range(size):
                total += own[j] * other[j]
            system[at + d - c] += total
        at += k - c


@sums_jit
def _add_rows(size, f, weight, system):
    """Σ_j weight_j f_j over the first ``size`` columns of f, added."""
    for c in range(len(f)):
        row, total = f[c], 0.0
        for j in range(size):
            total += weight[j] * row[j]
        system[c] += total


@sums_jit
def poisson_systems(indptr, indices, values, fixed, factor, out, logs):
    """Add c_i = Σ_j (a_j/y_j) f_j and M_i = Σ_j (a_j/y_j²) f_j f_jᵀ, y_j = f_j·x_i, to each row's system.

    ``logs`` gains (Σ a log(a/y), the entries with y = 0). Entries are taken ``NEAR`` at a time, by component.
    """
    k = fixed.shape[1]
    system, f = np.empty(out.shape[1]), np.empty((k, NEAR))
    y, ratio, curve, weighted = np.empty(NEAR), np.empty(NEAR), np.empty(NEAR), np.empty(NEAR)
    for i in range(len(out)):
        system[:] = 0.0
        x = factor[i]
        for lo in range(indptr[i], indptr[i + 1], NEAR):
            size = min(NEAR, indptr[i + 1] - lo)
            for j in range(size):
                row = fixed[indices[lo + j]]
                y[j] = 0.0
                for c in range(k):
                    f[c, j] = row[c]
            for c in range(k):
                if x[c] != 0:
                    for j in range(size):
                        y[j] += f[c, j] * x[c]
            for j in range(size):
                a = np.float64(values[lo + j])
                ratio[j] = curve[j] = 0.0
                if a > 0:
                    if y[j] > 0:
                        ratio[j] = a / y[j]
                        curve[j] = ratio[j] / y[j]
                        logs[0] += a * math.log(ratio[j])
                    else:
                        logs[1] += 1
            size = _fill_up(size, f, ratio, curve)
            _add_rows(size, f, ratio, system)
            _add_products(size, f, curve, weighted, system)
        for c in range(out.shape[1]):
            out[i, c] += system[c]


@sums_jit
def weighted_systems(indptr, indices, values, weights, fixed, out):
    """Add r_i = Σ_j v_j a_j f_j and G_i = Σ_j v_j f_j f_jᵀ to each row's system."""
    k = fixed.shape[1]
    system, f = np.empty(out.shape[1]), np.empty((k, NEAR))
    v, a, weighted = np.empty(NEAR), np.empty(NEAR), np.empty(NEAR)
    for i in range(len(out)):
        system[:] = 0.0
        for lo in range(indptr[i], indptr[i + 1], NEAR):
            size = min(NEAR, indptr[i + 1] - lo)
            for j in range(size):
                row = fixed[indices[lo + j]]
                v[j] = weights[lo + j]
                a[j] = v[j] * values[lo + j]
                for c in range(k):
                    f[c, j] = row[c]
            size = _fill_up(size, f, a, v)
            _add_rows(size, f, a, system)
            _add_products(size, f, v, weighted, system)
        for c in range(out.shape[1]):
            out[i, c] += system[c]


@jit
def _unpack(system, gram):
    """The symmetric matrix of a system."""
    k = len(gram)
    at = k
    for c in range(k):
        for d in range(c, k):
            gram[c, d] = gram[d, c] = system[at + d - c]
        at += k - c


@jit
def _solve_row(gram, r, guess, scaled, scale, right, passive, work, y, s, x):
    """The exact minimiser of ½ xGxᵀ − r·x, x ≥ 0, from the support of ``guess``; dead components are 0."""
    k = len(gram)
    for c in range(k):
        scale[c] = 1 / math.sqrt(gram[c, c]) if gram[c, c] > 0 else 0.0
    for c in range(k):
        for d in range(k):
            scaled[c, d] = gram[c, d] * scale[c] * scale[d]
        right[c] = r[c] * scale[c]
        passive[c] = guess[c] > 0 and scale[c] > 0
        if scale[c] == 0:
            scaled[c, c] = 1.0
    if not pivot_row(scaled, right, passive, work, y, x):
        fnnls_row(scaled, right, passive, work, y, s, x)
    for c in range(k):
        x[c] = max(x[c], 0.0) * scale[c]


@jit
def newton_rows(systems, sums, totals, before, out):
    """One damped Newton step of φ(x) = s·x − Σ a log(f·x) on each row, from (c, M) at ``before``; φ never rises.

    z minimises the quadratic model ½ zMz − (2c − s)·z over z ≥ 0 (Mx = c), d = z − x, p = (c − s)·d, λ² = dMd and
    τ = max −d/x; x + min(1, p/(λ² + τp)) d minimises a bound of φ along d: with ρ = f·d/y ≥ −τ,
    −log(1 + tρ) ≤ −tρ + (ρ/τ)²(−log(1 − τt) − τt). The row's sum is then set right, which costs nothing.
    """
    k = before.shape[1]
    gram, scaled, work = np.empty((k, k)), np.empty((k, k)), np.empty((k, k + 2))
    scale, right, y, s2 = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    passive, z, x, d, r = np.empty(k, np.bool_), np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    for i in range(len(out)):
        if not totals[i] > 0:
            for c in range(k):
                out[i, c] = 0
            continue
        s, c_ = sums[i % len(sums)], systems[i]
        _unpack(c_, gram)
        for c in range(k):
            x[c] = before[i, c]
            r[c] = 2 * np.float64(c_[c]) - s[c]
        _solve_row(gram, r, x, scaled, scale, right, passive, work, y, s2, z)
        p, curvature, shrink = 0.0, 0.0, 0.0
        for c in range(k):
            d[c] = z[c] - x[c]
            p += (c_[c] - s[c]) * d[c]
            if d[c] < 0:
                shrink = max(shrink, -d[c] / x[c])
        for c in range(k):
            for e in range(k):
                curvature += d[c] * gram[c, e] * d[e]
        bound = curvature + shrink * p
        t = min(1.0, p / bound) if p > 0 and bound > 0 else 0.0
        whole = 0.0
        for c in range(k):
            x[c] = max(0.0, x[c] + t * d[c])
            if gram[c, c] == 0 or (z[c] == 0 and x[c] * s[c] <= NOTHING * totals[i]):
                x[c] = 0.0
            whole += x[c] * s[c]
        level = totals[i] / whole if whole > 0 else 1.0
        for c in range(k):
            out[i, c] = x[c] * level


@jit
def exact_rows(systems, linear, ridge, before, free, out):
    """The minimiser of ½ xGxᵀ − r·x, x ≥ 0, of each row's own system, its components that are not ``free`` as before.

    ``ridge`` is added to the diagonals, row by row, and ``linear`` taken off the right-hand sides.
    """
    k = before.shape[1]
    gram, scaled, work = np.empty((k, k)), np.empty((k, k)), np.empty((k, k + 2))
    scale, right, y, s = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    passive, x, r, guess = np.empty(k, np.bool_), np.empty(k), np.empty(k), np.empty(k)
    for i in range(len(out)):
        _unpack(systems[i], gram)
        for c in range(k):
            guess[c] = before[i, c]
            r[c] = systems[i, c] - linear[i % len(linear), c]
            gram[c, c] += ridge[i]
        for c in range(k):
            if not free[c]:
                for d in range(k):
                    r[d] -= gram[c, d] * before[i, c]
                    gram[c, d] = gram[d, c] = 0.0
        _solve_row(gram, r, guess, scaled, scale, right, passive, work, y, s, x)
        for c in range(k):
            out[i, c] = x[c] if free[c] else before[i, c]


@jit
def clipped_rows(systems, linear, ridge, before, free, out):
    """max(0, G⁻¹r) of each row's own system; a singular one is solved under x ≥ 0 instead."""
    k = before.shape[1]
    gram, scaled, work = np.empty((k, k)), np.empty((k, k)), np.empty((k, k + 2))
    scale, right, y, s = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    passive, x = np.empty(k, np.bool_), np.empty(k)
    for i in range(len(out)):
        _unpack(systems[i], gram)
        for c in range(k):
            gram[c, c] += ridge[i]
            right[c] = systems[i, c] - linear[i % len(linear), c]
        for c in range(k):
            if not free[c]:
                for d in range(k):
                    right[d] -= gram[c, d] * before[i, c]
                    gram[c, d] = gram[d, c] = 0.0
        for c in range(k):
            scale[c] = 1 / math.sqrt(gram[c, c]) if gram[c, c] > 0 else 0.0
            passive[c] = scale[c] > 0
        for c in range(k):
            right[c] *= scale[c]
            for d in range(k):
                scaled[c, d] = gram[c, d] * scale[c] * scale[d]
            if scale[c] == 0:
                scaled[c, c] = 1.0
        if not solve_passive(scaled, right, passive, work, x):
            fnnls_row(scaled, right, passive, work, y, s, x)
        for c in range(k):
            out[i, c] = max(x[c], 0.0) * scale[c] if free[c] else before[i, c]


@jit
def sweep_rows(systems, linear, ridge, before, free, sweeps, settled, out):
    """Exact minimisation over one entry at a time, in at most ``sweeps`` sweeps, of each row's own system."""
    k = before.shape[1]
    gram, x, y = np.empty((k, k)), np.empty(k), np.empty(k)
    for i in range(len(out)):
        _unpack(systems[i], gram)
        for c in range(k):
            gram[c, c] += ridge[i]
            x[c] = before[i, c]
            y[c] = linear[i % len(linear), c] - systems[i, c]
        for c in range(k):
            if x[c] != 0:
                for d in range(k):
                    y[d] += x[c] * gram[c, d]
        first = 0.0
        for sweep in range(sweeps):
            gain = 0.0
            for c in range(k):
                if not free[c]:
                    continue
                old = x[c]
                new = max(0.0, old - y[c] / gram[c, c]) if gram[c, c] > 0 else 0.0
                step = new - old
                if step != 0:
                    x[c] = new
                    gain += step * step * gram[c, c]
                    for d in range(k):
                        y[d] += step * gram[c, d]
            if sweep == 0:
                first = gain
            if gain <= settled * first:
                break
        for c in range(k):
            out[i, c] = x[c]


@sums_jit
def row_gains(systems, factor, out):
    """2 r_i·x_i − x_i G_i x_i: what each row takes off Σ v a²."""
    k = factor.shape[1]
    for i in range(len(factor)):
        total, at = 0.0, k
        for c in range(k):
            x = np.float64(factor[i, c])
            if x != 0:
                total += x * (2 * systems[i, c] - x * systems[i, at])
                for d in range(c + 1, k):
                    total -= 2 * x * systems[i, at + d - c] * factor[i, d]
            at += k - c
        out[i] = total


@jit
def system_stationarity(systems, linear, ridge, free, factor, slack):
    """(Σ_i Σ_c min(x b, ∇/b)² with b = √(G_i)_cc and ∇ = xG − r, zeros whose gradient is negative beyond rounding)."""
    k = factor.shape[1]
    gram, squares, locked = np.empty((k, k)), 0.0, 0
    for i in range(len(factor)):
        _unpack(systems[i], gram)
        for c in range(k):
            gram[c, c] += ridge[i]
        for c in range(k):
            if not free[c] or not gram[c, c] > 0:
                continue
            right = systems[i, c] - linear[i % len(linear), c]
            gradient = -right
            for d in range(k):
                gradient += gram[c, d] * factor[i, d]
            b = math.sqrt(gram[c, c])
            x = np.float64(factor[i, c])
            if x == 0 and gradient < -slack * abs(right):
                locked += 1
            r = min(x * b, gradient / b)
            squares += r * r
    return squares, locked
