"""Results in a folder: what is finished is not run again."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import platform
import shutil
from pathlib import Path
from typing import Any

from partwise.experiments import drawing
from partwise.experiments.experiment import Experiment, Result, Table
from partwise.experiments.markdown import paragraph
from partwise.result.certificate import versions
from partwise.storage.archive import atomic


def key(settings: dict[str, Any]) -> dict[str, Any]:
    """What a result depends on beside the data."""
    return {"settings": json.loads(json.dumps(settings)), "versions": versions()}


def finished(folder: Path, settings: dict[str, Any]) -> Result | None:
    """The result in a folder, if it was made with these settings and versions and nothing is missing."""
    path = folder / "result.json"
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        whole = all((folder / name).exists() for name in ("figure.svg", "figure.png", "paragraph.md"))
        return Result.from_dict(known["result"]) if whole and known["key"] == key(settings) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def begun(folder: Path, settings: dict[str, Any]) -> Path:
    """Where the fits of an unfinished experiment are kept: other settings or versions have another place."""
    description = json.dumps(key(settings), sort_keys=True)
    return folder / f"unfinished-{hashlib.blake2b(description.encode(), digest_size=8).hexdigest()}"


def forget_begun(folder: Path, keep: Path | None = None) -> None:
    """Remove the fits of unfinished experiments, those in ``keep`` apart."""
    for unfinished in folder.glob("unfinished-*"):
        if unfinished != keep:
            shutil.rmtree(unfinished)


def read(folder: Path) -> tuple[Result, dict[str, Any]]:
    """(result, what else was noted: key, seconds, machine) of a finished experiment."""
    known = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return Result.from_dict(known.pop("result")), known


def write(folder: Path, experiment: Experiment, result: Result, settings: dict[str, Any], seconds: float) -> None:
    """Tables, figure and paragraph first; result.json, which says that all is there, last."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in result.tables:
        _text(folder / f"{table.name}.csv", _csv(table))
    drawing.save(experiment.draw(result), folder)
    _text(folder / "paragraph.md", paragraph(experiment, result))
    machine = {"machine": platform.machine(), "cores": os.cpu_count()}
    record = {"key": key(settings), "seconds": round(seconds, 1), **machine, "result": result.as_dict()}
    _text(folder / "result.json", json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")


def _text(path: Path, text: str) -> None:
    with atomic(path) as file:
        file.write(text.encode())


def _csv(table: Table) -> str:
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerows([table.columns, *table.rows])
    return out.getvalue()
