"""The way of a call is short: frames of the package on the stack, from ``factorize`` to a kernel."""

import sys
from pathlib import Path

import pytest
import scipy.sparse as sp

import partwise as pw
from partwise.kernels import coordinate, products

MOST = 12
PACKAGE = str(Path(pw.__file__).parent)
A = sp.random_array((300, 200), density=0.05, rng=0, format="csr")
KERNELS = {
    "data/sparse.py": (products, "csr_product", "csr_clipped_product"),
    "algorithms/updates/hals.py": (coordinate, "coordinate_rows"),
    "losses/squared.py": (products, "factor_sums"),
}
"""The file that calls, and what it calls."""


@pytest.mark.parametrize("algorithm", ["acls", "hals", "als-hals", "anls", "multiplicative"])
def test_frames_from_factorize_to_a_kernel(algorithm, monkeypatch):
    """One start in memory on one thread: at most twelve frames in an iteration, each a named idea."""
    settings = {"algorithm": algorithm, "init": "random", "threads": 1, "stop": pw.MaxIterations(4)}
    depths = []

    def counted(kernel, caller):
        def call(*arguments):
            frame, names = sys._getframe(1), []
            relevant = frame.f_code.co_filename.endswith(caller)
            while frame is not None:
                if frame.f_code.co_filename.startswith(PACKAGE):
                    names.append(frame.f_code.co_name)
                frame = frame.f_back
            if relevant and "advance" in names:
                depths.append((len(names), names[::-1]))
            return kernel(*arguments)

        return call

    for caller, (module, *names) in KERNELS.items():
        for name in names:
            monkeypatch.setattr(module, name, counted(getattr(module, name), caller))
    pw.factorize(A, 5, **settings)
    deepest, path = max(depths)
    assert path[0] == "factorize"
    assert deepest <= MOST, path
