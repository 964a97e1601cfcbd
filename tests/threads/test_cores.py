"""How many threads a process takes: what its container, its environment and its own calls leave it."""

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from partwise.threads import cores
from partwise.threads.pool import Crews, Workers, thread_count


@pytest.fixture
def no_settings(monkeypatch):
    """An environment that sets no number of threads."""
    for name in ("PARTWISE_NUM_THREADS", *cores.ALLOWANCES):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("own", "files", "quota"),
    [
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
        ("0::/\n", {"cpu.max": "max 100000\n"}, None),
        ("0::/\n", {}, None),
        ("0::/\n", {"cpu.max": "a strange file"}, None),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "400000 100000", "cpu.max": "max 100000"}, 4.0),
        ("0::/a/b\n", {"a/b/cpu.max": "300000 100000", "a/cpu.max": "400000 100000"}, 3.0),
        ("0::/not/here\n", {"cpu.max": "200000 100000"}, 2.0),
        ("3:cpu,cpuacct:/d\n0::/\n", {"cpu/d/cpu.cfs_quota_us": "50000", "cpu/d/cpu.cfs_period_us": "100000"}, 0.5),
        ("3:cpu,x:/d\n", {"cpu,x/cpu.cfs_quota_us": "250000", "cpu,x/cpu.cfs_period_us": "100000"}, 2.5),
        ("3:cpu:/d\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ("nothing of the kind\n", {"cpu.max": "100000 100000"}, 1.0),
    ],
)  # fmt: skip
def test_the_quota_of_a_container(own, files, quota, tmp_path):
    """Both versions of control groups, the group itself and those above it; no limit and no file are none."""
    (tmp_path / "own").write_text(own)
    for name, text in files.items():
        (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / name).write_text(text)
    assert cores.cpu_quota(tmp_path / "groups", tmp_path / "own") == quota
    assert cores.cpu_quota(tmp_path / "nowhere", tmp_path / "nowhere") is None


@pytest.mark.parametrize(("text", "count"), [("250000 100000", 2), ("30000 100000", 1), ("max 100000", 8)])
def test_the_usable_cores_are_no_more_than_the_quota(text, count, tmp_path, monkeypatch):
    """Whole cores, and at least one."""
    (tmp_path / "cpu.max").write_text(text)
    monkeypatch.setattr(cores, "GROUPS", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert cores.usable_cores() == count


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({}, 8),
        ({"OMP_NUM_THREADS": "1"}, 1),
        ({"NUMBA_NUM_THREADS": "3", "OMP_NUM_THREADS": "4"}, 3),
        ({"OMP_NUM_THREADS": "4,2"}, 4),
        ({"OMP_NUM_THREADS": "64"}, 8),
        ({"OMP_NUM_THREADS": "many"}, 8),
        ({"OMP_NUM_THREADS": "1", "PARTWISE_NUM_THREADS": "5"}, 5),
    ],
)
def test_the_environment_of_a_worker_is_kept(settings, count, monkeypatch, no_settings):
    """What joblib and OpenMP allow; our own variable, and an argument, say more than they do."""
    monkeypatch.setattr(cores, "usable_cores", lambda: 8)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert thread_count(None) == count
    assert thread_count(2) == 2


def test_maps_at_the_same_time_share_the_threads(monkeypatch, no_settings):
    """Sixteen calls in a process of four threads: never more than one for each call and those four."""
    monkeypatch.setattr(cores, "usable_cores", lambda: 4)
    calls, lock, running, most = 16, threading.Lock(), set(), [0]
    together = threading.Barrier(calls)

    def block(lo, hi):
        with lock:
            running.add(threading.get_ident())
            most[0] = max(most[0], len(running))
        np.random.default_rng(0).random(20_000).sort()
        with lock:
            running.discard(threading.get_ident())
        return lo

    def call(_):
        with Workers() as workers:
            assert workers.threads == 4
            together.wait()
            for _ in range(5):
                assert workers.map(block, [(i, i + 1) for i in range(8)]) == list(range(8))

    with ThreadPoolExecutor(calls) as pool:
        list(pool.map(call, range(calls)))
    assert most[0] <= calls + 3


def test_crews():
    """The first has what it wants, others what is left; a number that was asked for is kept; leaving gives back."""
    crews = Crews()
    first, second, asked = crews.join(4, 6), crews.join(4, 6), crews.join(5, np.inf)
    assert (first.size, second.size, asked.size) == (4, 2, 5)
    crews.leave(asked)
    crews.leave(first)
    assert crews.join(9, 6).size == 4
    del second  # as an interrupt would leave it
    assert crews.join(2, 6).size == 2


LOKY = """
import json, os, sys
os.environ.pop("PARTWISE_NUM_THREADS", None)
import numpy as np
from joblib import Parallel, delayed, parallel_config


def fit(seed):
    import partwise as pw

    A = np.random.default_rng(seed).random((30, 20))
    return pw.factorize(A, 2, stop=pw.MaxIterations(2)).certificate.threads, os.environ.get("OMP_NUM_THREADS")


def nested(seed):
    return Parallel(n_jobs=4)(delayed(fit)(seed + i) for i in range(2))


with parallel_config(backend="loky", inner_max_num_threads=int(sys.argv[1])):
    flat = Parallel(n_jobs=2)(delayed(fit)(i) for i in range(2))
    deep = Parallel(n_jobs=2)(delayed(nested)(i) for i in range(2))
print(json.dumps([flat, deep]))
"""


def test_workers_of_joblib_use_what_they_were_allowed():
    """Real processes: each fit has as many threads as loky set for it, in pools inside of pools too."""
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    process = subprocess.run(
        [sys.executable, "-c", LOKY, "1"], capture_output=True, text=True, env=environment, timeout=300
    )
    assert process.returncode == 0, process.stderr
    flat, deep = json.loads(process.stdout)
    assert flat == [[1, "1"]] * 2
    assert deep == [flat] * 2
