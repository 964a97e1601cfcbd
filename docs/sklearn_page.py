"""docs/coming-from-scikit-learn.md: a row for every parameter, attribute and method of scikit-learn's NMF.

The names and defaults come from the two classes; what is said about each stands here, and a name without a sentence
ends the page's making.
"""

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

from sklearn.decomposition import NMF as SklearnNMF
from sklearn.decomposition import MiniBatchNMF

from partwise import NMF

Table = Callable[[tuple[str, ...], list[tuple[str, ...]]], str]
INTRODUCTION = """# Coming from scikit-learn

Change one line:

```python
from partwise import NMF  # from sklearn.decomposition import NMF
```

Pipelines, `GridSearchCV`, `clone`, `set_output` and pickles work as before. This page is written by `make docs` from \
the two classes and from `benchmarks/results/`."""

PARAMETERS = {
    "n_components": '"auto" is the number that W or H has, else 10 or the smaller side of X (there: all features). '
    "None is all features, as there. It may be larger than either side.",
    "init": "scikit-learn's names, every other start in `partwise.INITS`, a start of your own, or the components to "
    'start from as features × n_components. "custom" takes W, H or both. None is the own start of the algorithm, '
    '"nndsvda" with solver "cd" or "mu", as there.',
    "solver": '"cd" is `hals`, "mu" is `multiplicative` (for other losses `kl-multiplicative`, `beta-multiplicative`), '
    "or any name in `partwise.ALGORITHMS`. The default is the fastest for the loss, `als-hals` or `kl-sweeps`.",
    "beta_loss": "As there. β between 1 and 2 has an exact `transform`. β other than 1 and 2 needs dense data, β ≤ 0 "
    "entries above 0.",
    "tol": "A smaller one never makes fewer iterations, 0 makes max_iter iterations. What it is compared with is said "
    "in the class's docstring; there it depends on the solver.",
    "max_iter": "Counted as there, an iteration makes both factors once; the default allows more of them. Those of the "
    "default start, up to 20, come before and are not counted.",
    "random_state": "As there; an int also gives the same bits on any number of threads, and by default scikit-learn's "
    "own start for that int.",
    "alpha_W": "As there, the same objective.",
    "alpha_H": "As there.",
    "l1_ratio": "As there. For beta_loss other than 2 it must be 1: those methods carry L1 alone.",
    "verbose": "Prints the relative error of every tenth iteration.",
    "shuffle": "Taken and without effect: sweeps go in a fixed order.",
    "algorithm": "`solver` by another name, which also takes objects such as `partwise.acls(lam_w=.5, lam_h=.5)`.",
    "threads": "How many threads; None is what the process may use.",
    "missing": '"nan" takes NaN, masked entries and pandas\' NA in X as unknown, in `fit` and `transform`; "zeros" '
    "takes what a sparse X does not store as unknown; None refuses NaN, as there.",
    "forget_factor": 'For `partial_fit`; there .7, which loses all but the last dozen batches. "auto" lets a sample '
    "count with the square of its place in the stream.",
}
MINIBATCH = {
    "batch_size": "A batch is what you give to `partial_fit`. For data larger than memory see [scale](scale.md).",
    "max_no_improvement": "Not needed: `fit` sees all of X in every iteration.",
    "forget_factor": "See above.",
    "fresh_restarts": "Not needed: the weights of a batch are always the exact ones.",
    "fresh_restarts_max_iter": "Not needed, for the same reason.",
    "transform_max_iter": "Not needed: `transform` is exact.",
}
ATTRIBUTES = {
    "components_": "n_components × n_features, as there.",
    "n_components_": "As there.",
    "reconstruction_err_": "As there, √(2D) for a divergence D; after `partial_fit` that of the latest batch.",
    "n_iter_": "As there; after `partial_fit` the batches.",
    "n_steps_": "`n_iter_` after `partial_fit`.",
    "n_features_in_": "As there.",
    "feature_names_in_": "As there.",
    "certificate_": "What the fit is worth: error, stationarity with a verdict, sparsity, dead components; print it.",
    "algorithm_": "The algorithm with all its settings.",
    "n_samples_seen_": "The samples of the fit and of all batches since.",
}
METHODS = {
    "fit": "As there, with `W=` and `H=`.",
    "fit_transform": "As there; the same numbers as `fit(X).transform(X)`, which differ there.",
    "transform": "The exact weights for the components, the same for one sample or many.",
    "inverse_transform": "As there.",
    "partial_fit": "That of `MiniBatchNMF`, on the same class, after `fit` too. For the squared loss.",
    "score": "The share of the squares of X that is explained, so that `GridSearchCV` works without a scorer.",
    "get_feature_names_out": "As there: nmf0, nmf1, …",
    "set_output": "As there.",
    "get_params": "As there.",
    "set_params": "As there.",
    "get_metadata_routing": "As there.",
    "set_fit_request": "Whether a meta-estimator passes `W` and `H` on.",
    "set_partial_fit_request": "As there.",
}
DIFFERENCES = """- `transform` solves each sample to the end, so `fit_transform(X)` is `fit(X).transform(X)`.
- Dates and times are refused; scikit-learn takes them for numbers.
- A custom start may be W or H alone for every solver.
- Where penalties leave nothing but zeros the result is zeros, as there, and a RuntimeWarning says so.
- `ConvergenceWarning` names a `max_iter` to try, and `certificate_` says how far a fit has come.
- `reconstruction_err_` and components of a seed are other numbers than scikit-learn's: both go the same way at first \
and mostly to the same minimum, but end at other points of it. [Benchmarks](benchmarks.md) has the two side by side."""


