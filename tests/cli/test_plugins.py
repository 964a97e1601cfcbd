"""Plug-ins at the command line: ``--plugin`` modules, and those that installed packages name as entry points."""

import json

import numpy as np
import pytest
from command import ENVIRONMENT, cold
from planted import planted

import partwise as pw

MODULE = '''
import partwise as pw
from partwise.inits.uniform import Uniform

print("a module that prints")


class Tenth(Uniform):
    """A start of its own."""


def eager(lam_w=0.0, lam_h=0.0):
    """hals with two sweeps."""
    return pw.hals(lam_w, lam_h, sweeps=2)


pw.ALGORITHMS["eager"] = eager
pw.INITS["tenth"] = Tenth
'''
NAMES = ["--algorithm", "eager", "--init", "tenth"]


@pytest.fixture
def place(tmp_path):
    """A folder with a plug-in, one that fails, one that misses a module, and a matrix."""
    (tmp_path / "my_rules.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "failing.py").write_text("raise RuntimeError('no\\nlicence')\n", encoding="utf-8")
    (tmp_path / "needy.py").write_text("import a_module_of_nobody\n", encoding="utf-8")
    np.save(tmp_path / "a.npy", planted(30, 24, 5))
    return tmp_path


def refused(done, sentence):
    """Exit code 2, one sentence on stderr, nothing on stdout."""
    assert (done.returncode, done.stdout) == (2, ""), (done.stdout, done.stderr)
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert sentence in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["factorize", "a.npy", "-k", 2, *NAMES],
        ["plan", "a.npy", "-k", 2, *NAMES],
        ["ranks", "a.npy", "--from", 2, "--to", 2, "--runs", 2, *NAMES],
        ["compare", "a.npy", "-k", 2, "--algorithms", "eager", "--inits", "tenth", "--max-iterations", 3],
    ],
    ids=lambda arguments: arguments[0],
)
def test_names_of_a_plugin_can_be_chosen(arguments, place, warm):
    """With the module its names are known and its prints stay out of the JSON; without it they are refused."""
    done = warm(*arguments, "--plugin", "my_rules", "--json", cwd=place)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    refused(warm(*arguments, "--json", cwd=place), "There is no")


def test_topics_take_plugins(place, folder, warm):
    """The same for texts; --plugin can be repeated."""
    (place / "second.py").write_text("import partwise as pw\npw.ALGORITHMS['later'] = pw.hals\n", encoding="utf-8")
    news = folder / "news.csv"
    chosen = ["--algorithm", "later", "--init", "tenth", "--plugin", "my_rules", "--plugin", "second", "--json"]
    done = warm("topics", news, "--column", "text", "-k", 2, *chosen, cwd=place)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["certificate"]["start"]["init"] == "tenth"


def test_the_current_folder_counts_where_python_leaves_it_out(place):
    """A console script has no current folder on its path; the plug-in is imported from there all the same."""
    environment = ENVIRONMENT | {"PYTHONSAFEPATH": "1"}
    done = cold("plan", "a.npy", *NAMES, "--plugin", "my_rules", "--json", cwd=place, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["memory"] > 0


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere", "There is no module 'nowhere', neither installed nor in"),
        ("nowhere.inside", "There is no module 'nowhere.inside'"),
        ("my_rules.py", "such as my_rules for the file my_rules.py, not 'my_rules.py'"),
        ("./my_rules", "A plug-in is named by its module"),
        ("", "A plug-in is named by its module"),
        ("failing", "The plug-in 'failing' cannot be imported (RuntimeError: no licence)."),
        ("needy", "The plug-in 'needy' needs the module 'a_module_of_nobody', which is not installed."),
    ],
)
def test_a_module_that_cannot_be_imported_is_one_sentence(name, sentence, place, warm):
    """Exit code 2 before any work."""
    refused(warm("factorize", "a.npy", "-k", 2, "--plugin", name, "-o", "fit.partwise", cwd=place), sentence)
    assert not (place / "fit.partwise").exists()


def test_a_run_with_a_plugin_is_resumed_with_it(place, warm):
    """The checkpoint names the plug-in's algorithm, which `resume --plugin` knows."""
    run = ["factorize", "a.npy", "-k", 2, *NAMES, "--plugin", "my_rules", "--checkpoint", "run.checkpoint"]
    done = warm(*run, "--max-iterations", 3, cwd=place)
    assert done.returncode == 0, done.stderr
    done = warm("resume", "run.checkpoint", "a.npy", "-o", "fit.partwise", "--plugin", "my_rules", cwd=place)
    assert done.returncode == 0, done.stderr
    assert pw.load(place / "fit.partwise").rank == 2


def install(place, *modules):
    """A folder of installed packages, as pip leaves it: modules beside a dist-info folder that names them."""
    site = place / "site"
    info = site / "my_rules-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-rules\nVersion: 1.0\n", encoding="utf-8")
    lines = "".join(f"{name} = {name}\n" for name in modules)
    (info / "entry_points.txt").write_text(f"[partwise.plugins]\n{lines}", encoding="utf-8")
    for name in modules:
        if (place / f"{name}.py").exists():
            (place / f"{name}.py").rename(site / f"{name}.py")
    return ENVIRONMENT | {"PYTHONPATH": str(site)}


def test_modules_of_the_entry_point_group_are_imported_at_start(place):
    """An installed package needs no --plugin."""
    done = cold("plan", "a.npy", *NAMES, "--json", cwd=place, env=install(place, "my_rules"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["memory"] > 0


def test_an_installed_plugin_that_fails_is_a_sentence_and_the_command_goes_on(place):
    """One sentence for each on stderr; the others count."""
    environment = install(place, "failing", "my_rules", "missing")
    done = cold("plan", "a.npy", *NAMES, "--json", cwd=place, env=environment)
    assert done.returncode == 0, done.stderr
    first, second = done.stderr.replace("a module that prints\n", "").splitlines()
    assert first.startswith("partwise: The plug-in 'failing' cannot be imported (RuntimeError: no licence).")
    assert second.startswith("partwise: There is no module 'missing'")
    assert json.loads(done.stdout)["memory"] > 0
