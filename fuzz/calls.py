"""Every public callable × every bad value in the place of each of its arguments."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from bad_values import MATRICES, SCALARS, VALUES, A

import partwise as pw

Case = tuple[str, Callable[[], Any]]
STOP = pw.MaxIterations(2)
BASES: dict[str, dict[str, Any]] = {
    "factorize": {"matrix": A, "rank": 2, "stop": STOP, "threads": 1},
    "iterate": {"matrix": A, "rank": 2, "threads": 1},
    "plan": {"matrix": A, "rank": 2},
    "truncated_svd": {"matrix": A, "rank": 2},
    "stability": {"matrix": A, "rank": 2, "runs": 2, "stop": STOP, "threads": 1},
    "ranks": {"matrix": A, "candidates": [2], "runs": 2},
    "compare_methods": {"matrix": A, "rank": 2, "algorithms": ["hals"], "inits": ["random"]},
    "as_data": {"matrix": A},
    "hoyer": {"x": A},
    "observed": {"matrix": A},
    "load": {"path": "none.partwise"},
    "resume": {"path": "none.checkpoint"},
    "open_matrix": {"path": "none"},
    "relative": {"share": 0.1},
    "beta": {"value": 1.5},
    "frozen": {"algorithm": "hals"},
    "penalised": {"algorithm": "hals"},
    "extrapolated": {"algorithm": "hals"},
    "as_written": {"algorithm": "hals"},
    "Frobenius": {"change": 1e-3},
    "MaxIterations": {"iterations": 3},
    "TimeLimit": {"seconds": 1.0},
    "Angle": {"degrees": 1.0},
    "AnyOf": {"rules": (STOP,)},
    "AllOf": {"rules": (STOP,)},
    "NMF": {"n_components": 2, "max_iter": 3},
    "TopicModel": {"k": 2},
    "LSI": {"k": 2},
    "Document": {"text": "a text", "id": "1"},
}
CLASSES = {"Racing", "Weighting", "Document", "Quadratic", "PerObservation"}
MATRIX_ARGUMENTS = {"matrix", "X", "x", "weights", "init", "A"}
TEXTS = ["ship sail sea wind", "sail sea ship captain", "song melody choir tune", "melody song tune voice"] * 3


def public() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """(name, callable, arguments that it takes) of all that can be called from outside."""
    for name in pw.__all__:
        value = getattr(pw, name)
        if (
            name in BASES
            or name in CLASSES
            or (inspect.isfunction(value) and name not in ("write_report", "write_matrix"))
        ):
            yield name, value, BASES.get(name, {})
    for table in (pw.ALGORITHMS, pw.INITS, pw.PENALTIES):
        yield from ((name, factory, {}) for name, factory in table.items())
    yield "write_matrix", _write, {"blocks": A}
    yield "transform", _transform, {"matrix": A}
    yield "predict", _predict, {"rows": 0, "columns": 0}
    yield "NMF.transform", _estimator, {"X": A}
    yield "TopicModel.fit", _topics, {"texts": TEXTS}
    yield "search", _search, {"query": "ship", "n": 3}


def _write(blocks: Any = A, long: Any = 1, part_bytes: Any = 4096, missing: Any = None, weights: Any = None) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        settings = {"long": long, "part_bytes": part_bytes, "missing": missing, "weights": weights}
        pw.write_matrix(Path(folder, "m"), blocks, **settings)
        return np.asarray(pw.open_matrix(Path(folder, "m")).rows(0, 1))


def _transform(matrix: Any = A, missing: Any = None, weights: Any = None, threads: Any = 1) -> Any:
    fit = pw.factorize(A, 2, stop=STOP, threads=1)
    return fit.transform(matrix, missing=missing, weights=weights, threads=threads)


def _predict(rows: Any = 0, columns: Any = 0) -> Any:
    return pw.factorize(A, 2, stop=STOP, threads=1).predict(rows, columns)


def _estimator(X: Any = A) -> Any:
    return pw.NMF(2, max_iter=3, tol=0).fit(A).transform(X)


def _topics(texts: Any = TEXTS) -> Any:
    return pw.TopicModel(2, threads=1).fit(texts).factorization


def _search(query: Any = "ship", n: Any = 3, blend: Any = None) -> Any:
    model = pw.TopicModel(2, threads=1).fit(TEXTS)
    return [hit.score for hit in model.search(query, n, blend).hits]


def cases() -> Iterator[Case]:
    """(name, action) of every case."""
    for name, function, base in public():
        for argument, parameter in inspect.signature(function).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            kinds = VALUES if argument in MATRIX_ARGUMENTS or argument in ("blocks", "svd", "v") else SCALARS
            for what, value in kinds.items():
                action = partial(_call, name, function, base | {argument: value})
                yield f"{name}({argument}={what})", action
    for what, matrix in MATRICES.items():
        for algorithm in pw.ALGORITHMS:
            yield f"factorize({what}, {algorithm})", partial(_factor, matrix, {"algorithm": algorithm})
        for init in pw.INITS:
            yield f"factorize({what}, init={init})", partial(_factor, matrix, {"init": init})


def _factor(matrix: Any, settings: dict[str, Any]) -> Any:
    return _call("factorize", pw.factorize, BASES["factorize"] | {"matrix": matrix} | settings)


def _call(name: str, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """The complaint about what comes back, or None."""
    value = function(**arguments)
    if name == "iterate":
        value = list(islice(value, 2))
    if name == "compare_methods":
        value = list(value)
    if name == "NMF":
        value = value.fit(A)
    if name in ("TopicModel", "LSI"):
        value = value.fit(TEXTS)
        value = value.factorization if name == "TopicModel" else None
    return None if name == "observed" else not_finite(value)  # which gives what is complete as it is


def not_finite(value: Any) -> tuple[str, str] | None:
    """A complaint where a factor, an error or an array is not finite."""
    if isinstance(value, list):
        return next((complaint for one in value if (complaint := not_finite(one))), None)
    arrays = {name: getattr(value, name, None) for name in ("w", "h", "error", "components_")}
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        arrays["the array"] = value
    for name, array in arrays.items():
        if isinstance(array, (np.ndarray, float)) and not np.isfinite(array).all():
            return "not finite", name
    return None
