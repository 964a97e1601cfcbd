"""What the tests share: small problems, and dense twins of what the package computes."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import command
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, settings
from planted import planted

# The first example of a kernel may compile it, so no deadline on single examples.
settings.register_profile("partwise", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=40)
settings.load_profile("partwise")

# A shell ignores Ctrl-C in what it starts with &, and children inherit that: tests of signals would test nothing.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """No test writes into the working directory: tests have folders of their own for that."""
    place = Path.cwd()
    before = set(place.iterdir())
    yield
    added = sorted(path.name for path in set(place.iterdir()) - before if not path.name.startswith("."))
    assert not added, f"tests have left {added} in {place}"


@pytest.fixture
def small() -> np.ndarray:
    """A 30 × 24 matrix with five planted parts."""
    return planted(30, 24, 5)


@pytest.fixture
def sparse() -> sp.csr_array:
    """A 120 × 90 sparse matrix."""
    return sp.random_array((120, 90), density=0.08, rng=np.random.default_rng(1), format="csr")


@pytest.fixture(scope="session")
def warm() -> Iterator[Callable[..., Any]]:
    """``partwise`` on its arguments, in a process of its own for each call."""
    with command.server() as run:
        yield run


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty small documents in every format."""
    path = tmp_path_factory.mktemp("collection")
    command.write_collection(path)
    return path


@pytest.fixture(scope="session")
def saved(folder: Path, warm: Callable[..., Any]) -> Path:
    """A model of three topics of them, in a file."""
    done = warm("topics", "news.csv", "-k", 3, "--seed", 1, "-o", "news.partwise", *command.COLUMNS, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "news.partwise"


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed: pip install partwise[dask]")
    options = {"n_workers": 2, "processes": True, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(host="127.0.0.1", **options) as cluster, distributed.Client(cluster) as found:
        yield found
