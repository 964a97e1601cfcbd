"""Factor a nonnegative matrix into additive parts, A ≈ W H, fast, and say how good the result is."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from partwise.agreement import Stability, stability
from partwise.algorithms import (
    ALGORITHMS,
    Algorithm,
    acls,
    ahcls,
    alp,
    als,
    als_hals,
    anls,
    anls_fnnls,
    anls_lawson_hanson,
    barrier,
    extrapolated,
    gdcls,
    hals,
    hoyer_target,
    multiplicative,
    projected_gradient,
)
from partwise.certificate import Certificate
from partwise.data import as_data, open_matrix, write_matrix
from partwise.factorization import Factorization, load
from partwise.inits import INITS
from partwise.loop import iterate
from partwise.measures import hoyer
from partwise.restarts import Racing
from partwise.solve import factorize
from partwise.stopping import (
    AllOf,
    Angle,
    AnyOf,
    Frobenius,
    MaxIterations,
    Reason,
    Stationarity,
    TimeLimit,
)
from partwise.survey import Ranks, ranks
from partwise.svd import SVD, truncated_svd
from partwise.types import Step

if TYPE_CHECKING:
    from partwise.estimator import NMF

__version__ = version("partwise")

__all__ = [
    "ALGORITHMS",
    "INITS",
    "NMF",
    "SVD",
    "Algorithm",
    "AllOf",
    "Angle",
    "AnyOf",
    "Certificate",
    "Factorization",
    "Frobenius",
    "MaxIterations",
    "Racing",
    "Ranks",
    "Reason",
    "Stability",
    "Stationarity",
    "Step",
    "TimeLimit",
    "acls",
    "ahcls",
    "alp",
    "als",
    "als_hals",
    "anls",
    "anls_fnnls",
    "anls_lawson_hanson",
    "as_data",
    "barrier",
    "extrapolated",
    "factorize",
    "gdcls",
    "hals",
    "hoyer",
    "hoyer_target",
    "iterate",
    "load",
    "multiplicative",
    "open_matrix",
    "projected_gradient",
    "ranks",
    "stability",
    "truncated_svd",
    "write_matrix",
]


def __getattr__(name: str) -> Any:
    """Load the estimator on first use: scikit-learn takes a second to import."""
    if name == "NMF":
        from partwise.estimator import NMF

        return NMF
    raise AttributeError(f"module 'partwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
