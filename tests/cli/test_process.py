"""The command as a process among others: a fresh start, interrupts, pipes, and time."""

import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from command import ENVIRONMENT, cold

import partwise as pw

# Each iteration says that it has begun and waits, so that an interrupt finds the run on its way.
SLOW = """
import signal, sys, time
import partwise.engine.driver
from partwise.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
advance = partwise.engine.driver.advance

def slowly(*given):
    sys.stderr.write("!"), sys.stderr.flush()
    time.sleep(0.2)
    return advance(*given)

partwise.engine.driver.advance = slowly
"""


def test_a_fresh_process_searches_a_saved_model(saved):
    """python -m partwise gives the library's answer and nothing on stderr; misuse is exit code 2 and a sentence."""
    done = cold("search", saved, "captain melody", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout) == json.loads(json.dumps(pw.load(saved).search("captain melody").as_dict()))
    done = cold("search", saved, "qqqq")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_a_reader_that_goes_away_is_no_error(saved):
    """``partwise clusters ... | head`` ends without a word."""
    command = [sys.executable, "-m", "partwise", "clusters", str(saved), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        process.stdout.close()
        stderr = process.stderr.read()
    assert stderr == b""
    assert process.returncode != 2


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("when", ["reading", "factorising"])
def test_an_interrupt_leaves_no_file(when, folder, tmp_path):
    """Ctrl-C while reading or factorising: exit code 130, one sentence, the folder as it was."""
    target = tmp_path / "m.partwise"
    source = "-" if when == "reading" else str(folder / "news.csv")
    arguments = ["partwise", "topics", source, "-k", "2", "-o", str(target), "--title-column", "none"]
    code = SLOW + f"sys.argv = {arguments}\nsys.stderr.write('ready'), sys.stderr.flush()\nmain()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], env=ENVIRONMENT, **pipes) as process:
        assert process.stderr.read(5) == b"ready"
        if when == "factorising":
            assert process.stderr.read(1) == b"!"
        else:
            process.stdin.write(b"ship sail\n" * 10)
            process.stdin.flush()
            time.sleep(2)
        process.send_signal(signal.SIGINT)
        stderr = process.stderr.read().decode().lstrip("!")
    assert process.returncode == 130, stderr
    assert stderr.strip() == "partwise: interrupted; no file is left half written."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
def test_an_interrupt_of_the_imports_is_a_sentence(tmp_path):
    """Ctrl-C from the first line of the package on: exit code 130 and one sentence, never a traceback."""
    first = Path(pw.__path__[0], "start_up.py").read_text(encoding="utf-8")
    assert re.findall(r"^(?:import|from) (\w+)", first, re.MULTILINE) == [
        "__future__",
        "_signal",
        "os",
        "sys",
    ]  # at once
    begin = "import sys; sys.argv = ['partwise', '--help']\n"
    watched = (
        "import partwise.start_up; sys.stdout.write('!'); sys.stdout.flush()\nfrom partwise.cli import main; main()"
    )
    code = f"{begin}import types; partwise = types.ModuleType('partwise'); partwise.__path__ = {pw.__path__}\n"
    code += f"sys.modules['partwise'] = partwise\n{watched}"
    for moment in np.linspace(0, 0.1, 4 * int(os.environ.get("PARTWISE_SIGNALS", "1"))):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen([sys.executable, "-c", code], env=ENVIRONMENT, **pipes) as process:
            assert process.stdout.read(1) == b"!"
            time.sleep(moment)
            process.send_signal(signal.SIGINT)
            stderr = process.stderr.read().decode()
        assert (process.returncode, stderr) == (130, "partwise: interrupted; no file is left half written.\n"), moment


@pytest.mark.parametrize(("program", "late"), [("partwise", True), ("python", False)])
def test_the_command_imports_less_and_a_program_as_usual(program, late):
    """numpy.f2py, which scipy's ``from numpy import *`` names, is executed when it is used, in the command alone."""
    code = f"""if True:
        import sys, threading
        sys.argv = [{program!r}]
        import numpy, partwise, scipy.sparse, pydoc
        import numpy.f2py
        print("numpy.f2py.f2py2e" in sys.modules, "plain" in vars(pydoc))
        found = []
        threads = [threading.Thread(target=lambda: found.append(numpy.f2py.get_include)) for _ in range(4)]
        [thread.start() for thread in threads], [thread.join() for thread in threads]
        print(len(found), pydoc.plain("a"), hasattr(pydoc, "nothing"))
        numpy.testing.assert_array_equal([1], [1])"""
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=False, text=True)
    assert (done.stdout, done.stderr) == (f"{not late} {not late}\n4 a False\n", "")


