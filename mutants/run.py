"""``make mutants``: every fault of the table in a copy of the tree, with the tests that should see it.

python mutants/run.py --minutes 20                  all of them, two at a time
python mutants/run.py --match engine/               some of them
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from random import Random

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from mutants.faults import SURVIVE, listed  # noqa: E402

ROOT, COPIED, SECONDS = HERE.parent, ("src", "tests", "fuzz", "mutants", "docs", "pyproject.toml"), 150


def copy(place: Path) -> Path:
    """The tree at a place of its own, compiled kernels included."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("paper", "images"))
        else:
            shutil.copy2(source, place / name)
    return place


def outcome(tree: Path, file: str, old: str, new: str, tests: str) -> str:
    """What the tests say of one fault: seen, survived, or hung."""
    path = tree / "src/partwise" / file
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace(old, new), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *shlex.split(tests)]
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "seen"  # a run without end is noticed
    finally:
        path.write_text(whole, encoding="utf-8")
    code = done.returncode
    return "survived" if code == 0 else "seen" if code in (1, 2, 4) else f"not run (exit code {code})"


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
    end, counter = time.monotonic() + 60 * chosen.minutes, count(1)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.processes) as pool:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(chosen.processes):
            trees.put(copy(Path(folder, str(number))))

        def judged(fault: tuple[str, str, str, str]) -> str:
            if time.monotonic() > end:
                return "no time"
            tree = trees.get()
            verdict = outcome(tree, *fault)
            trees.put(tree)
            sys.stderr.write(f"{next(counter)}/{len(faults)} {verdict:9} {fault[0]}: {fault[2].strip()}\n")
            return verdict

        verdicts = list(pool.map(judged, faults))
    run = [(fault, verdict) for fault, verdict in zip(faults, verdicts, strict=True) if verdict != "no time"]
    for (file, old, new, tests), verdict in run:
        if verdict != "seen":
            reason = SURVIVE.get(new, "no reason is known")
            sys.stdout.write(f"{verdict}: {file}: {old.strip()} -> {new.strip()} ({tests}): {reason}\n")
    seen = sum(verdict == "seen" for _, verdict in run)
    sys.stdout.write(
        f"{seen} of {len(run)} faults were seen, {seen / max(1, len(run)):.0%}; {len(faults)} are listed\n"
    )
    sys.exit(seen < 0.9 * len(run))


if __name__ == "__main__":
    main()
