"""Results as files in a folder, so that a finished experiment is not run again."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import platform
import shutil
from pathlib import Path

from partwise.experiments import drawing
from partwise.experiments.experiment import Experiment, Record, Result, Table
from partwise.experiments.markdown import experiment_page
from partwise.result.certificate import versions
from partwise.storage.atomic import atomic


def result_key(settings: Record) -> Record:
    """The settings and versions that a result depends on beside the data."""
    return {"settings": json.loads(json.dumps(settings)), "versions": versions()}


def load_finished(folder: Path, settings: Record) -> Result | None:
    """The result in a folder, if it has these settings and versions and its files are complete; else None."""
    path = folder / "result.json"
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        complete = all((folder / name).exists() for name in ("figure.svg", "figure.png", "README.md"))
        return Result.from_dict(stored["result"]) if complete and stored["key"] == result_key(settings) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def unfinished_folder(folder: Path, settings: Record) -> Path:
    """The folder for the fits of an unfinished experiment, one for each combination of settings and versions."""
    description = json.dumps(result_key(settings), sort_keys=True)
    return folder / f"unfinished-{hashlib.blake2b(description.encode(), digest_size=8).hexdigest()}"


def remove_unfinished(folder: Path, keep: Path | None = None) -> None:
    """Remove the fits of unfinished experiments except those in ``keep``."""
    for unfinished in folder.glob("unfinished-*"):
        if unfinished != keep:
            shutil.rmtree(unfinished)


def read_result(folder: Path) -> tuple[Result, Record]:
    """(result, record with key, times and machine) of a finished experiment."""
    stored = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return Result.from_dict(stored.pop("result")), stored


def write_result(
    folder: Path, experiment: Experiment, result: Result, settings: Record, seconds: float, processor: float
) -> None:
    """Write tables, figure and page first, and result.json, which marks the folder complete, last."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in result.tables:
        _text(folder / f"{table.name}.csv", _csv(table))
    drawing.save_figure(experiment.draw(result), folder)
    _text(folder / "README.md", experiment_page(folder.name, experiment, result))
    times = {"seconds": round(seconds, 1), "processor_seconds": round(processor, 1)}
    machine = {"machine": platform.machine(), "cores": os.cpu_count()}
    record = {"key": result_key(settings), **times, **machine, "result": result.as_dict()}
    _text(folder / "result.json", json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")


def _text(path: Path, text: str) -> None:
    with atomic(path) as file:
        file.write(text.encode())


def _csv(table: Table) -> str:
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerows([table.columns, *table.rows])
    return out.getvalue()
