"""partwise as a solver of benchopt's benchmark_nmf, from the start that all of its solvers share."""

from typing import ClassVar

from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

import partwise as pw


class Solver(BaseSolver):
    """One run, whose iterates are handed to the benchmark as they come."""

    name = "partwise"
    install_cmd = "conda"
    requirements: ClassVar = ["pip:partwise"]
    parameters: ClassVar = {"algorithm": ["als-hals", "hals", "anls"]}
    sampling_strategy = "callback"
    stopping_criterion = SufficientProgressCriterion(strategy="callback", key_to_monitor="objective_frobenius")

    def set_objective(self, X, rank, factors_init):
        """X, the rank and the pair (W, H) to begin with, or None."""
        self.X, self.rank, self.start = X, rank, tuple(factors_init) if factors_init else None

    def run(self, callback):
        """Iterate until the benchmark has seen enough."""
        for step in pw.iterate(self.X, self.rank, algorithm=self.algorithm, init=self.start):
            self.step = step
            if not callback():
                break

    def get_result(self):
        """The pair as it stands."""
        return {"W": self.step.w, "H": self.step.h.T}
