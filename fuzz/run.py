"""``make fuzz``: calls, files and command lines by the thousand; what is no result and no sentence is listed.

python fuzz/run.py --minutes 15 --seed 0            all three kinds
python fuzz/run.py --only calls --match hoyer       some of them
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests")]

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from bad_values import A  # noqa: E402

import partwise as pw  # noqa: E402
from fuzz import calls, files, verbs  # noqa: E402
from fuzz.outcome import Outcome, run  # noqa: E402

KINDS = ("calls", "files", "verbs")
FILES, VERBS = 2000, 1200


def all_cases(folder: Path, seed: int, kinds: tuple[str, ...] = KINDS) -> list[calls.Case]:
    """Every case of these kinds, in a seeded order."""
    rng = np.random.default_rng(seed)
    warm_up()
    made: list[calls.Case] = []
    damaged = list(files.cases(folder, rng, FILES))  # also makes the sound files that the verbs read
    if "calls" in kinds:
        made += list(calls.cases())
    if "files" in kinds:
        made += damaged
    if "verbs" in kinds:
        made += list(verbs.cases(folder, rng, VERBS))
    return [made[place] for place in rng.permutation(len(made))]


def warm_up() -> None:
    """Load and compile here what every child would load and compile again."""
    for algorithm in pw.ALGORITHMS:
        for matrix in (A, sp.csr_array(A), A.astype(np.float32)):
            with contextlib.suppress(ValueError):
                pw.factorize(matrix, 2, algorithm=algorithm, stop=pw.MaxIterations(2), threads=1)
    pw.NMF(2, max_iter=2).fit(A)


def outcomes(cases: list[calls.Case], end: float) -> Iterator[Outcome]:
    """The outcomes of the cases until the time is over."""
    for name, action in cases:
        if time.monotonic() > end:
            return
        yield run(name, action)


def main() -> None:
    """Run the cases on two processes and print what is to be mended; exit code 1 where there is something."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--match", default="")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=None, help="write every outcome to this file as JSON")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    end = time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "files")
        folder.mkdir()
        cases = all_cases(folder, given.seed, (given.only,) if given.only else KINDS)
        cases = [case for case in cases if given.match in case[0]]
        children = []
        for shard in range(given.processes):
            child = os.fork()
            if child == 0:
                results = [asdict(one) for one in outcomes(cases[shard :: given.processes], end)]
                Path(name, f"{shard}.json").write_text(json.dumps(results))
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        everything = [
            Outcome(**one) for n in range(given.processes) for one in json.loads(Path(name, f"{n}.json").read_text())
        ]
    if given.out:
        given.out.write_text(json.dumps([asdict(one) for one in everything], indent=1))
    defects = sorted((one for one in everything if one.is_defect), key=lambda one: (one.kind, one.detail))
    for one in defects:
        sys.stdout.write(f"{one.kind:10}  {one.case}\n            {one.detail}\n")
    counts = ", ".join(f"{count:,} {kind}" for kind, count in Counter(one.kind for one in everything).most_common())
    sys.stdout.write(f"{len(everything):,} of {len(cases):,} cases, seed {given.seed}: {counts}\n")
    sys.exit(bool(defects))


if __name__ == "__main__":
    main()
