"""The paper's tables and figures, each an experiment by name."""

from partwise.experiments import (
    algorithms,
    applications,
    basis_vectors,
    convergence,
    initializations,
    interpretation,
    locking,
    nonnegativity,
    polish,
    sparsity,
)
from partwise.experiments.experiment import Context, Experiment, Result

__all__ = ["EXPERIMENTS", "Context", "Experiment", "Result"]

EXPERIMENTS: dict[str, Experiment] = {
    "algorithms": algorithms.EXPERIMENT,
    "initializations": initializations.EXPERIMENT,
    "basis-vectors": basis_vectors.EXPERIMENT,
    "convergence": convergence.EXPERIMENT,
    "interpretation": interpretation.EXPERIMENT,
    "sparsity": sparsity.EXPERIMENT,
    "nonnegativity": nonnegativity.EXPERIMENT,
    "locking": locking.EXPERIMENT,
    "polish": polish.EXPERIMENT,
    "applications": applications.EXPERIMENT,
}
"""Name -> experiment; add a line to add one."""
