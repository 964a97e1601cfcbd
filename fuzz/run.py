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
from dataclasses import asdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests")]

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from bad_values import A  # noqa: E402

import partwise as pw  # noqa: E402
from fuzz import calls, files, verbs  # noqa: E402
from fuzz.outcome import Outcome, repository, run  # noqa: E402

KINDS = ("calls", "files", "verbs")
COUNTS = {"calls": 4500, "files": 1800, "verbs": 1200}
"""How many cases of each kind are tried; of the calls there are more, and the seed chooses."""
LIMIT = 0.01
"""The share of messages that may be another library's."""


def all_cases(folder: Path, seed: int, kinds: tuple[str, ...] = KINDS, match: str = "") -> list[calls.Case]:
    """The cases of these kinds, in a seeded order; all that match where a text is given."""
    rng = np.random.default_rng(seed)
    warm_up()
    known: dict[str, list[calls.Case]] = {}
    known["files"] = list(files.cases(folder, rng, COUNTS["files"]))  # also makes the sound files that the verbs read
    known["calls"] = list(calls.cases())
    known["verbs"] = list(verbs.cases(folder, rng, COUNTS["verbs"]))
    chosen: list[calls.Case] = []
    for kind in kinds:
        some = [case for case in known[kind] if match in case[0]]
        count = len(some) if match else min(len(some), COUNTS[kind])
        chosen += [some[place] for place in rng.permutation(len(some))[:count]]
    return [chosen[place] for place in rng.permutation(len(chosen))]


def warm_up() -> None:
    """Load and compile here what every child would load and compile again."""
    calls.objects()
    for algorithm in pw.ALGORITHMS:
        for matrix in (A, sp.csr_array(A), A.astype(np.float32)):
            with contextlib.suppress(ValueError):
                pw.factorize(matrix, 2, algorithm=algorithm, stop=pw.MaxIterations(2), threads=1)
    for settings in (
        {"missing": "zeros"},
        {"loss": "poisson", "missing": "zeros"},
        {"algorithm": pw.sparse_parts(w=0.5)},
    ):
        pw.factorize(A, 2, stop=pw.MaxIterations(2), threads=1, **settings)
    pw.write_report(calls.objects()["fit"], os.devnull, runs=0)


def in_processes(cases: list[calls.Case], count: int, end: float) -> list[Outcome]:
    """The outcomes of the cases that are run before the end, in several processes."""
    with tempfile.TemporaryDirectory() as name:
        children = []
        for shard in range(count):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    some = [run(*case) for case in cases[shard::count] if time.monotonic() < end]
                    Path(name, f"{shard}.json").write_text(json.dumps([asdict(one) for one in some]))
                    code = 0
                finally:
                    os._exit(code)
            children.append(child)
        statuses = [os.waitpid(child, 0)[1] for child in children]
        if any(statuses):
            sys.exit("A process of the harness itself has failed.")
        lists = [json.loads(Path(name, f"{shard}.json").read_text()) for shard in range(count)]
    return [Outcome(**one) for some in lists for one in some]


def again(everything: list[Outcome], cases: list[calls.Case]) -> list[Outcome]:
    """Those that took too long are run once more, alone: a machine that is busy makes hangs of its own."""
    actions = dict(cases)
    return [run(one.case, actions[one.case]) if one.kind == "hang" else one for one in everything]


def summary(everything: list[Outcome], added: list[str]) -> tuple[str, bool]:
    """(the figures as lines, whether there is a defect)."""
    count = Counter(one.kind for one in everything)
    messages = count["sentence"] + count["raw"]
    share = count["raw"] / max(1, messages)
    figures = {
        "results": count["result"],
        "sentences of ours": count["sentence"],
        "crashes": count["crash"],
        "hangs": count["hang"],
        "tracebacks": count["traceback"],
        "not finite": count["not finite"],
        "earlier outputs lost or changed": count["lost"],
        "files added to the repository": len(added),
        f"messages that are not ours ({share:.2%} of {messages:,}; at most {LIMIT:.0%})": count["raw"],
    }
    defects = sum(value for name, value in list(figures.items())[2:-1])
    return "".join(f"{value:7,}  {name}\n" for name, value in figures.items()), bool(defects or share > LIMIT)


def main() -> None:
    """Run the cases on two processes and print what is to be mended; exit code 1 where a limit is not kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--match", default="", help="all cases that have this in their name")
    parser.add_argument("--part", default="0/1", help="one part of the cases, as 0/4")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=None, help="write every outcome to this file as JSON")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    end, earlier = time.monotonic() + 60 * options.minutes, repository()
    with tempfile.TemporaryDirectory() as name:
        cases = all_cases(Path(name), options.seed, (options.only,) if options.only else KINDS, options.match)
        part, parts = map(int, options.part.split("/"))
        cases = cases[part::parts]
        everything = again(in_processes(cases, options.processes, end), cases)
    if options.out:
        options.out.write_text(json.dumps([asdict(one) for one in everything], indent=1))
    for one in sorted((one for one in everything if one.is_defect), key=lambda one: (one.kind, one.detail)):
        sys.stdout.write(f"{one.kind:10}  {one.case}\n            {one.detail}\n")
    added = sorted(repository() - earlier)
    sys.stdout.writelines(f"added       {path}\n" for path in added)
    figures, defective = summary(everything, added)
    sys.stdout.write(f"{len(everything):,} of {len(cases):,} cases, seed {options.seed}\n{figures}")
    sys.exit(defective)


if __name__ == "__main__":
    main()
