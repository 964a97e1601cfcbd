"""How many cores this process may use, and how many threads it was allowed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

GROUPS, OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
ALLOWANCES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
"""What joblib sets in its workers, so that workers and threads together are no more than the cores."""


def usable_cores() -> int:
    """The cores this process may use: its CPU affinity, and the quota of its container where one is set."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _known_quota(GROUPS, OWN_GROUPS, os.getpid())
    return cores if quota is None else min(cores, max(1, int(quota)))


def allowed_threads() -> int:
    """The usable cores, or fewer where the environment says so."""
    counts = [usable_cores()]
    for name in ALLOWANCES:
        first = os.environ.get(name, "").split(",")[0].strip()  # OpenMP takes a number for each level
        if first.isascii() and first.isdigit() and int(first) > 0:
            counts.append(int(first))
    return min(counts)


@cache
def _known_quota(groups: Path, own: Path, process: int) -> float | None:
    """The quota of this process, read once: a stream asks for its threads with every batch."""
    return cpu_quota(groups, own)


def cpu_quota(groups: Path, own: Path) -> float | None:
    """The processor seconds a second that the control groups of a process allow it; None where there is no limit.

    ``groups`` is where they are mounted, ``own`` says which are this process's: a line ``0::/path`` for version 2,
    ``4:cpu,cpuacct:/path`` for version 1. A group that stands above it in the tree limits it too; in a container the
    mounted tree begins at its own group, so that the path is not there.
    """
    try:
        lines = own.read_text().splitlines()
    except OSError:
        lines = []
    quotas = []
    for line in ["0::/", "0:cpu:/", *lines]:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        for folder in _upward(path):
            if not controllers:
                quotas.append(_quota(groups / folder, "cpu.max"))
            elif "cpu" in controllers.split(","):
                for mount in {"cpu", controllers}:
                    quotas.append(_quota(groups / mount / folder, "cpu.cfs_quota_us", "cpu.cfs_period_us"))
    return min((quota for quota in quotas if quota is not None), default=None)


def _upward(path: str) -> Iterator[str]:
    """The folder of a group and those above it, without the leading slash."""
    folder = Path(path.lstrip("/"))
    while str(folder) != ".":
        yield str(folder)
        folder = folder.parent
    yield "."


def _quota(folder: Path, *names: str) -> float | None:
    """The quota in the files of a group: quota and period in one of them, or one in each; "max" and −1 are none."""
    try:
        quota, period = " ".join((folder / name).read_text() for name in names).split()
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError, ZeroDivisionError):
        return None
