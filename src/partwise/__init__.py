"""Factor a nonnegative matrix into additive parts, A ≈ W H, fast, and say how good the result is."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from partwise.agreement import Stability, stability
from partwise.algorithm import Algorithm
from partwise.algorithms import (
    ALGORITHMS,
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
from partwise.factorization import Factorization
from partwise.inits import INITS
from partwise.loading import load
from partwise.loop import iterate
from partwise.measures import hoyer
from partwise.methods import MethodRow, compare_methods
from partwise.planning import Plan, plan
from partwise.restarts import Racing
from partwise.resuming import Resumable, resume
from partwise.solve import factorize
from partwise.steps import Step
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

if TYPE_CHECKING:
    from partwise.estimator import NMF
    from partwise.report import write_report
    from partwise.text import LSI, Document, TopicModel, Weighting

__version__ = version("partwise")

__all__ = [
    "ALGORITHMS",
    "INITS",
    "LSI",
    "NMF",
    "SVD",
    "Algorithm",
    "AllOf",
    "Angle",
    "AnyOf",
    "Certificate",
    "Document",
    "Factorization",
    "Frobenius",
    "MaxIterations",
    "MethodRow",
    "Plan",
    "Racing",
    "Ranks",
    "Reason",
    "Resumable",
    "Stability",
    "Stationarity",
    "Step",
    "TimeLimit",
    "TopicModel",
    "Weighting",
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
    "compare_methods",
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
    "plan",
    "projected_gradient",
    "ranks",
    "resume",
    "stability",
    "truncated_svd",
    "write_matrix",
    "write_report",
]


LATE = {
    "NMF": "partwise.estimator",
    "Document": "partwise.text",
    "LSI": "partwise.text",
    "TopicModel": "partwise.text",
    "Weighting": "partwise.text",
    "write_report": "partwise.report",
}


def __getattr__(name: str) -> Any:
    """Load on first use what takes its time: scikit-learn alone needs a second."""
    if name in LATE:
        return getattr(import_module(LATE[name]), name)
    raise AttributeError(f"module 'partwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
