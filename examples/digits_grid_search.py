"""How many parts tell handwritten digits apart best? ``python examples/digits_grid_search.py``.

A pipeline and a grid search of scikit-learn's; one import line is another one.
"""

from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler

from partwise import NMF

GRID = {"parts__n_components": [8, 16, 32], "parts__alpha_W": [0.0, 1e-4]}


def main():
    """Search on three quarters of the digits, judge on the rest."""
    digits, names = load_digits(return_X_y=True)
    seen, held_out, seen_names, held_out_names = train_test_split(digits, names, random_state=0)
    pipe = Pipeline(
        [
            ("parts", NMF(max_iter=500, tol=1e-3, random_state=0)),
            ("scale", MaxAbsScaler()),
            ("classify", LogisticRegression(max_iter=1000)),
        ]
    )
    search = GridSearchCV(pipe, GRID, cv=2).fit(seen, seen_names)
    print("parts  alpha_W  accuracy of two folds")
    for setting, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        bar = "#" * round(40 * max(0, score - 0.8) / 0.2)
        print(f"{setting['parts__n_components']:5}  {setting['parts__alpha_W']:7g}  {score:.3f} {bar}")
    best = {name.removeprefix("parts__"): value for name, value in search.best_params_.items()}
    print(f"\nBest: {best}; {search.score(held_out, held_out_names):.1%} of the held-out digits are named rightly.")


if __name__ == "__main__":
    main()
