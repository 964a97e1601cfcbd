"""Every public callable × every bad value in the place of each of its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice
from typing import Any

import numpy as np
from bad_values import MATRICES, SCALARS, VALUES, A

import partwise as pw
from partwise.study.ranks import survey
from partwise.text.search import Answer

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
    "sparse_parts": {"w": 0.5},
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
TEXTS = ["ship sail sea wind", "sail sea ship captain", "song melody choir tune", "melody song tune voice"] * 3
CLASSES = {"Racing", "Weighting", "Document", "Quadratic", "PerObservation"}
METHODS: dict[str, dict[str, dict[str, Any]]] = {
    "fit": {
        "transform": {"matrix": A, "threads": 1},
        "predict": {"rows": 0, "columns": 0},
        "recommend": {"column": 0, "n": 3},
        "save": {"path": "fit.partwise"},
    },
    "estimator": {
        "fit": {"X": A},
        "fit_transform": {"X": A},
        "partial_fit": {"X": A},
        "transform": {"X": A},
        "inverse_transform": {"X": np.ones((3, 2))},
        "score": {"X": A},
    },
    "topics": {
        "fit": {"texts": TEXTS},
        "transform": {"texts": TEXTS},
        "search": {"query": "ship sea"},
        "similar": {"document": 0},
        "clusters": {},
        "explain": {"document": 0},
        "explain_text": {"text": "ship sea"},
        "topics": {},
        "save": {"path": "topics.partwise"},
        "use_tokenizer": {"tokenizer": str.split},
    },
    "lsi": {"search": {"query": "ship sea"}, "similar": {"document": 0}, "transform": {"texts": TEXTS}},
    "svd": {"truncate": {"rank": 1}},
    "weighting": {"fit": {"texts": TEXTS}, "of_language": {"texts": TEXTS}},
}
"""Object -> method -> its arguments."""
LIKE_MATRICES = {"matrix", "X", "x", "W", "H", "weights", "init", "A", "blocks", "svd", "v", "known", "texts"}
LIKE_FUNCTIONS = {"init", "stop", "polish_stop", "rules", "tokenizer"}
TABLES: dict[str, list[Any]] = {
    "algorithm": list(pw.ALGORITHMS),
    "init": list(pw.INITS),
    "loss": list(pw.LOSSES),
    "missing": ["nan", "zeros"],
    "biases": [True],
}
"""Argument of ``factorize`` -> its values, each tried with every matrix."""


@cache
def objects() -> dict[str, Any]:
    """What the methods are called on; made once, a child has its own copy."""
    return {
        "fit": pw.factorize(A, 2, stop=STOP, threads=1),
        "estimator": pw.NMF(2, max_iter=3, tol=0).fit(A),
        "topics": pw.TopicModel(2, stop=STOP, threads=1).fit(TEXTS),
        "lsi": pw.LSI(2, threads=1).fit(TEXTS),
        "svd": pw.truncated_svd(A, 2, threads=1),
        "weighting": pw.Weighting(),
    }


def public() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """(name, callable, arguments that it takes) of all that can be called from outside."""
    known = []
    for name in pw.__all__:
        value = getattr(pw, name)
        if name in BASES or name in CLASSES or (inspect.isfunction(value) and not name.startswith("write_")):
            known.append(value)
            yield name, value, BASES.get(name, {})
    for table in (pw.ALGORITHMS, pw.INITS):
        yield from ((name, factory, {}) for name, factory in table.items() if factory not in known)
    yield "write_matrix", _write, {"blocks": A}
    yield "write_report", pw.write_report, {"model": objects()["fit"], "path": "page.html", "runs": 0}
    yield "held-out ranks", partial(survey, by="held-out"), {"matrix": A, "candidates": [2], "threads": 1}
    yield "stability ranks", survey, {"matrix": A, "candidates": [2], "runs": 2, "threads": 1}
    for owner, methods in METHODS.items():
        for method, base in methods.items():
            yield f"{owner}.{method}", getattr(objects()[owner], method), base


def _write(
    blocks: Any = A,
    long: Any = 1,
    part_bytes: Any = 4096,
    missing: Any = None,
    weights: Any = None,
    unstored: Any = None,
) -> Any:
    settings = {"long": long, "part_bytes": part_bytes, "missing": missing, "weights": weights, "unstored": unstored}
    pw.write_matrix("m", blocks, **settings)
    return np.asarray(pw.open_matrix("m").rows(0, 1))


def cases() -> Iterator[Case]:
    """(name, action) of every case."""
    for name, function, base in public():
        for argument, parameter in inspect.signature(function).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD or argument == "by":
                continue
            for what, value in (VALUES if argument in LIKE_MATRICES else SCALARS).items():
                if argument in LIKE_FUNCTIONS and callable(value):
                    continue  # what a user's own function raises is the user's
                action = partial(_call, name, function, base | {argument: value})
                yield f"{name}({argument}={what})", action
    for what, matrix in MATRICES.items():
        for setting, names in TABLES.items():
            for one in names:
                yield f"factorize({what}, {setting}={one})", partial(_factor, matrix, **{setting: one})


def _factor(matrix: Any, **settings: Any) -> Any:
    return _call("factorize", pw.factorize, BASES["factorize"] | {"matrix": matrix} | settings)


def _call(name: str, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """The complaint about what comes back, or None."""
    value = function(**arguments)
    if isinstance(value, Iterator):
        value = list(islice(value, 2))
    return None if name == "svd.truncate" else not_finite(used(name, value))


def used(name: str, value: Any) -> Any:
    """What comes of a value where it is put to its use."""
    if isinstance(value, pw.Algorithm):
        return pw.factorize(A, 2, algorithm=value, stop=STOP, threads=1)
    if isinstance(value, pw.Rule):
        return pw.factorize(A, 2, stop=[value, STOP], threads=1)
    if name in pw.INITS:
        return pw.factorize(A, 2, init=value, stop=STOP, threads=1)
    if name in ("Quadratic", "PerObservation"):
        return pw.factorize(A, 2, algorithm=pw.penalised("hals", w=value), stop=STOP, threads=1)
    if name == "beta":
        return pw.factorize(A, 2, loss=value, stop=STOP, threads=1)
    if name == "Racing":
        return pw.factorize(A, 2, racing=value, restarts=3, stop=STOP, threads=1)
    if name == "NMF":
        return value.fit(A)
    if name in ("TopicModel", "LSI"):
        return getattr(value.fit(TEXTS), "factorization", None)
    if name == "Weighting":
        return pw.TopicModel(2, weighting=value, stop=STOP, threads=1).fit(TEXTS).factorization
    if name == "Document":
        return pw.TopicModel(2, stop=STOP, threads=1).fit([*TEXTS, value]).factorization
    if name == "observed":
        return pw.factorize(value, 2, stop=STOP, threads=1)
    if isinstance(value, Answer):
        return [float(hit.score) for hit in value.hits]
    return value


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
