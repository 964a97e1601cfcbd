"""An experiment that was broken off goes on after the fits that it had finished."""

from pathlib import Path

import pytest

from partwise.engine.call import Call
from partwise.experiments import EXPERIMENTS, Context, experiment, result_files

SETTINGS = {"rank": 3, "iterations": 3, "seeds": 1, "weight": "tfidf", "stem": "none"}


class Breaks:
    """Counts what is really run, and fails after some of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.runs, self.most, run = 0, 10**9, Call.drive

        def counted(call, *arguments):
            if self.runs >= self.most:
                raise InterruptedError
            self.runs += 1
            return run(call, *arguments)

        monkeypatch.setattr(Call, "drive", counted)


def test_finished_fits_are_not_run_again(small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken off after ten fits and called again: the rest is run, and the numbers are those of an unbroken one."""
    sparsity, breaks = EXPERIMENTS["sparsity"], Breaks(monkeypatch)
    unbroken = sparsity.run(Context(small_data), **SETTINGS)
    every = breaks.runs
    place = result_files.unfinished_folder(tmp_path, SETTINGS)
    breaks.runs, breaks.most = 0, 10
    with pytest.raises(InterruptedError):
        sparsity.run(Context(small_data, fits_folder=place), **SETTINGS)
    breaks.runs, breaks.most = 0, 10**9
    resumed = sparsity.run(Context(small_data, fits_folder=place), **SETTINGS)
    assert breaks.runs == every - 10
    assert resumed.tables[0] == unbroken.tables[0]
    result_files.remove_unfinished(tmp_path, place)
    assert place.exists()
    result_files.remove_unfinished(tmp_path)
    assert not place.exists()
    assert result_files.unfinished_folder(tmp_path, SETTINGS | {"rank": 4}) != place


def test_an_interrupt_ends_the_experiment(tmp_path: Path, small, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit gives what it has; the experiment must not go on with that."""
    step = experiment.factorize(small, 2)
    monkeypatch.setattr(experiment, "factorize", lambda *arguments, **settings: interrupted(step))
    with pytest.raises(KeyboardInterrupt):
        Context(fits_folder=tmp_path).fit(small, 2)


def interrupted(fit):
    """The result as an interrupt leaves it."""
    from dataclasses import replace

    return replace(fit, reason=experiment.Reason.INTERRUPTED)
