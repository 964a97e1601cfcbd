"""partwise as a solver of benchopt's benchmark_nmf, from the start that all of its solvers share."""

from typing import ClassVar

from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

import partwise as pw


class Solver(BaseSolver):
    """Runs of more and more iterations, each from the start, as for scikit-learn."""

    name = "partwise"
    install_cmd = "conda"
    requirements: ClassVar = ["pip:partwise"]
    parameters: ClassVar = {"algorithm": ["als-hals", "hals", "anls"]}
    sampling_strategy = "iteration"
    stopping_criterion = SufficientProgressCriterion(strategy="iteration", key_to_monitor="objective_frobenius")

    def set_objective(self, X, rank, factors_init):
        """X, the rank and the pair (W, H) to begin with, or None; kernels are compiled before the clock starts."""
        self.X, self.rank, self.start = X, rank, tuple(factors_init) if factors_init else None
        self.run(3)

    def run(self, n_iter):
        """So many iterations; none is the start itself."""
        if n_iter == 0 and self.start:
            self.pair = self.start
            return
        stop = pw.MaxIterations(max(1, n_iter))
        fit = pw.factorize(self.X, self.rank, algorithm=self.algorithm, init=self.start, stop=stop)
        self.pair = fit.W, fit.H

    def get_result(self):
        """The pair as it stands."""
        return {"W": self.pair[0], "H": self.pair[1]}
