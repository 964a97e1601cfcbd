"""scikit-learn's manners around the factorisation: samples are rows here, so X is Aᵀ."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_n_features, check_is_fitted, check_non_negative, validate_data

from partwise.algorithms.base import Algorithm
from partwise.algorithms.penalties import Quadratic
from partwise.arguments import number
from partwise.data.as_data import as_data, is_kept_elsewhere
from partwise.data.products import residual2
from partwise.data.sparse_structure import check_structure
from partwise.engine.half_step import fold_in, in_precision
from partwise.engine.online import Sums
from partwise.engine.run import default_stop
from partwise.engine.stopping import MaxIterations, Reason, Rule
from partwise.factorize import certified, checked_call, iterate
from partwise.losses.table import algorithm_for, loss_of
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers
from partwise.types import Array


class NMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Nonnegative matrix factorisation of X (samples × features) ≈ transform(X) @ components_.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        The number of parts; "auto" is 10, or the smaller side of X if that is less.
    algorithm : str, Algorithm or None, default=None
        A name in ``partwise.ALGORITHMS`` or an object such as ``partwise.acls(lam_w=.5, lam_h=.5)``; None is
        ``als-hals``, and ``kl-sweeps`` is for counts.
    init : str, object, array or None, default=None
        A name in ``partwise.INITS``, or the start of the components as a features × n_components array; None is the
        algorithm's own, for the default one ``sample``: a run on some of the samples first.
    tol : float, default=1e-4
        Stop when the relative error, or its change in two iterations at this pace, is at most this and the point is
        nearly stationary; 0 makes max_iter iterations.
    max_iter : int, default=300
        The most iterations.
    random_state : int, RandomState or None, default=None
        An int gives the same result every time, on any number of threads.
    threads : int or None, default=None
        How many threads; PARTWISE_NUM_THREADS or all usable cores unless given.
    alpha_W, alpha_H : float, default=0.0 and "same"
        scikit-learn's penalties on the samples' weights and on the components; "same" is alpha_W.
    l1_ratio : float, default=0.0
        The share of L1 in the penalties, from 0 (squares alone) to 1 (L1 alone).
    forget_factor : float, default=1.0
        In ``partial_fit``, what earlier batches count at each further one, in (0, 1]; 1 forgets nothing.

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features_in_)
    n_components_ : int
    reconstruction_err_ : float
        ‖X − transform(X) @ components_‖_F.
    n_iter_ : int
    certificate_ : Certificate
        What the fit is worth; print it.

    Notes
    -----
    ``fit_transform(X)`` and ``fit(X).transform(X)`` are the same numbers: both end in the exact solution of the
    algorithm's own problem for the components that were found.

    With alpha_W, alpha_H and l1_ratio = ρ the objective is scikit-learn's, for U = ``fit_transform(X)`` and V =
    ``components_``: ½‖X − UV‖² + alpha_W n_features (ρ ΣU + ½(1 − ρ)‖U‖²) + alpha_H n_samples (ρ ΣV + ½(1 − ρ)‖V‖²).
    Half of ours: our H is U and our W is Vᵀ, so λ₁ is 2 alpha n ρ and λ is alpha n (1 − ρ). A penalty on one side alone
    is taken as it is, though shrinking that side and growing the other makes it as small as one likes. In
    ``partial_fit`` n_samples is the number of samples so far.

    Examples
    --------
    >>> import numpy as np
    >>> from partwise import NMF
    >>> X = np.array([[1.0, 0, 2], [2, 0, 4], [0, 3, 0], [0, 1, 0]])
    >>> model = NMF(2, random_state=0).fit(X)
    >>> bool(model.reconstruction_err_ < 1e-2)
    True
    """

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        algorithm: str | Algorithm | None = None,
        init: Any = None,
        tol: float = 1e-4,
        max_iter: int = 300,
        random_state: Any = None,
        threads: int | None = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        forget_factor: float = 1.0,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.init = init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.threads = threads
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.forget_factor = forget_factor

    def fit(self, X: Any, y: Any = None) -> NMF:
        """Find the components of X."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Find the components of X and give each sample's weights."""
        X = self._checked(X, reset=True)
        algorithm, data = self._algorithm(X.shape), as_data(X).T
        call = checked_call(
            data,
            self._rank(X.shape),
            algorithm=algorithm,
            init=self.init,
            stop=self._rules(algorithm),
            seed=self._seed(),
            threads=self.threads,
            settle=True,
        )
        with call.problem.workers:
            run, starts, _ = call.drive()
            if run.reason is Reason.INTERRUPTED:
                raise KeyboardInterrupt
            fit = certified(run, starts)
        self.algorithm_ = algorithm
        self.components_ = np.ascontiguousarray(np.asarray(fit.w).T)
        self.n_components_ = fit.rank
        self.certificate_ = fit.certificate
        self.n_iter_ = max(1, fit.certificate.iterations)
        self.reconstruction_err_ = call.problem.loss.distance(data, fit.error)
        self.n_samples_seen_ = X.shape[0]
        if call.problem.loss.streams:
            self._sums = Sums.of(fit.h, run.iterate.check.rhs_w)
        if self.tol > 0 and fit.reason is Reason.MAX_ITERATIONS:
            warnings.warn(
                f"NMF stopped at max_iter={self.max_iter} before the tolerance was met; "
                "look at certificate_, raise max_iter or raise tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return fit.h

    def partial_fit(self, X: Any, y: Any = None) -> NMF:
        """Go on with a further batch of samples, which need not be kept: online NMF (Mairal et al. 2010).

        The batch gets its exact weights for the components as they are; then the components make one half-step from
        the sums over all batches so far, those that ``fit`` has seen too.
        """
        if not isinstance(self.forget_factor, (int, float, np.number)) or not 0 < self.forget_factor <= 1:
            raise ValueError(f"forget_factor must be a number in (0, 1], not {self.forget_factor!r}.")
        algorithm = self._algorithm((1, 1))
        if not loss_of(algorithm).streams:
            raise ValueError(f"{algorithm.name} needs all samples at once; use another algorithm for streams.")
        first = not hasattr(self, "_sums")
        documents = as_data(self._checked(X, reset=first), zero=not first)
        with Workers(self.threads) as workers:
            if first:
                self._begin(documents)
            w = in_precision(self.components_.T, documents.dtype)
            weights = self._fold_in(documents, w, workers)
            self._sums = self._sums.add(documents.T, weights, workers, float(self.forget_factor))
            self.algorithm_ = self._algorithm((self._sums.samples, len(w)))
            with single_threaded_blas():
                w = self._sums.half_step(self.algorithm_.w, w)
        self.components_ = np.ascontiguousarray(w.T)
        self.n_samples_seen_ = self._sums.samples
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        return self

    def _begin(self, documents: Any) -> None:
        """The components before the first batch: step 0 of the loop on it."""
        rank, self.algorithm_ = self._rank(documents.shape), self._algorithm(documents.shape)
        steps = iterate(
            documents.T, rank, algorithm=self.algorithm_, init=self.init, seed=self._seed(), threads=self.threads
        )
        self.components_ = np.ascontiguousarray(np.asarray(next(iter(steps)).w).T)
        self.n_components_ = int(rank)
        self._sums = Sums.empty(documents.shape[1], int(rank))

    def transform(self, X: Any) -> Any:
        """The weights of samples for these components, exact and the same for one row or many."""
        check_is_fitted(self)
        documents = as_data(self._checked(X, reset=False), zero=True)
        w = in_precision(self.components_.T, documents.dtype)
        with Workers(self.threads) as workers:
            return documents.hand_out(self._fold_in(documents, w, workers))

    def inverse_transform(self, X: Any) -> Array:
        """Samples again from their weights: X @ components_."""
        check_is_fitted(self)
        if np.shape(X)[1:] != (len(self.components_),):
            raise ValueError(f"The weights must have {len(self.components_)} columns, one for each component.")
        back: Array = X @ self.components_
        return back

    def score(self, X: Any, y: Any = None) -> float:
        """The share of the squares of X that the components explain: 1 − ‖X − X̂‖² / ‖X‖²."""
        check_is_fitted(self)
        documents = as_data(self._checked(X, reset=False))
        w = in_precision(self.components_.T, documents.dtype)
        with Workers(self.threads) as workers:
            weights = self._fold_in(documents, w, workers)
            return 1 - residual2(documents, weights, w, workers) / documents.norm2

    def _fold_in(self, documents: Any, w: Array, workers: Workers) -> Any:
        """The exact weights of samples for these components."""
        return fold_in(documents, loss_of(self.algorithm_), self.algorithm_, w, workers).factor.rows

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _checked(self, X: Any, *, reset: bool) -> Any:
        if is_kept_elsewhere(X):
            _check_n_features(self, X, reset=reset)
            return as_data(X, zero=not reset)
        if np.ma.is_masked(X):
            raise ValueError("X has masked (missing) entries; fill them first, e.g. with X.filled(0).")
        if sp.issparse(X):
            check_structure(X)
        formats = ("csr", "csc", "coo", "bsr")  # scikit-learn makes the others csr, so that it can look for NaN
        X = validate_data(self, X, reset=reset, accept_sparse=formats, dtype=[np.float64, np.float32], order=None)
        check_non_negative(X, "NMF")
        return X

    def _algorithm(self, shape: tuple[int, int]) -> Algorithm:
        """The algorithm with scikit-learn's penalties for so many samples and features."""
        algorithm = algorithm_for(self.algorithm)
        alpha_w, ratio = number("alpha_W", self.alpha_W), number("l1_ratio", self.l1_ratio, 0, 1)
        if isinstance(self.alpha_H, str) and self.alpha_H != "same":
            raise ValueError(f'alpha_H must be a finite number ≥ 0 or "same", not {self.alpha_H!r}.')
        alpha_h = alpha_w if isinstance(self.alpha_H, str) else number("alpha_H", self.alpha_H)
        if not alpha_w and not alpha_h:
            return algorithm
        if algorithm.w.penalty or algorithm.h.penalty:
            raise ValueError(
                f"{algorithm} has penalties of its own; leave alpha_W and alpha_H at 0, or name it without."
            )
        samples, features = shape
        unit = loss_of(algorithm).divergence
        w, h = (
            Quadratic((1 - ratio) * scale / (2 * unit), None, ratio * scale / unit)
            for scale in (alpha_h * samples, alpha_w * features)
        )
        return replace(algorithm.with_penalties(w, h), one_sided=True)

    def _rank(self, shape: tuple[int, int]) -> Any:
        if isinstance(self.n_components, str):
            if self.n_components != "auto":
                raise ValueError(f'n_components must be a whole number or "auto", not {self.n_components!r}.')
            return min(10, *shape)
        return self.n_components

    def _rules(self, algorithm: Algorithm) -> list[Rule]:
        if isinstance(self.tol, bool) or not isinstance(self.tol, (int, float, np.number)) or not self.tol >= 0:
            raise ValueError(f"tol must be a number of at least 0, not {self.tol!r}.")
        limit: list[Rule] = [MaxIterations(self.max_iter)]
        return [default_stop(algorithm, float(self.tol)), *limit] if self.tol > 0 else limit

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
