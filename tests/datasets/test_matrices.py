"""The matrices of the benchmarks."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from partwise import datasets
from partwise.datasets import Article, DataNotFound


@pytest.fixture(scope="module")
def matrices() -> ModuleType:
    """benchmarks/matrices.py, which is no part of the package."""
    path = Path(__file__).parents[2] / "benchmarks" / "matrices.py"
    spec = importlib.util.spec_from_file_location("benchmark_matrices", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_tfidf_is_terms_by_documents_with_unit_columns(matrices: ModuleType) -> None:
    weighted = matrices.tfidf(["The cat x sat", "CAT dog's 42", "dog, cat, bird"], min_df=2)
    assert weighted.terms.tolist() == ["cat", "dog"]
    # smoothed idf: 1 for a word of all three documents, 1 + log(4/3) for a word of two
    dog = 1 + np.log(4 / 3)
    expected = np.array([[1, 1, 1], [0, dog, dog]]) / np.array([1, np.hypot(1, dog), np.hypot(1, dog)])
    np.testing.assert_allclose(weighted.matrix.toarray(), expected, rtol=1e-14)


def check(weighted: Any, shape: tuple[int, int], nonzeros: int) -> None:
    """The published shape, and unit columns."""
    assert (weighted.matrix.format, weighted.matrix.dtype) == ("csr", np.float64)
    assert (weighted.matrix.shape, weighted.matrix.nnz, len(weighted.terms)) == (shape, nonzeros, shape[0])
    np.testing.assert_allclose((weighted.matrix.power(2)).sum(axis=0), 1, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "shape", "nonzeros"),
    [("reuters", (17_977, 19_043), 994_252), ("reuters10", (8_763, 6_490), 286_583)],
)
def test_reuters_has_its_shape(
    matrices: ModuleType,
    articles: tuple[Article, ...],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    shape: tuple[int, int],
    nonzeros: int,
) -> None:
    """From the articles that have been read already."""
    monkeypatch.setattr(datasets, "load_reuters", lambda data=None: articles)
    check(getattr(matrices, name)(), shape, nonzeros)


@pytest.mark.parametrize(
    ("name", "shape", "nonzeros"), [("medlars", (5_883, 1_033), 54_336), ("cisi", (5_193, 1_460), 70_149)]
)
def test_a_matrix_has_its_shape(matrices: ModuleType, name: str, shape: tuple[int, int], nonzeros: int) -> None:
    try:
        weighted = getattr(matrices, name)()
    except DataNotFound as missing:
        pytest.skip(str(missing))
    check(weighted, shape, nonzeros)
