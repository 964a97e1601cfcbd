"""Rows of the β-divergence φ(x) = Σ_j d(a_j | y_j) + λ·x, x ≥ 0, y_j = f_j·x, over all entries a_j of a dense row.

d(a | y) = (a^β + (β − 1) y^β − β a y^(β−1)) / (β(β − 1)); for β = 1 it is a log(a/y) − a + y, for β = 0 it is
a/y − log(a/y) − 1. ``wide`` is Fᵀ, one row a component. All arrays are in float64. The gradient is p − q with p = Σ f
y^(β−1) + λ and q = Σ f a y^(β−2).
"""

import math

import numpy as np

from partwise.kernels.jit import sums_jit

NEAR = 1e-4
"""Where |y/a − 1| is below this, d is taken from its series at y = a, since the formula cancels there."""
SETTLED = 1e-13
"""The rows of a convex problem end when the KKT residual is below this share of Σ y^β."""


@sums_jit
def _fitted(wide, x, y):
    """y = Σ_c x_c f_c."""
    y[:] = 0.0
    for c in range(len(x)):
        if x[c] != 0:
            f, v = wide[c], x[c]
            for j in range(len(y)):
                y[j] += v * f[j]


@sums_jit
def _powers(y, power, out):
    """out = y^power; whole and half powers by roots, so that y → 4y changes no digit. 0 where y is 0."""
    if power == 0:
        out[:] = 1.0
    elif power == -0.5:
        for j in range(len(y)):
            out[j] = 1 / math.sqrt(y[j]) if y[j] > 0 else 0.0
    elif power == -1:
        for j in range(len(y)):
            out[j] = 1 / y[j] if y[j] > 0 else 0.0
    elif power == -1.5:
        for j in range(len(y)):
            out[j] = 1 / (y[j] * math.sqrt(y[j])) if y[j] > 0 else 0.0
    elif power == -2:
        for j in range(len(y)):
            out[j] = 1 / (y[j] * y[j]) if y[j] > 0 else 0.0
    else:
        for j in range(len(y)):
            out[j] = y[j] ** power if y[j] > 0 else 0.0


@sums_jit
def _slopes(a, wide, linear, y, low, p, q):
    """p and q of the gradient p − q at y, with ``low`` = y^(β−2)."""
    for c in range(len(p)):
        f = wide[c]
        up, down = 0.0, 0.0
        for j in range(len(y)):
            up += f[j] * low[j] * y[j]
            down += f[j] * low[j] * a[j]
        p[c], q[c] = up + linear[c], down


@sums_jit
def _divergence(a, y, low, beta):
    """Σ d(a | y), with ``low`` = y^(β−2)."""
    total = 0.0
    for j in range(len(y)):
        u = y[j] / a[j] - 1 if a[j] > 0 else np.inf
        if y[j] == 0:
            if a[j] > 0:
                total += a[j] * a[j] * a[j] ** (beta - 2) / (beta * (beta - 1)) if beta > 1 else np.inf
        elif abs(u) < NEAR:
            total += y[j] * y[j] * low[j] * u * u * (0.5 + (beta - 2) / 3 * u) * (1 + u) ** -beta
        elif beta == 1:
            total += (a[j] * math.log(a[j] / y[j]) if a[j] > 0 else 0.0) - a[j] + y[j]
        elif beta == 0:
            total += a[j] / y[j] - math.log(a[j] / y[j]) - 1 if a[j] > 0 else np.inf
        elif a[j] == 0:
            total += y[j] * y[j] * low[j] / beta if beta > 0 else np.inf
        else:
            t = a[j] / y[j]
            total += y[j] * y[j] * low[j] * (_ratio_power(t, beta) + beta - 1 - beta * t) / (beta * (beta - 1))
    return total


@sums_jit
def _ratio_power(t, beta):
    """t^β."""
    if beta == 1.5:
        return t * math.sqrt(t)
    return t**beta


@sums_jit
def multiplicative_rows(values, wide, linear, before, beta, gamma, times, settled, out):
    """x ← x ∘ (q/p)^γ, up to ``times`` times, or until no entry of a row changes by more than its share ``settled``."""
    k, n = wide.shape
    y, low, p, q, x = np.empty(n), np.empty(n), np.empty(k), np.empty(k), np.empty(k)
    for i in range(len(out)):
        a = values[i]
        x[:] = before[i]
        for _ in range(times):
            _fitted(wide, x, y)
            _powers(y, beta - 2, low)
            _slopes(a, wide, linear[i], y, low, p, q)
            largest = 0.0
            for c in range(k):
                factor = q[c] / p[c] if p[c] > 0 else 0.0
                if gamma != 1:
                    factor = factor**gamma
                if x[c] > 0:
                    largest = max(largest, abs(factor - 1))
                x[c] *= factor
            if largest <= settled:
                break
        out[i] = x


