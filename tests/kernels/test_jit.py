"""Compiled kernels are cached on disk, compiled again when one of them changes, and not needed at all."""

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from partwise import kernels
from partwise.kernels import compiling, jit

INNER = "from partwise.kernels.jit import jit\n\n@jit\ndef inner(x):\n    return x + {added}\n"
OUTER = (
    "from partwise.kernels.jit import jit\nfrom partwise.kernels.inner import inner\n\n"
    "@jit\ndef outer(x):\n    return inner(x)\n"
)
RUN = "from partwise.kernels.outer import outer; print(outer(1), sum(outer.stats.cache_hits.values()))"


def python(code, folder, **environment):
    """The words that a fresh process prints."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    process = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return process.stdout.split()


@pytest.fixture
def house(tmp_path):
    """A folder with a small partwise of its own: what compiles, and two kernels."""
    rooms = tmp_path / "partwise" / "kernels"
    rooms.mkdir(parents=True)
    for folder in (rooms.parent, rooms):
        (folder / "__init__.py").touch()
    for module in (jit, compiling):
        shutil.copy(module.__file__, rooms)
    (rooms / "inner.py").write_text(INNER.format(added=1))
    (rooms / "outer.py").write_text(OUTER)
    return rooms


def test_numba_is_loaded_with_the_first_kernel():
    """Neither ``import partwise`` nor the estimator waits for it."""
    loaded = "'numba' in sys.modules"
    code = f"import sys, partwise as pw; pw.NMF, pw.TopicModel; print({loaded})"
    assert python(f"{code}; pw.factorize([[1., 2.], [2., 1.]], 1); print({loaded})", None) == ["False", "True"]


def test_every_file_of_kernels_is_found_by_its_name():
    """The package knows the files that other rooms call."""
    for module in pkgutil.iter_modules(kernels.__path__):
        loaded = importlib.import_module(f"partwise.kernels.{module.name}")
        if any(getattr(value, "py_func", None) for value in vars(loaded).values()) or module.name == "jit":
            assert module.name in kernels.__all__
    with pytest.raises(AttributeError, match="no attribute 'product'"):
        kernels.product  # noqa: B018


def test_a_kernel_that_is_part_of_another_may_change(house, tmp_path):
    """By itself numba would use the old one, as it was compiled into the other."""

    def run():
        return python(RUN, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))

    assert run() == ["2", "0"]
    assert run() == ["2", "1"]
    (house / "inner.py").write_text(INNER.format(added=10))
    assert run() == ["11", "0"]


def test_a_numba_that_names_its_parts_otherwise_compiles_and_caches(house, tmp_path):
    """The patches are left out one by one where the attribute that they need is missing."""
    text = Path(jit.__file__).read_text(encoding="utf-8")
    for name in ('"_cache"', '"_cache_file"', '"_source_stamp"', '"save_overload"', '"_load_overload"', '"c_helpers"'):
        assert name in text
        text = text.replace(name, '"renamed"')
    (house / "jit.py").write_text(text)
    for hits in "01":
        assert python(RUN, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == ["2", hits]


LOADED = "import sys; print('numba.np.arraymath' in sys.modules)"


def test_a_kernel_is_loaded_from_the_cache_without_the_compiler(house, tmp_path):
    """What numba can compile is registered with the first kernel that is not in the cache."""

    def run(*calls):
        code = "; ".join([RUN, LOADED, *(f"print(outer({call})); {LOADED}" for call in calls)])
        return python(code, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))

    assert run() == ["2", "0", "True"]
    assert run("1", "0.5") == ["2", "1", "False", "2", "False", "1.5", "True"]
    assert run("0.5") == ["2", "1", "False", "1.5", "False"]


def test_a_kernel_that_allocates_is_loaded_without_compiling_numbas_runtime(house, tmp_path):
    """It makes and returns an array in a process whose runtime is not initialised; compiling another does that."""
    lines = ["def both(x):", "    y = np.empty(len(x) + 1)", "    y[1:] = x", "    y[0] = -x[0]", "    return y"]
    source = ["import numpy as np", "from partwise.kernels.jit import jit", "@jit", *lines]
    (house / "outer.py").write_text("\n".join(source))
    code = "import numpy as np; from numba.core.runtime.nrt import rtsys; from partwise.kernels.outer import both; " + (
        "; ".join(f"print(both(np.ones(2, '{kind}'))[0], rtsys._init)" for kind in ("f8", "f4"))
    )
    first, second = (python(code, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")) for _ in range(2))
    assert (first, second) == (["-1.0", "True"] * 2, ["-1.0", "False"] * 2)
    assert python(code.replace("f4", "i4"), tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == [
        *("-1.0", "False"),
        *("-1.0", "True"),
    ]


@pytest.mark.parametrize("cache", [SimpleNamespace(), SimpleNamespace(_cache_file=None)], ids=["no file", "None"])
def test_a_cache_of_another_kind_stays_as_it_is(cache):
    """Nothing is added to what is not known."""
    before = dict(vars(cache))
    jit._forget_what_changed(cache)
    jit._survive_a_full_disk(cache)
    jit._load_without_compiler(cache)
    assert vars(cache) == before


def test_only_an_error_of_the_disk_is_passed_over():
    """Any other error while a kernel is saved is a mistake."""
    errors = [OSError(28, "No space left on device"), ValueError("a mistake")]

    def save(*_):
        raise errors.pop(0)

    cache = SimpleNamespace(save_overload=save)
    jit._survive_a_full_disk(cache)
    cache.save_overload("signature", "data")
    with pytest.raises(ValueError, match="a mistake"):
        cache.save_overload("signature", "data")


WITHOUT = """
import warnings
import numpy as np, partwise as pw, scipy.sparse as sp
warnings.simplefilter("ignore")
dense = np.random.default_rng(0).random((12, 9))
for name in pw.ALGORITHMS:
    sparse = dense if name.startswith("beta") else sp.csr_array(dense * (dense > .5))  # β takes dense data alone
    for A in (dense, sparse, dense.astype("f4")):
        fit = pw.factorize(A, 3, algorithm=name, stop=pw.MaxIterations(2), seed=0)
        assert type(fit.W) is np.ndarray and np.isfinite(fit.error), name
        print(name, A.dtype, fit.error)
"""


def test_every_algorithm_runs_without_a_compiler():
    """With NUMBA_DISABLE_JIT the kernels are plain Python, with the same results to rounding."""
    plain, compiled = (python(WITHOUT, None, NUMBA_DISABLE_JIT=value) for value in "10")
    assert plain[::3] == compiled[::3]
    for name, kind, one, two in zip(plain[::3], plain[1::3], plain[2::3], compiled[2::3], strict=True):
        assert abs(float(one) - float(two)) <= (1e-4 if kind == "float32" else 1e-9), name