def documented_attributes(kind: Any) -> list[str]:
    """The names under "Attributes" in a class's docstring."""
    section = re.search(r"Attributes\n\s*-+\n(.*?)(?:\n\s*\n\s*\w[\w ]+\n\s*-{3,}|$)", inspect.getdoc(kind) or "", re.S)
    assert section is not None
    return re.findall(r"^(\w+_) :", section[1], re.M)


def public_methods(kind: Any) -> list[str]:
    """What a user calls."""
    return [name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")]


def in_order(first: Iterable[str], *others: Iterable[str]) -> list[str]:
    """All names, each once."""
    return list(dict.fromkeys([*first, *(name for names in others for name in names)]))


def parameters_table(table: Table) -> str:
    """Defaults of both, and the difference."""
    there, here = (inspect.signature(kind).parameters for kind in (SklearnNMF, NMF))
    rows = [
        (
            f"`{name}`",
            f"`{there[name].default!r}`" if name in there else "",
            f"`{here[name].default!r}`",
            PARAMETERS[name],
        )
        for name in in_order(there, here)
    ]
    return table(("parameter", "default there", "default here", "what it does here"), rows)


def minibatch_table(table: Table) -> str:
    """The parameters that MiniBatchNMF alone has."""
    names = [
        name
        for name in inspect.signature(MiniBatchNMF).parameters
        if name not in inspect.signature(SklearnNMF).parameters
    ]
    return table(("parameter of MiniBatchNMF", "here"), [(f"`{name}`", MINIBATCH[name]) for name in names])


def attributes_table(table: Table) -> str:
    """Every attribute of either."""
    there = in_order(documented_attributes(SklearnNMF), documented_attributes(MiniBatchNMF))
    names = in_order(there, documented_attributes(NMF), ("algorithm_",))
    return table(
        ("attribute", "there", "here"), [(f"`{n}`", "yes" if n in there else "", ATTRIBUTES[n]) for n in names]
    )


def methods_table(table: Table) -> str:
    """Every method of either."""
    there, here = in_order(public_methods(SklearnNMF), public_methods(MiniBatchNMF)), public_methods(NMF)
    rows = [(f"`{n}`", "yes" if n in there else "", METHODS[n]) for n in in_order(there, here)]
    return table(("method", "there", "here"), rows)


def own_tests(content: dict[str, Any], table: Table) -> str:
    """scikit-learn's own tests with the class swapped."""
    groups: dict[tuple[str, str], int] = {}
    for case, reason in content["failed"].items():
        key = (case.split("[")[0], reason)
        groups[key] = groups.get(key, 0) + 1
    rows = [(f"`{test}`", str(count), reason) for (test, reason), count in groups.items()]
    met = "met" if content["passed"] >= content["floor"] else "**missed**"
    return "\n\n".join(
        [
            f"`make bench-sklearn-tests` runs the cases of scikit-learn {content['sklearn']}'s `test_nmf.py` that use "
            f"the class NMF, with `from partwise import NMF` as one further line: {content['passed']} of "
            f"{content['cases']} pass (at least {content['floor']}: {met}). The others, each with its reason:",
            table(("test", "cases", "why it does not pass"), rows),
        ]
    )


def streams(content: dict[str, Any], table: Table) -> str:
    """partial_fit beside MiniBatchNMF."""
    rows = [
        (
            f"{r['data']}{' (tuned on)' if r['tuned'] else ''}",
            r["order"],
            f"{r['batch'][0]:,} × {r['batch'][1]:,}, k = {r['rank']}",
            f"{r['errors']['partwise']:.4f}",
            f"{r['errors']['sklearn']:.4f}: {'met' if r['error_met'] else '**missed**'}",
            f"{r['time_share']:.2f}: {'met' if r['time_met'] else '**missed**'}",
        )
        for r in content["rows"]
    ]
    head = ("data", "order", "a batch", "error here", "there, to be met", "share of its time, at most 1/3")
    return "\n\n".join(
        [
            f"`make bench-minibatch`: {content['batches']} batches, each seen once, both as they come; the relative "
            f"error over all samples with exact weights, medians of {content['seeds']} orders and seeds; the processor "
            "time of the fastest. Where a batch is small, a call takes one or two milliseconds, of which the checks of "
            f"X are a good part. Load average of the machine, of two cores: {content['load']:.1f}.",
            table(head, rows),
        ]
    )


def page(own: dict[str, Any], batches: dict[str, Any], table: Table) -> str:
    """The whole page."""
    return "\n\n".join(
        [
            INTRODUCTION,
            "## Parameters",
            parameters_table(table),
            minibatch_table(table),
            "## Attributes",
            attributes_table(table),
            "## Methods",
            methods_table(table),
            "## What else differs",
            DIFFERENCES,
            "## scikit-learn's own tests",
            own_tests(own, table),
            "## Batches beside MiniBatchNMF",
            streams(batches, table),
        ]
    )
