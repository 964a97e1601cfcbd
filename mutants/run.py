"""``make mutants``: every fault of the table in a copy of the tree, with the tests that should see it.

python mutants/run.py --minutes 20                  all of them, two at a time
python mutants/run.py --match engine/               some of them
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from queue import SimpleQueue
from random import Random

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from mutants.faults import SURVIVE, Fault, listed  # noqa: E402

ROOT, COPIED = HERE.parent, ("src", "tests", "fuzz", "mutants", "docs", "pyproject.toml")
SEEN, SLOWER, LEAST = ("seen", "no end"), 5, 300
"""A fault's tests may take so many times what they take without it, and at least so many seconds: kernels compile."""


def copy(place: Path) -> Path:
    """The tree at a place of its own, compiled kernels included."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("paper", "images"))
        else:
            shutil.copy2(source, place / name)
    return place


def exit_code(tree: Path, tests: str, cache: str = "", limit: float | None = None) -> int | None:
    """The exit code of the tests in a tree, None after too long; kernels are kept in the cache named."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *shlex.split(tests)]
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "OPENBLAS_NUM_THREADS": "1"}
    environment |= {"NUMBA_CACHE_DIR": cache} if cache else {}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=tree, env=environment, stdout=quiet, stderr=quiet, start_new_session=True
    ) as process:
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # what the tests have started ends with them


def outcome(tree: Path, limit: float, file: str, old: str, new: str, tests: str) -> str:
    """What the tests say of one fault: seen, survived, or no end."""
    path = tree / "src/partwise" / file
    whole, times = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(whole.replace(old, new), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        try:
            code = exit_code(tree, tests, folder if file.startswith("kernels/") else "", limit)
        finally:
            path.write_text(whole, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # or all kernels would be compiled again
    if code is None:
        return "no end"
    if code == 0:
        return "survived"
    return "seen" if code in (1, 2, 4) else f"not run (exit code {code})"  # 4: nothing can be imported


@dataclass
class Trees:
    """Copies of the tree, each for one fault at a time."""

    free: SimpleQueue[Path]
    end: float
    seconds: dict[str, float] = field(default_factory=dict)
    """Tests -> what they take without a fault; infinite where they fail, since they would see faults that are none."""

    def verdict(self, fault: Fault) -> str:
        """What becomes of one fault."""
        if time.monotonic() > self.end:
            return "no time"
        tree, tests = self.free.get(), fault[3]
        try:
            if tests not in self.seconds:
                began = time.monotonic()
                passed = exit_code(tree, tests) == 0
                self.seconds[tests] = time.monotonic() - began if passed else inf
            if self.seconds[tests] == inf:
                return "not run (its tests fail without it)"
            return outcome(tree, max(LEAST, SLOWER * self.seconds[tests]), *fault)
        finally:
            self.free.put(tree)


def main() -> None:
    """Run the faults and print the score; exit code 1 below 90 %."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--match", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    faults = [fault for fault in listed() if chosen.match in fault[0]]
    Random(chosen.seed).shuffle(faults)  # so that a part of them is a fair sample
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.processes) as pool:
        trees = Trees(SimpleQueue(), time.monotonic() + 60 * chosen.minutes)
        for number in range(chosen.processes):
            trees.free.put(copy(Path(folder, str(number))))
        verdicts = []
        for fault, verdict in zip(faults, pool.map(trees.verdict, faults), strict=True):
            verdicts.append(verdict)
            sys.stderr.write(f"{len(verdicts)}/{len(faults)} {verdict:9} {fault[0]}: {fault[2].strip()}\n")
    run = [(fault, verdict) for fault, verdict in zip(faults, verdicts, strict=True) if verdict != "no time"]
    for (file, old, new, tests), verdict in run:
        if verdict != "seen":
            reason = SURVIVE.get(new, "no reason is known")
            sys.stdout.write(f"{verdict}: {file}: {old.strip()} -> {new.strip()} ({tests}): {reason}\n")
    seen = sum(verdict in SEEN for _, verdict in run)
    sys.stdout.write(
        f"{seen} of {len(run)} faults were seen, {seen / max(1, len(run)):.0%}; {len(faults)} are listed\n"
    )
    sys.exit(seen < 0.9 * len(run))


if __name__ == "__main__":
    main()
