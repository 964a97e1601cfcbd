"""Factor a nonnegative matrix into additive parts, A ≈ W H, fast, and say how good the result is."""

import partwise.start_up  # noqa: F401  first, for the time of all other imports

# isort: split
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from partwise.algorithms.as_written import as_written
from partwise.algorithms.base import Algorithm, Side
from partwise.algorithms.penalties import PENALTIES, Penalty, PerObservation, Quadratic
from partwise.algorithms.relative import relative
from partwise.algorithms.table import (
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
    beta_multiplicative,
    extrapolated,
    frozen,
    gdcls,
    hals,
    hoyer_target,
    kl_multiplicative,
    kl_sweeps,
    multiplicative,
    penalised,
    projected_gradient,
    sparse_parts,
)
from partwise.data.as_data import as_data
from partwise.data.disk import open_matrix
from partwise.data.unknown import observed
from partwise.data.write import write_matrix
from partwise.engine.plan import Plan, plan
from partwise.engine.restarts import Racing
from partwise.engine.step import Step
from partwise.engine.stopping import (
    RULES,
    AllOf,
    Angle,
    AnyOf,
    Frobenius,
    MaxIterations,
    Reason,
    Rule,
    Stationarity,
    TimeLimit,
    angular_stop,
)
from partwise.factorize import factorize, iterate
from partwise.inits.table import INITS
from partwise.linalg.measures import hoyer
from partwise.linalg.svd import SVD, truncated_svd
from partwise.load import load
from partwise.losses.table import LOSSES, beta
from partwise.result.certificate import Certificate
from partwise.result.factorization import Factorization
from partwise.resume import Resumable, resume
from partwise.types import Update

if TYPE_CHECKING:
    from partwise.estimator import NMF
    from partwise.report import write_report
    from partwise.study.compare import MethodRow, compare_methods
    from partwise.study.ranks import Ranks, ranks
    from partwise.study.stability import Stability, stability
    from partwise.text import LSI, Document, TopicModel, Weighting

__version__ = version("partwise")

__all__ = [
    "ALGORITHMS",
    "INITS",
    "LOSSES",
    "LSI",
    "NMF",
    "PENALTIES",
    "RULES",
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
    "Penalty",
    "PerObservation",
    "Plan",
    "Quadratic",
    "Racing",
    "Ranks",
    "Reason",
    "Resumable",
    "Rule",
    "Side",
    "Stability",
    "Stationarity",
    "Step",
    "TimeLimit",
    "TopicModel",
    "Update",
    "Weighting",
    "acls",
    "ahcls",
    "alp",
    "als",
    "als_hals",
    "angular_stop",
    "anls",
    "anls_fnnls",
    "anls_lawson_hanson",
    "as_data",
    "as_written",
    "barrier",
    "beta",
    "beta_multiplicative",
    "compare_methods",
    "extrapolated",
    "factorize",
    "frozen",
    "gdcls",
    "hals",
    "hoyer",
    "hoyer_target",
    "iterate",
    "kl_multiplicative",
    "kl_sweeps",
    "load",
    "multiplicative",
    "observed",
    "open_matrix",
    "penalised",
    "plan",
    "projected_gradient",
    "ranks",
    "relative",
    "resume",
    "sparse_parts",
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
    "MethodRow": "partwise.study.compare",
    "Ranks": "partwise.study.ranks",
    "Stability": "partwise.study.stability",
    "compare_methods": "partwise.study.compare",
    "ranks": "partwise.study.ranks",
    "stability": "partwise.study.stability",
}


def __getattr__(name: str) -> Any:
    """Load on first use what takes its time: scikit-learn alone needs a second."""
    if name in LATE:
        return getattr(import_module(LATE[name]), name)
    raise AttributeError(f"module 'partwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
