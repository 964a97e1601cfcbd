"""The paper's tables and figures, each an experiment by name."""

from partwise.experiments import algorithms, basis_vectors, initializations
from partwise.experiments.types import Context, Experiment, Result

__all__ = ["EXPERIMENTS", "Context", "Experiment", "Result"]

EXPERIMENTS: dict[str, Experiment] = {
    "algorithms": algorithms.EXPERIMENT,
    "initializations": initializations.EXPERIMENT,
    "basis-vectors": basis_vectors.EXPERIMENT,
}
"""Name -> experiment; add a line to add one."""