@sums_jit
def slope_rows(values, wide, linear, factor, beta, p, q):
    """p and q of each row."""
    n = wide.shape[1]
    y, low = np.empty(n), np.empty(n)
    for i in range(len(factor)):
        _fitted(wide, factor[i], y)
        _powers(y, beta - 2, low)
        _slopes(values[i], wide, linear[i], y, low, p[i], q[i])


@sums_jit
def divergence_rows(values, wide, factor, beta, out):
    """out[i] = Σ_j d(a_ij | y_ij)."""
    n = wide.shape[1]
    y, low = np.empty(n), np.empty(n)
    for i in range(len(factor)):
        _fitted(wide, factor[i], y)
        _powers(y, beta - 2, low)
        out[i] = _divergence(values[i], y, low, beta)


@sums_jit
def power_sums(values, beta, out):
    """out[i] = Σ_j a_ij^β over the entries above 0."""
    low = np.empty(values.shape[1])
    for i in range(len(values)):
        a = values[i]
        _powers(a, beta - 2, low)
        total = 0.0
        for j in range(len(a)):
            total += low[j] * a[j] * a[j] if a[j] > 0 else 0.0
        out[i] = total


@sums_jit
def _hessian(a, wide, y, low, beta, hessian):
    """Σ_j w_j f_j f_jᵀ with w = (β − 1) y^(β−2) + (2 − β) a y^(β−3), which is ≥ 0 for β in [1, 2]."""
    weights = np.empty(len(y))
    for j in range(len(y)):
        weights[j] = low[j] * (beta - 1 + (2 - beta) * a[j] / y[j]) if y[j] > 0 else 0.0
    for c in range(len(hessian)):
        for d in range(c + 1):
            f, g, total = wide[c], wide[d], 0.0
            for j in range(len(y)):
                total += weights[j] * f[j] * g[j]
            hessian[c, d] = hessian[d, c] = total


@sums_jit
def _quadratic_step(hessian, gradient, x, z):
    """z ≥ 0 that minimises the quadratic model at x, by coordinate sweeps; ``gradient`` becomes that at z."""
    z[:] = x
    for _ in range(1000):
        largest = 0.0
        for c in range(len(x)):
            if hessian[c, c] > 0:
                new = max(0.0, z[c] - gradient[c] / hessian[c, c])
                step = new - z[c]
                if step != 0:
                    z[c] = new
                    largest = max(largest, step * step * hessian[c, c])
                    for d in range(len(x)):
                        gradient[d] += step * hessian[c, d]
        size = 0.0
        for c in range(len(x)):
            size += z[c] * z[c] * hessian[c, c]
        if largest <= 1e-26 * size:
            break


@sums_jit
def divergence_newton_rows(values, wide, linear, before, beta, rounds, out):
    """The minimum of each row, for β in [1, 2] where φ is convex: Newton steps under x ≥ 0, halved until φ falls."""
    k, n = wide.shape
    y, low, tried, p, q = np.empty(n), np.empty(n), np.empty(n), np.empty(k), np.empty(k)
    x, z, gradient, hessian = np.empty(k), np.empty(k), np.empty(k), np.empty((k, k))
    for i in range(len(out)):
        a = values[i]
        x[:] = before[i]
        _fitted(wide, x, y)
        _powers(y, beta - 2, low)
        value = _divergence(a, y, low, beta) + (linear[i] * x).sum()
        for _ in range(rounds):
            _slopes(a, wide, linear[i], y, low, p, q)
            if _residual(x, p, q) <= SETTLED:
                break
            gradient[:] = p - q
            _hessian(a, wide, y, low, beta, hessian)
            _quadratic_step(hessian, gradient, x, z)
            slope = ((p - q) * (z - x)).sum()
            length, fell = 1.0, False
            for _ in range(40):
                step = x + length * (z - x)
                _fitted(wide, step, tried)
                _powers(tried, beta - 2, low)
                new = _divergence(a, tried, low, beta) + (linear[i] * step).sum()
                if new <= value + 1e-4 * length * slope and new < value:
                    fell = True
                    break
                length *= 0.5
            if not fell:
                break
            value = new
            x[:] = step
            y[:] = tried
        out[i] = x


@sums_jit
def _residual(x, p, q):
    """The largest |min(x p, (1 − q/p) Σ x p)| over Σ x p."""
    whole, largest = 0.0, 0.0
    for c in range(len(x)):
        whole += x[c] * p[c]
    if not whole > 0:
        return 0.0
    for c in range(len(x)):
        if p[c] > 0:
            largest = max(largest, abs(min(x[c] * p[c], (1 - q[c] / p[c]) * whole)))
    return largest / whole