@pytest.mark.parametrize("program", ["partwise", "another"])
def test_dataclasses_of_the_command_have_all_their_methods(program):
    """Methods that the command compiles when they are called are those of any other program."""
    code = f"""if True:
        import sys
        sys.argv = [{program!r}]
        import partwise
        from dataclasses import FrozenInstanceError, dataclass, field
        @dataclass(frozen=True, order=True, slots=True)
        class Own:
            one: int
            two: list = field(default_factory=list, hash=False)
        class Further(Own): pass
        a, b = Own(1, [2]), Further(one=1)
        print(a, b, a == Own(1, [2]), a == b, a < Own(2), a >= Own(2), hash(a) == hash(Own(1)), a.__eq__.__name__)
        for change in (lambda: setattr(a, "one", 2), lambda: delattr(a, "one")):
            try: change()
            except FrozenInstanceError as error: print(error)"""
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=False, text=True)
    assert done.stdout.splitlines() == [
        "Own(one=1, two=[2]) Further(one=1, two=[]) True False True False True __eq__",
        "cannot assign to field 'one'",
        "cannot delete field 'one'",
    ], done.stderr


@pytest.mark.parametrize(("program", "changed"), [("partwise", True), ("python", False)])
def test_the_command_alone_has_late_constructors(program, changed):
    """They are compiled when they are looked up: with their names and signatures, in subclasses, once for a class."""
    code = f"""if True:
        import sys
        sys.argv = [{program!r}]
        import partwise
        from dataclasses import dataclass
        from inspect import isfunction, signature
        @dataclass
        class Own:
            "Without a text of its own, the signature would be looked up for one."
            one: int = 1
        class Further(Own):
            def __init__(self): super().__init__(one=2)
        before = isfunction(vars(Own)["__init__"])
        print(Further(), Own(3), signature(Own), Own.__init__.__qualname__, isfunction(vars(Own)["__init__"]))
        try: Own(two=2)
        except TypeError as error: print(error)
        print(before)"""
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=False, text=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "Further(one=2) Own(one=3) (one: int = 1) -> None Own.__init__ True", done.stderr
    assert lines[1:] == [
        "Own.__init__() got an unexpected keyword argument 'two'",
        str(not changed or sys.version_info >= (3, 13)),
    ]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc's")
def test_the_command_keeps_memory_for_the_next_array():
    """What is freed is used again without a page fault for every 4 kB, up to 32 MB an array."""
    code = """if True:
        import sys
        sys.argv = ["partwise"]
        import partwise, resource
        import numpy as np
        for size in (2**21, 2**24, 2**21, 2**24):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            np.ones(size, np.uint8)
            print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)"""
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=False, text=True)
    first, again = np.reshape(list(map(int, done.stdout.split())), (2, 2))
    assert (again < 20).all(), (first, again, done.stderr)


