"""The units of A do not matter: A and cA take the same path, and certificates say the same of both."""

import inspect
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from takes import skip_unless_taken

import partwise as pw

RANK = 3
POWERS = {"random": 0, "co-occurrence": 2} | dict.fromkeys(
    ("nndsvd", "nndsvda", "nndsvdar", "nnsvd-lrc", "svd-best"), 0.5
)
"""How W⁽⁰⁾ grows with A, W⁽⁰⁾ ~ c^p (DESIGN section 3); the starts that average columns of A have p = 1."""


STARTS = [name for name in pw.INITS if name != "random-pair"]
"""Random numbers between 0 and 1 for both factors do not follow the scale of A."""


def planted(dtype: type = np.float64) -> np.ndarray:
    """Three parts and some noise, with zeros, a zero row and a zero column."""
    rng = np.random.default_rng(0)
    w, h = (rng.random(shape) * (rng.random(shape) < 0.6) for shape in ((18, RANK), (RANK, 14)))
    matrix = (w @ h + 0.2 * rng.random((18, 14))) * (rng.random((18, 14)) < 0.8)
    matrix[5], matrix[:, 9] = 0, 0
    return matrix.astype(dtype)


def start_scale(init: str, c: float) -> float:
    """s: the start of cA is s times that of A."""
    return float(c ** POWERS.get(init, 1))


def built(name: str, s: float = 1, c: float = 1, lam: float = 0.02) -> pw.Algorithm:
    """The algorithm with a penalty on each side where it takes one, λ_W → (c/s)² λ_W and λ_H → s² λ_H."""
    make = pw.ALGORITHMS[name]
    takes = inspect.signature(make).parameters
    if "lam_w" not in takes:
        return make()
    return make(lam_w=2 * lam * (c / s) ** 2, lam_h=lam * s**2)


def path(matrix: object, algorithm: pw.Algorithm, init: object, count: int, seed: int = 1) -> list[pw.Step]:
    """The first steps."""
    return list(islice(pw.iterate(matrix, RANK, algorithm=algorithm, init=init, seed=seed, threads=1), count))


def equal_bits(a: object, b: object) -> None:
    """Equal, NaN to NaN."""
    assert np.array_equal(np.asarray(a, float), np.asarray(b, float), equal_nan=True)


