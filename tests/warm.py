"""Command lines one after another, each in a process of its own, forked from one that has the imports behind it.

What a case sees is what ``python -m partwise`` gives: its own arguments, folder, environment, stdin, stdout, stderr and
exit code.
Cases come as lines of JSON and results go back the same way.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path


def run(case: dict) -> dict:
    """Fork, run ``main`` on the arguments, and give what it printed and how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("in", "out", "err")]
        files[0].write_bytes(case["stdin"].encode("latin-1"))
        child = os.fork()
        if child == 0:
            code = 70
            try:
                code = _child(case, files)
            finally:
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        out, err = (file.read_bytes().decode() for file in files[1:])
        return {"code": os.waitstatus_to_exitcode(status), "out": out, "err": err}


def _child(case: dict, files: list[Path]) -> int:
    os.chdir(case["cwd"])
    os.environ.update(case["env"])
    for number, (file, flags) in enumerate(zip(files, (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT] * 2), strict=True)):
        os.dup2(os.open(file, flags), number)
    sys.argv = ["partwise", *case["arguments"]]
    from partwise.cli import main

    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def get_ready() -> None:
    """Import, load and compile what every case would import, load and compile again."""
    from corpus import documents

    from partwise.cli import application
    from partwise.text import LSI, TopicModel

    with contextlib.redirect_stdout(io.StringIO()):
        application()(["search", "--help"], standalone_mode=False)
    TopicModel(2, threads=1).fit(documents()).search("ship")
    LSI(2, threads=1).fit(documents())


if __name__ == "__main__":
    get_ready()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line))) + "\n")
        sys.stdout.flush()