@pytest.mark.parametrize("program", ["partwise", "another"])
@pytest.mark.parametrize(
    "later",
    [
        "atexit.register(say, 'end')",
        "threading.Timer(1, say, ['end']).start()",
        "del atexit._run_exitfuncs; weakref.finalize(main, say, 'end')",
    ],
    ids=["registered", "a thread", "another Python"],
)
def test_what_is_left_for_the_end_is_done(program, later):
    """The command ends at once, but not before what was registered for its end, and not before another thread."""
    code = (
        f"import atexit, sys, threading, weakref\nsys.argv = ['{program}', '--version']\n"
        f"from partwise.cli import main\ndef say(text): print(text)\n{later}; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == ["end", f"partwise {pw.__version__}"]


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
def test_an_interrupt_in_a_callback_comes_again():
    """Ctrl-C is not lost where C calls Python, as LLVM does while a kernel is compiled, and nothing can be raised."""
    code = """if True:
        import ctypes, signal, sys, time
        from partwise.cli import _catch_signals
        _catch_signals()
        callback = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
        try:
            callback()
            time.sleep(20)
        except KeyboardInterrupt:
            sys.stdout.write("interrupted")"""
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted", "")


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
def test_sigterm_ends_a_run_as_an_interrupt_does(folder, tmp_path):
    """A run that is terminated leaves its checkpoint and no temporary file: exit code 143."""
    kept = tmp_path / "run.checkpoint"
    arguments = [
        "partwise",
        "topics",
        str(folder / "news.csv"),
        "--title-column",
        "none",
        "-k",
        "2",
        "--init",
        "random",
        "--checkpoint",
        str(kept),
    ]
    code = SLOW + f"sys.argv = {arguments}\nmain()"
    with subprocess.Popen([sys.executable, "-c", code], env=ENVIRONMENT, stderr=subprocess.PIPE) as process:
        assert process.stderr.read(3) == b"!!!"
        process.send_signal(signal.SIGTERM)
        stderr = process.stderr.read().decode().lstrip("!")
    assert process.returncode == 143, stderr
    assert "the run is kept in" in stderr
    assert [path.name for path in tmp_path.iterdir()] == ["run.checkpoint"]


CLOSED = {how: (0, "") for how in (">&-", "2>&-", "<&-") if "PARTWISE_SIGNALS" in os.environ} | {
    "<&- >&- 2>&-": (0, ""),
    "- <&-": (2, "Nothing came from stdin"),
    ">/dev/full": (2, "there is no room left to write to (No space left on device); free some"),
    "| head -c 1": (141, ""),
}


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
def test_streams_that_are_closed_full_or_left(tmp_path):
    """Whatever the shell does with the three streams, there is no traceback, and ``| head`` is no error of ours."""
    np.savetxt(tmp_path / "a.csv", np.arange(1, 13).reshape(4, 3), delimiter=",")
    for how, (code, sentence) in CLOSED.items():
        source = "" if how.startswith("- ") else "a.csv"
        verb = "--help" if "head" in how else f"plan -k 1 {source}"
        script = f"set -o pipefail; {sys.executable} -m partwise {verb} {how}"
        process = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        assert process.returncode == code, how
        assert process.stderr.count("\n") == bool(sentence), process.stderr
        assert sentence in process.stderr


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused_first(folder, warm, tmp_path):
    """The sentence comes before any reading."""
    tmp_path.chmod(0o500)
    done = warm("topics", "-", "-o", tmp_path / "m.partwise", cwd=folder)
    assert done.returncode == 2
    assert "may not be written to" in done.stderr


def test_a_terminal_gets_progress_and_a_pipe_does_not(folder, tmp_path):
    """Progress goes to stderr, and only where that is a terminal."""
    pty = pytest.importorskip("pty")
    command = [sys.executable, "-m", "partwise", "topics", "news.csv", "-k", "3", "--json"]
    ours, theirs = pty.openpty()
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=theirs, env=ENVIRONMENT, check=False)
    os.close(theirs)
    stderr = b""
    try:
        while part := os.read(ours, 4096):
            stderr += part
    except OSError:
        pass  # the other end is closed
    os.close(ours)
    assert b"reading" in stderr
    assert json.loads(done.stdout)["documents"] == 30