def close(a: object, b: object) -> None:
    """Equal to rounding, as it has grown in a few iterations; NaN to NaN."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8 * float(np.nan_to_num(abs(b)).max()))


def same_path(one: list[pw.Step], two: list[pw.Step], s: float, c: float, same=equal_bits, power: float = 2) -> None:
    """W times s, H times c/s, errors, angles and KKT residuals as they were."""
    assert len(one) == len(two)
    for a, b in zip(one, two, strict=True):
        same(a.w * s, b.w)
        same(a.h * (c / s), b.h)
        same(a.error, b.error)
        same(a.objective * c**power, b.objective)
        same(a.kkt, b.kkt)
        assert a.reseeded == b.reseeded
        if same is equal_bits:  # an angle near 0, or a zero that could be a rounding, is not known to rounding
            same(a.angle, b.angle)
            assert a.optimality == b.optimality or np.isnan(a.kkt)


def power(name: str) -> float:
    """The power of A's units that an algorithm's objective has."""
    return {"squared": 2, "beta=1.5": 1.5}.get(pw.ALGORITHMS[name]().loss, 1)


@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("name", pw.ALGORITHMS)
def test_a_power_of_two_gives_the_same_bits(name, init):
    """c = 4 and the extreme scales 2⁴⁰ and 2⁻⁴⁰, the penalties scaled along: not one bit differs on the path."""
    matrix = planted()
    count, scales = 6, (4.0, 2.0**40, 2.0**-40)
    if name == "alp":  # a linear programme for each row: slow
        count, scales = 2, scales[: 3 if init == "random" else 1]
    one = path(matrix, built(name), init, count)
    for c in scales:
        s = start_scale(init, c)
        same_path(one, path(c * matrix, built(name, s, c), init, count), s, c, power=power(name))


@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("name", pw.ALGORITHMS)
def test_ten_times_the_matrix_gives_the_same_path_to_rounding(name, init):
    """c = 10, which is no power of two."""
    matrix, c = planted(), 10.0
    s, count = start_scale(init, c), 2 if name == "alp" else 5
    one, two = path(matrix, built(name), init, count), path(c * matrix, built(name, s, c), init, count)
    same_path(one, two, s, c, close, power=power(name))


@pytest.mark.parametrize("init", ["random", "random-acol", "svd-centroid", "nndsvd"])
@pytest.mark.parametrize("name", [name for name in pw.ALGORITHMS if name not in ("alp", "anls-lawson-hanson")])
def test_single_precision_and_sparse_data_too(name, init):
    """float32 has a range of 2⁻¹²⁶ to 2¹²⁷, so 2²⁰ and 2⁻²⁰ here."""
    matrix = sp.csr_array(planted(np.float32))
    skip_unless_taken(name, matrix)
    one = path(matrix, built(name), init, 5)
    for c in (4.0, 2.0**20, 2.0**-20):
        s = start_scale(init, c)
        same_path(one, path(np.float32(c) * matrix, built(name, s, c), init, 5), s, c, power=power(name))


@pytest.mark.parametrize("c", [4.0, 2.0**40, 2.0**-40])
@pytest.mark.parametrize("init", ["random", "nndsvd"])
def test_momentum_and_ahcls_do_not_know_the_scale(init, c):
    """Extrapolated acls, and ahcls with a sparsity on each side."""
    s = start_scale(init, c)
    one, two = (
        [
            path(u * planted(), pw.extrapolated(built("acls", t, u)), init, 8),
            path(u * planted(), pw.ahcls(0.03 * (u / t) ** 2, 0.05 * t**2, 0.8, 0.3), init, 8),
        ]
        for t, u in ((1.0, 1.0), (s, c))
    )
    for a, b in zip(one, two, strict=True):
        same_path(a, b, s, c)


@pytest.mark.parametrize("lam", [0.0, 0.1])
@pytest.mark.parametrize("s", [1.0, 4.0])
def test_a_reseeded_topic_does_not_know_the_scale(s, lam):
    """A dead topic's new column fits in with the others, however W and A are scaled against each other."""
    matrix, c = planted(), 4.0
    w = np.random.default_rng(3).random((18, RANK))
    w[:, 1] = 0
    one = path(matrix, built("acls", lam=lam), w, 6)
    two = path(c * matrix, built("acls", s, c, lam=lam), s * w, 6)
    assert one[-1].reseeded == two[-1].reseeded != ()
    close([step.error for step in one], [step.error for step in two])
    close([step.kkt for step in one], [step.kkt for step in two])


def facts(certificate: pw.Certificate) -> dict[str, object]:
    """What a certificate says that has no units: no seconds, no loss in the units of A, no λ in the method's name."""
    units = ("seconds", "compiling", "algorithm", "value", "rmse")
    known = {name: value for name, value in certificate.as_dict().items() if name not in units}
    known["start"] = {name: value for name, value in known["start"].items() if name != "seconds"}
    return known


@pytest.mark.parametrize("init", ["random", "random-acol"])
@pytest.mark.parametrize("name", [name for name in pw.ALGORITHMS if name != "alp"])
def test_a_certificate_says_the_same_of_both(name, init):
    """Error, ratio to the SVD, KKT residual, verdict, angles, sparsity, locked zeros, topics, reason, iterations."""
    matrix = planted()
    stop = [pw.MaxIterations(40), pw.Frobenius(change=1e-5)]
    one = pw.factorize(matrix, RANK, algorithm=built(name), init=init, stop=stop, svd=True)
    assert power(name) != 2 or one.certificate.svd_ratio >= 1
    for c in (4.0, 2.0**40, 2.0**-40):
        s = start_scale(init, c)
        two = pw.factorize(c * matrix, RANK, algorithm=built(name, s, c), init=init, stop=stop, svd=True)
        assert facts(two.certificate) == facts(one.certificate)
        for column in ("iteration", "error", "angle", "kkt"):
            equal_bits(two.history[column], one.history[column])


