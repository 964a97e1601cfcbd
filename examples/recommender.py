"""Recommend films from ratings of which most are unknown: fit what is known, predict, recommend."""

import numpy as np
import scipy.sparse as sp

import partwise as pw

USERS, FILMS, TASTES = 300, 120, 4


def ratings(seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """(one rating in eight, films × users, and all of them): four tastes, a little noise, from 1 to 5."""
    rng = np.random.default_rng(seed)
    films, users = rng.dirichlet(np.full(TASTES, 0.3), FILMS), rng.dirichlet(np.full(TASTES, 0.3), USERS)
    liking = films @ users.T
    everything = np.clip(1 + 4 * liking / np.quantile(liking, 0.98) + 0.3 * rng.standard_normal(liking.shape), 1, 5)
    known = rng.random(everything.shape) < 1 / 8
    return sp.csr_array(np.where(known, everything, 0)), everything


def main() -> None:
    """Fit nine tenths, predict the rest, recommend to one user."""
    known, _ = ratings()
    rows, columns = known.nonzero()
    test = np.random.default_rng(1).random(len(rows)) < 0.1
    train = known.copy()
    train.data[test] = 0
    train.eliminate_zeros()
    truth = known.data[test]
    fit = pw.factorize(train, rank=TASTES, missing="zeros", biases=True, seed=0)
    error = np.sqrt(np.mean((truth - fit.predict(rows[test], columns[test])) ** 2))
    usual = np.sqrt(np.mean((truth - train.data.mean()) ** 2))
    print(f"{known.nnz:,} ratings of {FILMS} films by {USERS} users.")
    print(f"RMSE on {test.sum():,} ratings that were held out: {error:.3f}; the mean rating has {usual:.3f}.")
    print("\nFor user 7, without what the user has rated:")
    for film in fit.recommend(7, n=5, known=train):
        print(f"  film {film.index:>3}: {film.score:.2f}")


if __name__ == "__main__":
    main()
