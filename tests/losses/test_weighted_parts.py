"""Weights and unknown entries on disk and on Dask: the factors that there are in memory."""

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw
from partwise.data.disk import _Slot
from partwise.data.observed import ROW_FACTS
from partwise.io.convert import convert

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(RNG.gamma(0.5, 2, (40, 3)) @ RNG.gamma(0.5, 2, (3, 30))).astype(float)
HOLED = np.where(RNG.random(COUNTS.shape) < 0.2, np.nan, COUNTS)
HOLED[3] = np.nan
RATINGS = sp.random_array((40, 30), density=0.5, rng=RNG, format="csr")
RATINGS.data = RNG.integers(0, 6, RATINGS.nnz).astype(float)
TRUST = sp.csr_array((1 + RATINGS.data, RATINGS.indices, RATINGS.indptr), shape=RATINGS.shape)
CASES = {
    "nan": (HOLED, {"missing": "nan"}),
    "zeros": (RATINGS, {"missing": "zeros"}),
    "weights": (COUNTS, {"weights": RNG.choice([0.5, 1, 2.5], COUNTS.shape)}),
    "implicit": (RATINGS, {"weights": TRUST, "unstored": 0.1}),
}
SETTINGS = {"squared": {}, "poisson": {"loss": "poisson", "algorithm": "kl-newton"}}