def test_defaults_do_not_know_the_scale():
    """No settings at all: the same number of iterations, the same reason, the same certificate."""
    one = pw.factorize(planted(), RANK, svd=True)
    for c in (4.0, 2.0**40, 2.0**-40):
        assert facts(pw.factorize(c * planted(), RANK, svd=True).certificate) == facts(one.certificate)


def test_a_polish_and_a_transform_do_not_know_the_scale():
    """acls, then hals with its penalty; and H of other columns."""
    c, s = 4.0, 1.0
    rules = {"stop": pw.MaxIterations(5), "polish": "hals", "polish_stop": pw.Stationarity(1e-3), "init": "random"}
    one = pw.factorize(planted(), RANK, algorithm=built("acls"), **rules)
    two = pw.factorize(c * planted(), RANK, algorithm=built("acls", s, c), **rules)
    assert facts(one.certificate) == facts(two.certificate)
    equal_bits(one.transform(planted()) * c, two.transform(c * planted()))


def at(w: np.ndarray, h: np.ndarray, algorithm: str | pw.Algorithm = "hals", matrix: object = None) -> pw.Certificate:
    """The certificate of a given pair."""
    given = planted() if matrix is None else matrix
    return pw.factorize(given, RANK, algorithm=algorithm, init=(w, h), stop=pw.MaxIterations(0)).certificate


@pytest.fixture(scope="module")
def pair() -> tuple[np.ndarray, np.ndarray]:
    """A pair in the middle of a run, with exact zeros in both factors, not stationary."""
    fit = pw.factorize(planted(), RANK, algorithm="als", stop=pw.MaxIterations(4), keep="last")
    assert fit.certificate.kkt > 1e-3
    assert not fit.W.all()
    return fit.W, fit.H


def test_the_kkt_residual_does_not_change_when_topics_are_rescaled(pair):
    """W → WD, H → D⁻¹H with λ = 0: bit for bit where D are powers of two, to rounding where they are not."""
    w, h = pair
    base = at(w, h)
    powers = 2.0 ** np.array([10, -20, 3])
    assert at(w * powers, h / powers[:, None]).kkt == base.kkt
    rough = np.array([1e4, 0.3, 7e-5])
    turned = at(w * rough, h / rough[:, None])
    assert turned.kkt == pytest.approx(base.kkt, rel=1e-9)
    assert (turned.w.locked, turned.h.locked) == (base.w.locked, base.h.locked)
    assert turned.relative_error == pytest.approx(base.relative_error, rel=1e-9)


def test_with_a_penalty_it_does_change(pair):
    """The penalty knows the lengths of W and H, so the residual must too: the test above is not empty."""
    w, h = pair
    d = np.array([4.0, 0.5, 2])
    assert at(w * d, h / d[:, None], pw.acls()).kkt != pytest.approx(at(w, h, pw.acls()).kkt, rel=1e-3)


@pytest.mark.parametrize("s", [1.0, 3.0, 100.0, 0.1])
@pytest.mark.parametrize("algorithm", ["als", "acls", "ahcls", "gdcls", "hals", "multiplicative"])
def test_the_kkt_residual_of_a_pair_does_not_change_with_the_matrix(pair, algorithm, s):
    """cA with sW and (c/s)H, λ scaled: r stays, for any split of c between the factors."""
    w, h = pair
    c = 10.0
    scaled = at(s * w, (c / s) * h, built(algorithm, s, c), c * planted())
    assert scaled.kkt == pytest.approx(at(w, h, built(algorithm)).kkt, rel=1e-9)


def test_without_scaled_penalties_the_path_is_another():
    """λ as it was on 10 A gives other factors: the scaling in these tests does something."""
    one, two = (path(c * planted(), pw.acls(0.5, 0.5), "random", 3)[-1] for c in (1, 10))
    assert abs(one.error - two.error) > 1e-3 * one.error


def test_a_step_says_what_it_is_in_any_units():
    """The objective of a step is in the units of A², everything else is free of them."""
    one, two = (path(c * planted(), built("hals", lam=0), "random-acol", 4)[-1] for c in (1.0, 4.0))
    assert two.objective == 16 * one.objective
    assert replace(two, basis=one.basis, weights=one.weights).error == one.error
