"""The estimator: samples are rows here, so X is Aᵀ and the components are W's columns."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from partwise.algorithms.base import Algorithm
from partwise.arguments import is_whole, number, quoted, whole_number
from partwise.data.products import gram_of
from partwise.engine.call import Call, as_problem, checked_call
from partwise.engine.default_stop import default_stop
from partwise.engine.half_step import Half, fold_in, in_precision
from partwise.engine.iteration import begin, start_of
from partwise.engine.online import Sums
from partwise.engine.stopping import MaxIterations, Reason, Rule
from partwise.estimator.checks import checked_samples, checked_weights
from partwise.estimator.choices import chosen_algorithm, chosen_start, component_count, with_penalties
from partwise.estimator.state import packed, unpacked
from partwise.factorize import certified, warn_of
from partwise.inits.base import declared
from partwise.inits.table import start_for
from partwise.losses.table import LOSSES, loss_of, suited
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor

NO_STREAM = (
    "partial_fit needs a loss whose sums over batches are all that the components need, the squared one; {algorithm} "
    "needs every sample again in each iteration, so use fit, or beta_loss='frobenius'."
)
NO_TARGETS = (
    "partial_fit cannot hold components at a sparsity, since their penalties are set from the weights of all samples, "
    "which a stream does not keep; use fit."
)
TOO_STRONG = "alpha_W and alpha_H are too strong for X, so that nothing is left to fit it; use smaller ones."
FIRST = 5
"""The iteration at which the tolerance is asked about for the first time."""


class NMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Nonnegative matrix factorisation of X (samples × features) ≈ transform(X) @ components_.

    It takes every parameter of ``sklearn.decomposition.NMF`` and has ``partial_fit`` of ``MiniBatchNMF``; what differs
    on purpose is said here and in the page "Coming from scikit-learn".

    Parameters
    ----------
    n_components : int, "auto" or None, default="auto"
        The number of components; it may be larger than either side of X. "auto" is that of W or H where they are given,
        else 10 (scikit-learn: all features), or the smaller side of X if that is less. None is the number of features.
    init : str, object, array or None, default=None
        A name in ``partwise.INITS``, among them scikit-learn's "random", "nndsvd", "nndsvda" and "nndsvdar"; "custom"
        for the W and H of ``fit``; or the start of the components as a features × n_components array. None is the
        algorithm's own start, for solver="cd" and "mu" "nndsvda", and "random" where n_components is larger than a side
        of X.
    solver : "cd", "mu", a name in ``partwise.ALGORITHMS`` or None, default=None
        "cd" is ``hals``, "mu" is ``multiplicative`` (``kl-multiplicative`` for beta_loss="kullback-leibler"), None is
        the loss's own: ``als-hals``, and ``kl-sweeps`` for beta_loss="kullback-leibler".
    algorithm : str, Algorithm or None, default=None
        The same choice, which may also be an object such as ``partwise.acls(lam_w=.5, lam_h=.5)``; its W is
        ``components_``, its H the weights of the samples.
    beta_loss : "frobenius" or 2, "kullback-leibler" or 1, "itakura-saito" or 0, or another β, default="frobenius"
        What is minimised.
    tol : float, default=1e-4
        A smaller tolerance never makes fewer iterations, and 0 makes max_iter iterations. The fit ends when the KKT
        residual is at most this, or after 50 iterations when the error changes by at most five times this in one and
        the point is nearly stationary; with other algorithms at once when it changes by at most half of this.
    max_iter : int, default=300 (scikit-learn: 200)
        The most iterations, each of which makes the weights and the components once; those of the default start, up to
        20, come before.
    random_state : int, RandomState or None, default=None
        An int gives the same result every time, on any number of threads, and the same start as it gives there.
    alpha_W, alpha_H : float, default=0.0 and "same"
        scikit-learn's penalties on the samples' weights and on the components; "same" is alpha_W.
    l1_ratio : float, default=0.0
        The share of L1 in the penalties, from 0 (squares alone) to 1 (L1 alone).
    verbose : int, default=0
        Whether to print the relative error of every tenth iteration.
    shuffle : bool, default=False
        Without effect: coordinate sweeps go in a fixed order.
    threads : int or None, default=None
        How many threads; unless given PARTWISE_NUM_THREADS, or what the process may use.
    missing : "nan", "zeros" or None, default=None
        "nan" takes NaN, masked entries and pandas' NA in X as unknown, in ``fit`` and in ``transform``; "zeros" takes
        what a sparse X does not store as unknown. None refuses NaN.
    forget_factor : float in (0, 1] or "auto", default="auto"
        In ``partial_fit``, what all earlier batches count at each further one; 1 forgets nothing. "auto" is
        (samples before / samples so far)², so that the first batches, whose weights were for components that were
        hardly known, fade, and no batch is ever forgotten.

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features_in_)
    n_components_ : int
    reconstruction_err_ : float
        ‖X − transform(X) @ components_‖_F, or √(2D) of the divergence D, as scikit-learn has it; after ``partial_fit``
        that of the latest batch for the components that it met.
    n_iter_ : int
        Iterations; after ``partial_fit`` the batches.
    n_samples_seen_ : int
    n_features_in_ : int
    feature_names_in_ : array, where the columns of X have names
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
        n_components: int | str | None = "auto",
        *,
        init: Any = None,
        solver: str | None = None,
        algorithm: str | Algorithm | None = None,
        beta_loss: str | float = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 300,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        threads: int | None = None,
        missing: str | None = None,
        forget_factor: float | str = "auto",
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.algorithm = algorithm
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle
        self.threads = threads
        self.missing = missing
        self.forget_factor = forget_factor

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> NMF:
        """Find the components of X; W and H as in ``fit_transform``."""
        self.fit_transform(X, W=W, H=H)
        return self

    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Any:
        """Find the components of X and give each sample's weights.

        With init="custom" the start is W (samples × components), H (components × features), or both.
        """
        self._rules(self._algorithm((1, 1)))  # what is wrong is refused before X is read
        samples = checked_samples(self, X, reset=True)
        call = self._call(samples, W, H)
        data = call.problem.data
        with call.problem.workers:
            run, starts, _ = call.drive(tick=_report if self.verbose else None)
            if run.reason is Reason.INTERRUPTED:
                raise KeyboardInterrupt
            fit = certified(run, starts)
        self._scales = fit.certificate.scales
        assert fit.algorithm is not None
        self.algorithm_ = fit.algorithm
        self.components_ = np.ascontiguousarray(np.asarray(fit.w).T)
        self.n_components_ = self._n_components = fit.rank
        self.certificate_ = fit.certificate
        self.n_iter_ = max(1, fit.certificate.iterations)
        self.reconstruction_err_ = call.problem.loss.distance(data, fit.error)
        self.n_samples_seen_ = samples.shape[0]
        self._remember(np.asarray(gram_of(fit.h)), None)
        warn_of(fit, TOO_STRONG if self.alpha_W or self.alpha_H not in (0, "same") else None)
        if self.tol > 0 and fit.reason is Reason.MAX_ITERATIONS:
            self._warn_not_converged()
        return fit.h

    def _call(self, samples: Data, W: Any, H: Any) -> Call:
        """The checked call of the engine, in its lenient way."""
        algorithm = suited(self._algorithm(samples.shape), samples.T)
        rank, seed = component_count(self.n_components, samples.shape, W, H), self._seed()
        start = chosen_start(self.init, self.solver, rank, samples, W, H)
        if start is None:
            start = declared(start_for(None, algorithm, 1, samples.T)).as_scikit_learn(seed)
        return checked_call(
            samples.T,
            rank,
            algorithm=algorithm,
            init=start,
            stop=self._rules(algorithm),
            seed=seed,
            threads=self.threads,
            settle=True,
            lenient=True,
        )

    def partial_fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> NMF:
        """Go on with a further batch of samples, which need not be kept: online NMF (Mairal et al. 2010).

        The batch gets its exact weights for the components as they are; then the components make one half-step from
        the sums over all batches so far. After ``fit`` these are the sums for which its components are the best ones.
        W and H are the start of the first batch where init="custom".
        """
        forget = None
        if not isinstance(self.forget_factor, str) or self.forget_factor != "auto":
            forget = number("forget_factor", self.forget_factor, 0, 1, ends="(]", hint='or "auto"')
        if self.missing is not None:
            raise ValueError(f"partial_fit needs all entries; leave out missing={self.missing!r}, or use fit.")
        batch = checked_samples(self, X, reset=not hasattr(self, "components_"))
        first = not hasattr(self, "components_") or not self._seen_gram.any()  # nothing but zeros has come so far
        samples, features = batch.shape
        algorithm = self._algorithm((samples + (0 if first else self.n_samples_seen_), features))
        if algorithm.adjusts:
            raise ValueError(NO_TARGETS)
        loss = loss_of(algorithm)
        if not loss.streams:
            raise ValueError(NO_STREAM.format(algorithm=algorithm.name))
        with Workers(self.threads) as workers, single_threaded_blas():
            if first:
                self._begin(batch, W, H, algorithm)
            self.algorithm_ = algorithm.scaled(self._scales)
            w = in_precision(self.components_.T, batch.dtype)
            gram = gram_of(w)
            half = fold_in(batch, loss, self.algorithm_, w, workers, gram=gram)
            before = self._sums(w)
            share = before.fading(samples) if forget is None else forget
            sums = before.add(batch.T, half.factor, workers, share)
            new = sums.half_step(self.algorithm_.w, w)
            value = loss.value(batch, half.factor, Factor(w, gram), half.inner, workers)[0]
            error = loss.distance(batch, value)
        self._remember(sums.gram, sums.rhs)
        self.n_samples_seen_ = sums.samples
        self.reconstruction_err_ = error
        self.components_ = new.T
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        return self

    def _begin(self, batch: Data, W: Any, H: Any, algorithm: Algorithm) -> None:
        """The components before the first batch: the start of a fit to it, from means of samples unless init is given.

        A start by the SVD of one batch takes as long as ten further ones.
        """
        rank = component_count(self.n_components, batch.shape, W, H)
        init = chosen_start(self.init, self.solver, rank, batch, W, H)
        init = "random-acol" if init is None else init
        problem = as_problem(batch.T, rank, algorithm, init, self.threads, lenient=True)
        with problem.workers, np.errstate(over="ignore", invalid="ignore"):
            if algorithm.relative:
                step = begin(problem, [self._seed()])[0]
                step.refuse_not_finite()
                w, self._scales = np.asarray(step.w), step.scales
            else:
                w, self._scales = np.asarray(start_of(problem, self._seed())[0]), None
        self.components_ = np.ascontiguousarray(w.T)
        self.n_components_ = self._n_components = rank
        empty = Sums.empty(batch.shape[1], rank)
        self._remember(empty.gram, empty.rhs)
        self.n_samples_seen_ = 0

    def _remember(self, gram: Array, rhs: Array | None) -> None:
        """The sums over the samples so far; a fit leaves no right-hand side, since a pickle would be twice as large."""
        self._seen_gram, self._seen_rhs = gram, rhs

    def _sums(self, w: Array) -> Sums:
        """The sums over all samples so far."""
        if self._seen_rhs is None:
            return Sums.recalled(self._seen_gram, w, self.n_samples_seen_)
        return Sums(self._seen_gram, self._seen_rhs, self.n_samples_seen_)

    def transform(self, X: Any) -> Any:
        """The weights of samples for these components, exact and the same for one row or many."""
        check_is_fitted(self)
        documents = checked_samples(self, X, reset=False)
        w = in_precision(self.components_.T, documents.dtype)
        with Workers(self.threads) as workers:
            return documents.hand_out(self._fold_in(documents, w, workers).factor.rows)

    def inverse_transform(self, X: Any) -> Array:
        """Samples again from their weights: X @ components_."""
        check_is_fitted(self)
        weights = checked_weights(X, len(self.components_))
        with np.errstate(over="ignore", invalid="ignore"):
            back: Array = weights @ self.components_
        if not np.isfinite(back).all():
            raise ValueError("X leaves the range of its precision when it is multiplied out; rescale it.")
        return back

    def score(self, X: Any, y: Any = None) -> float:
        """The share of the squares of X that the components explain: 1 − ‖X − X̂‖² / ‖X‖²."""
        check_is_fitted(self)
        documents = checked_samples(self, X, reset=False)
        if not documents.norm2:
            raise ValueError("X is all zero, so there is nothing that the components could explain.")
        w = in_precision(self.components_.T, documents.dtype)
        with Workers(self.threads) as workers:
            half = self._fold_in(documents, w, workers)
            squared, components = LOSSES["squared"].on(documents), Factor(w, gram_of(w))
            inner = squared.sums(documents, w, half.factor.rows, workers)[1]
            return 1 - squared.value(documents, half.factor, components, inner, workers)[0] ** 2

    def _fold_in(self, documents: Any, w: Array, workers: Workers) -> Half:
        """The exact weights of samples for these components."""
        return fold_in(documents, loss_of(self.algorithm_, documents), self.algorithm_, w, workers)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _algorithm(self, shape: tuple[int, int]) -> Algorithm:
        """The algorithm with scikit-learn's penalties for so many samples and features."""
        algorithm = chosen_algorithm(self.solver, self.algorithm, self.beta_loss)
        return with_penalties(algorithm, shape, self.alpha_W, self.alpha_H, self.l1_ratio)

    def _rules(self, algorithm: Algorithm) -> list[Rule]:
        tol = number("tol", self.tol)
        limit: list[Rule] = [MaxIterations(whole_number("max_iter", self.max_iter))]
        return [default_stop(algorithm, tol, burn_in=FIRST), *limit] if tol else limit

    def _warn_not_converged(self) -> None:
        warnings.warn(
            f"Maximum number of iterations {self.max_iter} reached. Increase it to improve convergence, e.g. "
            f"max_iter={10 * self.max_iter}: the tolerance tol={float(self.tol):g} is not met yet. A larger tol "
            "ends sooner; certificate_ says how far the fit is.",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _seed(self) -> int:
        if is_whole(self.random_state) and self.random_state >= 0:
            return int(self.random_state)
        try:
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        except ValueError:
            raise ValueError(
                "random_state must be a whole number of at least 0, a RandomState or None, "
                f"not {quoted(self.random_state)}."
            ) from None

    def __getstate__(self) -> dict[str, Any]:
        """The state in plain values, small, and readable without running code of ours."""
        state: dict[str, Any] = packed(super().__getstate__())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(unpacked(state))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.allow_nan = self.missing == "nan"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _report(state: Any) -> None:
    """Print every tenth iteration."""
    step = state.run.latest
    if step.iteration % 10 == 0:
        sys.stdout.write(f"Iteration {step.iteration}: relative error {step.error:.6g}\n")
