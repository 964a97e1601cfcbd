"""A small, seeded sample of ``make fuzz``: every case ends in a result or in a sentence."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz import calls, files
from fuzz.outcome import Outcome, repository, run
from fuzz.run import summary

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children with limits are forked the Linux way")
SEED = 0


def sampled(cases: list[calls.Case], count: int) -> list[Outcome]:
    """The defects among some of the cases."""
    rng = np.random.default_rng(SEED)
    chosen = rng.choice(len(cases), count, replace=False)
    return [one for place in chosen if (one := run(*cases[place], seconds=60)).is_defect]


@pytest.mark.filterwarnings("ignore")  # a result with a warning is a result
def test_a_sample_of_bad_values() -> None:
    """Bad arguments of public callables; those of algorithms are left to ``make fuzz``, they compile."""
    cases = [
        case
        for case in calls.cases()
        if not case[0].startswith(("factorize(", "TopicModel", "LSI", "NMF", "search", "stability", "ranks", "compare"))
    ]
    assert sampled(cases, 80) == []


def test_a_sample_of_damaged_files(tmp_path: Path) -> None:
    """Damaged files of every kind."""
    assert sampled(list(files.cases(tmp_path, np.random.default_rng(SEED), 200)), 30) == []


def test_the_runner_sees_what_is_wrong() -> None:
    """A crash, a hang, a raw error and a number that is not finite are told from a result and a sentence."""

    def sentence() -> None:
        raise ValueError("This is not allowed; give another one.")

    def raw() -> None:
        raise ValueError("not allowed")

    kinds = {
        "result": lambda: None,
        "sentence": sentence,
        "raw": raw,
        "traceback": lambda: None.x,  # type: ignore[attr-defined]
        "crash": lambda: __import__("os").kill(__import__("os").getpid(), 9),
        "hang": lambda: __import__("time").sleep(30),
        "not finite": lambda: calls.not_finite(np.array([np.nan])),
    }
    outcomes = [run(kind, action, seconds=2) for kind, action in kinds.items()]
    assert [one.kind for one in outcomes] == list(kinds)
    figures, defective = summary(outcomes, ["a file"])
    assert defective
    assert "1  crashes" in figures
    assert "1  files added to the repository" in figures
    assert "1  messages that are not ours (50.00% of 2; at most 1%)" in figures
    assert not summary(outcomes[:2], [])[1]


def test_files_of_a_case_are_not_those_of_the_repository() -> None:
    """A name of a file is one in a folder of the case, which is removed; the harness sees what is added here."""
    before, here = repository(), Path.cwd()
    assert run("writes", lambda: Path("left behind").write_text("x") and None).kind == "result"
    assert repository() == before
    assert Path.cwd() == here
    assert str(Path(__file__)) in before