@pytest.mark.parametrize("long", [0, 1])
@pytest.mark.parametrize("loss", ["squared", "poisson"])
@pytest.mark.parametrize("case", CASES)
def test_disk_is_memory(case, loss, long, tmp_path):
    """Factors, certificate and exact weights, whichever way the parts run; stored zeros, NaN and weights are kept."""
    matrix, known = CASES[case]
    settings = SETTINGS[loss] | {"stop": pw.MaxIterations(6)}
    fit = pw.factorize(matrix, 3, **settings, **known)
    stored = pw.write_matrix(tmp_path / "m", matrix, long=long, part_bytes=2500, **known)
    assert stored.parts > 2
    data = pw.open_matrix(tmp_path / "m")
    on_disk = pw.factorize(data, 3, **settings)
    np.testing.assert_allclose(on_disk.W, fit.W, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(on_disk.H, fit.H, rtol=1e-8, atol=1e-10)
    for name in ("kkt", "value", "rmse", "r2", "explained"):
        assert getattr(on_disk.certificate, name) == pytest.approx(getattr(fit.certificate, name), rel=1e-8), name
    assert on_disk.certificate.known.share == fit.certificate.known.share
    if loss == "squared":
        np.testing.assert_allclose(on_disk.transform(data), fit.transform(matrix, **known), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("loss", ["squared", "poisson"])
def test_one_read_an_iteration(loss, tmp_path, monkeypatch):
    """Every further iteration reads each part once, in both of its orders."""
    pw.write_matrix(tmp_path / "m", RATINGS, long=1, part_bytes=2500, missing="zeros")
    reads: list[int] = []
    load = _Slot.load
    monkeypatch.setattr(_Slot, "load", lambda slot, part, *orders: reads.append(part) or load(slot, part, *orders))
    data = pw.open_matrix(tmp_path / "m")
    algorithm = {"squared": "hals", "poisson": "kl-newton"}[loss]
    counts = []
    for _ in zip(range(6), pw.iterate(data, 3, algorithm=algorithm, init="random"), strict=False):
        counts.append(len(reads))
        reads.clear()
    assert set(counts[3:]) == {data._stored.parts + 1}  # the first part is read ahead for the next pass


def test_dask_is_memory():
    """Dask arrays take ``missing``, and weights that are a dask array; blocks along either axis."""
    dask = pytest.importorskip("dask.array")
    for case, chunks in (("nan", (15, 30)), ("weights", (40, 8))):
        matrix, known = CASES[case]
        spread = {name: dask.from_array(v, chunks=10) if name == "weights" else v for name, v in known.items()}
        for settings in SETTINGS.values():
            usual = settings | {"stop": pw.MaxIterations(5)}
            here = pw.factorize(matrix, 3, **usual, **known)
            there = pw.factorize(dask.from_array(matrix, chunks=chunks), 3, **usual, **spread)
            np.testing.assert_allclose(np.asarray(there.W), here.W, rtol=1e-8, atol=1e-10)
            assert there.certificate.kkt == pytest.approx(here.certificate.kkt, rel=1e-8)
    with pytest.raises(ValueError, match="must be a dask array too"):
        pw.factorize(dask.from_array(COUNTS, chunks=20), 3, weights=np.ones(COUNTS.shape) * 2)


def test_what_a_matrix_on_disk_was_stored_with(tmp_path):
    """It may be said again, and nothing else; without it the file is what it was before."""
    stored = pw.write_matrix(tmp_path / "m", RATINGS, missing="zeros")
    assert (stored.known.missing, stored.known.base, stored.nnz) == ("zeros", False, RATINGS.nnz)
    data = pw.open_matrix(tmp_path / "m")
    fit = pw.factorize(data, 2, missing="zeros", stop=pw.MaxIterations(2))
    assert fit.certificate.known is not None
    with pytest.raises(ValueError, match="store it again with partwise convert --missing"):
        pw.factorize(data, 2, missing="nan")
    with pytest.raises(ValueError, match="NaN"):
        pw.write_matrix(tmp_path / "n", HOLED)
    with pytest.raises(ValueError, match="same shape"):
        pw.write_matrix(tmp_path / "n", RATINGS, weights=TRUST[:3])
    assert pw.write_matrix(tmp_path / "p", RATINGS).known is None


def test_convert_keeps_stored_zeros_nan_and_weights(tmp_path):
    """From triplets, in which a matrix and its weights are sorted into the same parts, and from arrays."""
    sp.save_npz(tmp_path / "a.npz", RATINGS)
    sp.save_npz(tmp_path / "w.npz", TRUST)
    np.save(tmp_path / "h.npy", HOLED)
    with_nan = RATINGS.copy()
    with_nan.data[:5] = np.nan
    sp.save_npz(tmp_path / "n.npz", with_nan)
    for source, matrix, known, files in (
        ("a.npz", RATINGS, {"missing": "zeros"}, {}),
        ("a.npz", RATINGS, {"unstored": 0.1, "weights": TRUST}, {"weights": tmp_path / "w.npz"}),
        ("h.npy", HOLED, {"missing": "nan"}, {}),
        ("n.npz", with_nan, {"missing": "nan"}, {}),
    ):
        target = tmp_path / f"{source}-{len(known)}"
        convert(tmp_path / source, target, memory_limit=2**24, **known | files)
        here, there = pw.observed(matrix, **known), pw.open_matrix(target)
        for name in ROW_FACTS:
            for a, b in ((here, there), (here.T, there.T)):
                np.testing.assert_allclose(getattr(b, name), getattr(a, name), rtol=1e-12, atol=1e-12)
    sp.save_npz(tmp_path / "x.npz", TRUST[:3])
    with pytest.raises(ValueError, match="is not of the shape of"):
        convert(tmp_path / "a.npz", tmp_path / "bad", weights=tmp_path / "x.npz")


def test_the_plan_counts_what_accumulates(tmp_path):
    """k(k + 3)/2 numbers for each row of the short axis, and k more for weighted counts."""
    pw.write_matrix(tmp_path / "m", RATINGS, long=1, missing="zeros")
    pw.write_matrix(tmp_path / "p", RATINGS, long=1)
    data, plain = pw.open_matrix(tmp_path / "m"), pw.open_matrix(tmp_path / "p")
    beyond = 2 * 40 * 8 * (5 * 6 // 2)
    assert pw.plan(data, 5).factors - pw.plan(plain, 5, init="random").factors == beyond
    counts = {"loss": "poisson", "algorithm": "kl-newton"}
    assert pw.plan(data, 5, **counts).factors - pw.plan(plain, 5, **counts).factors == 2 * 40 * 8 * 5
    with pytest.raises(ValueError, match="would take memory"):
        pw.factorize(data, 5, missing="zeros", memory_limit="10MB")


@pytest.mark.parametrize("kind", ["array", "blocks", "dask"])
def test_a_mask_is_kept_or_refused(kind, tmp_path):
    """Masked entries are unknown with missing="nan", as in memory, on disk and in blocks of Dask; else refused."""
    da = pytest.importorskip("dask.array")
    masked = np.ma.masked_invalid(HOLED)
    masked.data[masked.mask] = 7.0
    wanted = pw.factorize(HOLED, 3, missing="nan", stop=pw.MaxIterations(3)).error
    if kind == "dask":
        chunked = da.from_array(masked, chunks=(20, 10))
        with pytest.raises(ValueError, match="Block 0 of the matrix has masked entries"):
            pw.factorize(chunked, 3)
        fit = pw.factorize(chunked, 3, missing="nan", stop=pw.MaxIterations(3))
    else:
        blocks = masked if kind == "array" else [masked[:, :10], masked[:, 10:]]
        with pytest.raises(ValueError, match="masked entries"):
            pw.write_matrix(tmp_path / "m", blocks)
        pw.write_matrix(tmp_path / "m", blocks, part_bytes=2500, missing="nan")
        fit = pw.factorize(pw.open_matrix(tmp_path / "m"), 3, stop=pw.MaxIterations(3))
    assert fit.error == pytest.approx(wanted, rel=1e-8)
