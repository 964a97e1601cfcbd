"""Bad and extreme values, made once: every public callable is tried with each of them (``fuzz/run.py``)."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

A = np.random.default_rng(0).random((9, 7)) + 0.1


def _with(entry: Any, dtype: str = "f8") -> np.ndarray:
    matrix = A.astype(dtype)
    matrix[4, 2] = entry
    return matrix


def _malformed(name: str, change: Callable[[Any], Any]) -> sp.csr_array:
    matrix = sp.csr_array(A)
    setattr(matrix, name, change(getattr(matrix, name).copy()))
    return matrix


SCALARS: dict[str, Any] = {
    "None": None,
    "True": True,
    "0": 0,
    "-1": -1,
    "1": 1,
    "3": 3,
    "10**30": 10**30,
    "-10**400": -(10**400),
    "2.5": 2.5,
    "-0.0": -0.0,
    "1e308": 1e308,
    "5e-324": 5e-324,
    "nan": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "1j": 1j,
    "Fraction": Fraction(1, 3),
    "numpy int8": np.int8(3),
    "numpy float32 nan": np.float32("nan"),
    "empty text": "",
    "text": "abc",
    "number as text": "2",
    "long text": "x" * 10_000,
    "surrogate": "\ud800",
    "null in text": "a\0b",
    "control": "\x1b[31m",
    "bytes": b"abc",
    "empty list": [],
    "empty tuple": (),
    "empty dict": {},
    "dict": {"a": 1},
    "set": {1, 2},
    "list of None": [None, None],
    "nested": [[[1]]],
    "object": object(),
    "class": int,
    "function": len,
    "generator": (one for one in (1, 2)),
    "exception": ValueError("x"),
    "ellipsis": ...,
    "slice": slice(3),
}
MATRICES: dict[str, Any] = {
    "sound": A,
    "sound float32": A.astype("f4"),
    "sound sparse": sp.csr_array(A),
    "ints": np.arange(63).reshape(9, 7),
    "negative": _with(-0.5),
    "nan": _with(np.nan),
    "inf": _with(np.inf),
    "huge": A * 1e200,
    "tiny": A * 1e-200,
    "subnormal": A * 5e-320,
    "one huge entry": _with(1e150),
    "zeros": np.zeros((9, 7)),
    "zero row": A * (np.arange(9) != 4)[:, None],
    "one": np.ones((1, 1)),
    "a row": A[:1],
    "a column": A[:, :1],
    "1-D": A[0],
    "3-D": A[None],
    "empty": np.zeros((0, 7)),
    "complex": A.astype(complex),
    "objects": A.astype(object),
    "mixed objects": np.array([[1, "x"], [None, 2]], object),
    "text": A.astype("U8"),
    "dates": np.ones((9, 7), "i8").astype("M8[D]"),
    "records": np.zeros((9, 7), [("x", "f8")]),
    "masked": np.ma.masked_greater(A, 0.5),
    "frame": pd.DataFrame(A),
    "frame with text": pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
    "read-only": np.frombuffer(A.tobytes()).reshape(9, 7),
    "fortran": np.asfortranarray(A),
    "strided": np.repeat(A, 2, axis=1)[:, ::2],
    "big-endian": A.astype(">f8"),
    "bool": A > 0.5,
    "half": A.astype("f2"),
    "long double": A.astype("g"),
    "sparse empty": sp.csr_array((9, 7)),
    "sparse coo twice": sp.coo_array((np.r_[A.ravel(), A.ravel()], np.tile(np.indices((9, 7)).reshape(2, -1), 2))),
    "sparse index out": _malformed("indices", lambda i: np.where(np.arange(len(i)) == 5, 99, i).astype(i.dtype)),
    "sparse index negative": _malformed("indices", lambda i: np.where(np.arange(len(i)) == 5, -3, i).astype(i.dtype)),
    "sparse indptr falls": _malformed("indptr", lambda p: np.r_[p[:3], p[2] - 5, p[4:]].astype(p.dtype)),
    "sparse indptr short": _malformed("indptr", lambda p: p[:-1]),
}
VALUES: dict[str, Any] = SCALARS | MATRICES
