"""The way of a call is short: frames of the package on the stack, from ``factorize`` to a kernel."""

import sys

import pytest
import scipy.sparse as sp

import partwise as pw

MOST = 12
A = sp.random_array((300, 200), density=0.05, rng=0, format="csr")
KERNELS = {
    "partwise.data.sparse": ("csr_product", "csr_clipped_product"),
    "partwise.algorithms.updates.hals": ("coordinate_rows",),
    "partwise.losses.squared": ("factor_sums",),
}


@pytest.mark.parametrize("algorithm", ["acls", "hals", "als-hals", "anls", "multiplicative"])
def test_frames_from_factorize_to_a_kernel(algorithm, monkeypatch):
    """One start in memory on one thread: at most twelve frames in an iteration, each a named idea."""
    settings = {"algorithm": algorithm, "init": "random", "threads": 1, "stop": pw.MaxIterations(4)}
    depths = []

    def counted(kernel):
        def call(*arguments):
            frame, names = sys._getframe(1), []
            while frame is not None:
                if "/partwise/" in frame.f_code.co_filename:
                    names.append(frame.f_code.co_name)
                frame = frame.f_back
            if "advance" in names:
                depths.append((len(names), names[::-1]))
            return kernel(*arguments)

        return call

    for module, names in KERNELS.items():
        for name in names:
            monkeypatch.setattr(f"{module}.{name}", counted(getattr(sys.modules[module], name)))
    pw.factorize(A, 5, **settings)
    deepest, path = max(depths)
    assert path[0] == "factorize"
    assert deepest <= MOST, path
