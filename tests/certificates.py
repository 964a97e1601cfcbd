"""The certificate of a fit, recomputed with plain numpy from A, W and H; a difference is a silent wrong answer."""

import numpy as np
import scipy.sparse as sp

import partwise as pw

CLOSE = 1e-7


def problem(seed):
    """(matrix, rank, settings): small, random, dense or sparse, of any scale, with zero rows now and then."""
    rng = np.random.default_rng(seed)
    m, n = (int(side) for side in rng.integers(3, 15, 2))
    rank = int(rng.integers(1, min(m, n) + 1))
    a = rng.random((m, n)) * (rng.random((m, n)) < rng.choice([0.3, 0.7, 1.0])) * 10.0 ** rng.integers(-6, 7)
    a[rng.integers(m)] *= rng.integers(2)
    a[0, 0] += abs(a).max() + 1e-3
    matrix = sp.csr_array(a) if rng.random() < 0.5 else a
    stop = pw.MaxIterations(int(rng.integers(0, 12)))
    init = rng.choice(["random", "random-acol", "svd-centroid"])
    return a, matrix, rank, {"stop": stop, "init": str(init), "seed": int(seed), "threads": 1}


def disagreements(seed, algorithm):
    """What the certificate of a random problem says that its W and H do not; [] where it is true, None if refused."""
    a, matrix, rank, settings = problem(seed)
    try:
        fit = pw.factorize(matrix, rank, algorithm=algorithm, **settings)
    except (ValueError, TypeError) as error:
        return None if str(error).endswith(".") else [str(error)]
    w, h, certificate = np.asarray(fit.W), np.asarray(fit.H), fit.certificate
    sound = w.shape == (len(a), rank) and h.shape == (rank, a.shape[1]) and min(w.min(), h.min()) >= 0
    wrong = [] if sound and np.isfinite(w).all() and np.isfinite(h).all() else ["factors"]
    own = numbers(a, w, h, fit.algorithm, certificate)
    for name, wanted in own.items():
        stated = getattr(certificate, name)
        if not np.isclose(stated, wanted, rtol=1e-5, atol=CLOSE, equal_nan=True):
            wrong.append(f"{name} {stated!r}, not {wanted!r}")
    for name, factor in (("w", w), ("h", h.T)):
        side = getattr(certificate, name)
        if not np.isclose(side.zeros, np.mean(factor == 0)):
            wrong.append(f"zeros of {name}")
        if rank > 1 and not np.isclose(side.sparsity_by_row, mean_hoyer(factor), atol=1e-9, equal_nan=True):
            wrong.append(f"sparsity of {name}")
    return wrong


def numbers(a, w, h, algorithm, certificate):
    """The relative error and the KKT residual of the squared loss; the divergence over ‖A‖₁ for counts."""
    fitted, size = w @ h, (a * a).sum()
    if certificate.loss in ("squared", "absolute"):
        known = {"relative_error": np.sqrt(((a - fitted) ** 2).sum() / size)}
        if certificate.kkt is not None and not constrained(algorithm):
            known["kkt"] = kkt(a, w, h, algorithm)
        return known
    if certificate.loss == "poisson":
        positive = a > 0
        value = (a[positive] * np.log(a[positive] / fitted[positive])).sum() - a.sum() + fitted.sum()
        return {"value": value}
    return {}


def constrained(algorithm):
    """Whether the point is stationary for something other than a penalised sum of squares."""
    sides = algorithm.sides
    return algorithm.adjusts or any(
        side.update.constraint or side.update.fixed or not side.penalty.convex for side in sides
    )


def kkt(a, w, h, algorithm):
    """(‖min(W·b, ∇_W/b)‖² + ‖min(H·a, ∇_H/a)‖²)^½ / ‖A‖, with the matrices of the penalties in the gradients."""
    total, k = 0.0, w.shape[1]
    for x, fixed, data, side in ((w, h.T, a, algorithm.w), (h.T, w, a.T, algorithm.h)):
        gram, rhs = side.penalised(fixed.T @ fixed), data @ fixed
        gradient, length = x @ gram - rhs, np.sqrt(np.diag(fixed.T @ fixed))
        linear = side.linear(k)
        gradient = gradient if linear is None else gradient + linear / 2
        live = length > 0
        total += (np.minimum(x[:, live] * length[live], gradient[:, live] / length[live]) ** 2).sum()
    return np.sqrt(total / (a * a).sum())


def mean_hoyer(factor):
    """The mean Hoyer sparsity of the rows that are not zero."""
    rows, root = factor[factor.any(axis=1)], np.sqrt(factor.shape[1])
    if not len(rows):
        return np.nan
    return np.mean((root - rows.sum(axis=1) / np.linalg.norm(rows, axis=1)) / (root - 1))
