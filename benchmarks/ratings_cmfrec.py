"""One fold of ratings by cmfrec, in an environment of its own: numpy, pandas and cmfrec suffice.

The objective is partwise's: Σ (a − y)² + λ · mean · Σ n_i ‖x_i‖² over both sides, nothing centred, all of it ≥ 0; the
rest is cmfrec's defaults, but for 30 iterations where the error is measured: after its 10, whose time and error are
given too, it is not yet at its end. ``ratings_cmfrec.py --child fold.npz biases λ,λ,… turns`` prints JSON.
"""

import json
import os
import sys
import time
from importlib.metadata import version

import numpy as np
import pandas as pd
from cmfrec import CMF


def main(path, biases, lambdas, turns):
    """λ from the training ratings, then all of them, and the error on the others."""
    fold = np.load(path)
    train, inner, test = fold["train"], fold["inner"], fold["test"]

    def fit(rows, lam, iterations):
        frame = pd.DataFrame({"UserId": rows[:, 0], "ItemId": rows[:, 1], "Rating": rows[:, 2].astype(float)})
        strength = lam * frame["Rating"].mean()
        held = biases == "True"
        model = CMF(
            k=10, lambda_=strength, method="als", scale_lam=True, nonneg=True, center=False, user_bias=held,
            item_bias=held, nthreads=os.cpu_count(), random_state=1, verbose=False,
            niter=iterations,
        )  # fmt: skip
        wall, processor = time.perf_counter(), time.process_time()
        model.fit(frame)
        spent = {"seconds": time.perf_counter() - wall, "processor_seconds": time.process_time() - processor}
        return model, frame["Rating"].mean(), spent

    def error(fitted, rows):
        model, mean, _ = fitted
        values = model.predict(user=rows[:, 0], item=rows[:, 1])
        known = np.isin(rows[:, 1], model.item_mapping_) & np.isin(rows[:, 0], model.user_mapping_)
        values = np.clip(np.where(known & np.isfinite(values), values, mean), 1, 5)
        return float(np.sqrt(np.mean((values - rows[:, 2]) ** 2)))

    tried = {lam: error(fit(train[~inner], lam, 30), train[inner]) for lam in map(float, lambdas.split(","))}
    best = min(tried, key=tried.get)
    runs = [fit(train, best, 10) for _ in range(int(turns))]
    spent = {name: round(min(run[2][name] for run in runs), 4) for name in runs[0][2]}
    errors = {"rmse": error(fit(train, best, 30), test), "rmse_10": error(runs[0], test)}
    return {"lambda": best, **errors, **spent, "version": version("cmfrec")}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[2:])))
