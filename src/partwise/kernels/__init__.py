"""Compiled row kernels: plain arrays in, plain arrays out, no lock held; the only folder that imports numba.

Other folders write ``from partwise import kernels`` and call ``kernels.products.column_dots(...)``: a file of kernels
is imported when one of them is first called, so that ``import partwise`` does not wait for numba, a third of its time.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from partwise.kernels import (
        atomics,
        barrier,
        beta,
        cone,
        coordinate,
        dense_runs,
        gradient,
        gram,
        inverse,
        jit,
        memory,
        nnls,
        nnls_lanes,
        poisson,
        products,
        row_systems,
        shared_gram,
        squares,
        tokens,
        vectors,
        word_table,
    )

__all__ = [
    "atomics",
    "barrier",
    "beta",
    "cone",
    "coordinate",
    "dense_runs",
    "gradient",
    "gram",
    "inverse",
    "jit",
    "memory",
    "nnls",
    "nnls_lanes",
    "poisson",
    "products",
    "row_systems",
    "shared_gram",
    "squares",
    "tokens",
    "vectors",
    "word_table",
]


def __getattr__(name: str) -> ModuleType:
    """A file of kernels, imported; from then on it is an attribute of this module."""
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_compiler() -> None:
    """Import numba now, for a caller whose clock starts next."""
    import_module(f"{__name__}.jit")
