"""scikit-learn's manners around the factorisation."""

from partwise.estimator.nmf import NMF

__all__ = ["NMF"]
