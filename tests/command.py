"""The command as a user runs it, and a small collection on disk."""

import csv
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

from corpus import documents

ENVIRONMENT = os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
COLUMNS = ["--id-column", "id", "--title-column", "headline", "--label-column", "theme"]


def cold(*arguments, **settings):
    """``python -m partwise`` in a process of its own."""
    command = [sys.executable, "-m", "partwise", *map(str, arguments)]
    settings = {"capture_output": True, "text": True, "encoding": "utf-8", "env": ENVIRONMENT} | settings
    return subprocess.run(command, check=False, **settings)


@contextmanager
def server():
    """The same as ``cold``, forked from a process that has imported everything: seconds a case are saved."""
    script = Path(__file__).with_name("warm.py")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    with subprocess.Popen([sys.executable, script], env=ENVIRONMENT, **pipes) as process:

        def run(*arguments, cwd=".", stdin=b"", env=()):
            case = {"arguments": list(map(str, arguments)), "cwd": str(cwd), "env": dict(env)}
            case["stdin"] = stdin.decode("latin-1")
            process.stdin.write(json.dumps(case) + "\n")
            process.stdin.flush()
            found = json.loads(process.stdout.readline())
            return SimpleNamespace(returncode=found["code"], stdout=found["out"], stderr=found["err"])

        yield run


def write_collection(path):
    """news.csv with ids, titles and labels; the same as lines, JSON lines and a folder of files."""
    made = documents()
    with (path / "news.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "headline", "theme", "text"])
        rows.writerows([d.id, d.title, d.label, d.text] for d in made)
    (path / "news.txt").write_text("".join(d.text + "\n" for d in made), encoding="utf-8")
    lines = (json.dumps({"text": d.text, "name": d.id}) + "\n" for d in made)
    (path / "news.jsonl").write_text("".join(lines), encoding="utf-8")
    (path / "texts" / "deep").mkdir(parents=True)
    for number, d in enumerate(made):
        (path / "texts" / ("deep" if number % 2 else ".") / f"{d.id}.txt").write_text(d.text, encoding="utf-8")
