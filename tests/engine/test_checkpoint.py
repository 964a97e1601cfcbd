"""Checkpoints: a run that is broken off anywhere and called again ends with the bits of an unbroken one."""

import os
import shutil

import numpy as np
import pytest
import scipy.sparse as sp
from kept_runs import RULES, A, Killed, assert_same, broken, call, no_waiting_for_the_disk  # noqa: F401
from takes import skip_unless_taken

import partwise as pw
from partwise.engine import checkpoint as keeping
from partwise.engine import driver, problem, restarts
from partwise.engine.checkpoint import Checkpoint, previous
from partwise.storage import archive as files


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", [name for name in pw.ALGORITHMS if name not in ("alp", "anls-lawson-hanson")])
def test_every_algorithm_goes_on_bit_for_bit(name, kind, tmp_path, monkeypatch):
    """Killed at iterations 1, 2, 7 and 12, one after the other, a run ends as it would have."""
    settings = {"algorithm": name, "matrix": kind(A)}
    skip_unless_taken(name, kind(A))
    path = tmp_path / "run"
    for at in (1, 1, 5, 5):
        assert broken(monkeypatch, path, at, **settings)
    assert_same(call(path, **settings), call(**settings))


WAYS = {
    "float32": {"matrix": A.astype(np.float32)},
    "restarts": {"restarts": 9, "init": "random", "racing": pw.Racing(at=(3, 6), share=(0.5, 0.2), least=2)},
    "restarts without a race": {"restarts": 3, "init": "random", "racing": None},
    "sparse restarts": {"matrix": sp.csr_array(A), "restarts": 9, "init": "random", "algorithm": "acls"},
    "polish": {"algorithm": "acls", "polish": "hals", "polish_stop": pw.MaxIterations(6), "settle": True},
    "polish of restarts": {"algorithm": "acls", "polish": pw.extrapolated("anls"), "restarts": 3, "svd": True},
    "pair": {"init": (np.ones((60, 4)) + np.eye(60, 4), np.ones((4, 44)) + np.eye(4, 44))},
    "dead topics": {"init": np.eye(60, 4) * (np.arange(4) < 2), "algorithm": "hals"},
    "last": {"keep": "last", "algorithm": "ahcls"},
    "lost minimum": {"algorithm": pw.ahcls(3, 3, 0.6, 0.6)},
    "a rule of one's own": {"stop": [lambda step: pw.Reason.ANGLE if step.iteration == 9 else None]},
}


@pytest.mark.filterwarnings("ignore:A whole factor became zero:RuntimeWarning")
@pytest.mark.parametrize("way", WAYS)
def test_every_way_goes_on_bit_for_bit(way, tmp_path, monkeypatch):
    """Whatever the run is made of, killed after any tick it ends as it would have."""
    monkeypatch.setattr(restarts, "WIDTH", 12)
    wanted = call(**WAYS[way])
    for at in (1, 4, 9, 16, 28, 47):
        path = tmp_path / str(at)
        if not broken(monkeypatch, path, at, **WAYS[way]):
            break
        assert_same(call(path, **WAYS[way]), wanted)
    assert at > 4


def test_a_drawn_seed_is_kept(tmp_path, monkeypatch):
    """seed=None draws one seed for the whole run, however often it is broken off."""
    path = tmp_path / "run"
    assert broken(monkeypatch, path, 4, seed=None)
    found = call(path, seed=None)
    assert_same(found, call(seed=found.certificate.seed))


def test_a_finished_run_is_given_at_once(tmp_path, monkeypatch):
    """The same call after the end takes no step at all, and gives the same result."""
    path = tmp_path / "run"
    first = call(path)
    monkeypatch.setattr("partwise.engine.driver.advance", None)
    again = call(path)
    assert_same(first, again)
    assert first.history.tobytes() == again.history.tobytes()


def test_the_clock_goes_on(tmp_path, monkeypatch):
    """A time limit is one on the whole run: what was spent before the break counts."""
    path = tmp_path / "run"
    late = pw.TimeLimit(5.0)
    assert broken(monkeypatch, path, 3, stop=late)
    meta, arrays, _ = keeping.read(path)
    meta["seconds"] = 60.0
    files.write(path, keeping.KIND, keeping.LAYOUT, meta, arrays)
    found = call(path, stop=late)
    assert found.reason is pw.Reason.TIME_LIMIT
    assert found.certificate.iterations == 3
    assert found.certificate.seconds > 60


def test_interrupts_are_kept(tmp_path, monkeypatch):
    """Ctrl-C gives what there is and writes the state, though no checkpoint was due; the same call goes on."""
    path = tmp_path / "run"
    steps = iter(range(100))
    advance = driver.advance

    def interrupted(*arguments):
        if next(steps) == 6:
            raise KeyboardInterrupt
        return advance(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(driver, "advance", interrupted)
        found = call(path, every=1000)
    assert found.reason is pw.Reason.INTERRUPTED
    assert found.certificate.iterations == 6
    assert keeping.read(path)[0]["iteration"] == 6
    assert_same(call(path, every=1000), call())


def test_an_interrupt_inside_a_rule_is_not_half_kept(tmp_path, monkeypatch):
    """An interrupt while a rule is being asked leaves the state before that iteration, and the rule is asked again."""
    path = tmp_path / "run"
    asked = iter(range(100))
    measure = problem.stationarity

    def interrupted(*arguments):
        if next(asked) == 2:
            raise KeyboardInterrupt
        return measure(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(problem, "stationarity", interrupted)
        call(path)
    assert_same(call(path), call())


OTHERS = {
    "other shape": ({"matrix": A[:, :-1]}, "another matrix, 60 × 44 and not 60 × 43"),
    "other precision": ({"matrix": A.astype(np.float32)}, r"other precision \(float64, not float32\)"),
    "other kind": ({"matrix": sp.csr_array(A)}, "other number of entries"),
    "other numbers": ({"matrix": A + 1e-15 * (np.arange(44) == 9)}, "other numbers"),
    "rank": ({"rank": 5}, "rank=4, not 5"),
    "algorithm": ({"algorithm": "hals"}, "algorithm=als-hals"),
    "setting of it": (
        {"algorithm": pw.als_hals(sweeps=7)},
        r"algorithm=als-hals\(sweeps=5\), not als-hals\(sweeps=7\)",
    ),
    "init": ({"init": "random"}, "init=random-acol, not random"),
    "given init": ({"init": np.ones((60, 4))}, "init=random-acol, not given"),
    "seed": ({"seed": 6}, "seed=5, not 6"),
    "drawn seed": ({"seed": None}, "seed=5, not None"),
    "stop": ({"stop": pw.MaxIterations(15)}, "stop="),
    "function": ({"stop": lambda step: None}, "stop="),
    "polish": ({"polish": "hals"}, "polish=None, not hals"),
    "polish stop": ({"polish_stop": pw.MaxIterations(1)}, "polish_stop="),
    "restarts": ({"restarts": 2}, "restarts=1, not 2"),
    "racing": ({"racing": None}, "racing="),
    "keep": ({"keep": "last"}, "keep=best, not last"),
    "reseed": ({"reseed": False}, "reseed=True, not False"),
    "settle": ({"settle": True}, "settle=False, not True"),
    "svd": ({"svd": True}, "svd=False, not True"),
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A finished checkpoint."""
    path = tmp_path_factory.mktemp("kept") / "run"
    call(path)
    return path


@pytest.mark.parametrize("what", OTHERS)
def test_other_data_or_settings_are_refused(what, kept):
    """A sentence says what differs, and the file stays as it was."""
    before = kept.read_bytes()
    settings, sentence = OTHERS[what]
    with pytest.raises(ValueError, match=sentence) as caught:
        call(kept, **settings)
    assert str(caught.value).endswith("; give the same again, or another checkpoint path.")
    assert kept.read_bytes() == before


@pytest.mark.parametrize("way", ["threads", "order", "every"])
def test_what_changes_no_bits_is_not_asked(way, kept):
    """Threads, the order of the array in memory and the interval may be others."""
    others = {"threads": {"threads": 1}, "order": {"matrix": np.asfortranarray(A)}, "every": {"every": 7}}
    assert_same(call(kept, **others[way]), call())


def test_other_code_under_the_same_name_is_refused(tmp_path):
    """Two functions of one name are told apart by what they do, and by what they close over."""
    first, second = (lambda step, most=most: pw.Reason.ANGLE if step.iteration == most else None for most in (3, 4))
    call(tmp_path / "run", stop=first)
    with pytest.raises(ValueError, match="stop"):
        call(tmp_path / "run", stop=second)
    call(tmp_path / "other", init=np.ones((60, 4)), stop=pw.MaxIterations(1))
    with pytest.raises(ValueError, match="another init"):
        call(tmp_path / "other", init=np.full((60, 4), 2.0), stop=pw.MaxIterations(1))


def test_truncated_anywhere(tmp_path, monkeypatch):
    """Cut at every tenth byte, a checkpoint is refused, or the one before it is used: never a wrong answer."""
    tiny = {"rank": 2, "stop": pw.MaxIterations(4), "matrix": A[:9, :8]}
    path, wanted = tmp_path / "run", call(**tiny)
    assert broken(monkeypatch, path, 3, **tiny)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 10):
        path.write_bytes(whole[:cut])
        meta, _, last = keeping.read(path)
        assert (meta["iteration"], last) == (2, False)
    for cut in (0, 10, len(whole) // 2, len(whole) - 1):
        folder = tmp_path / str(cut)
        folder.mkdir()
        shutil.copy(previous(path), folder / "run.previous")
        (folder / "run").write_bytes(whole[:cut])
        assert_same(call(folder / "run", **tiny), wanted)
    previous(path).unlink()
    for cut in range(0, len(whole), 10):
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match=r"damaged. Remove it to begin anew"):
            keeping.read(path)


def test_a_changed_byte_is_seen(tmp_path, monkeypatch):
    """One byte changed, anywhere in what is read: refused, or the same contents."""
    path = tmp_path / "run"
    assert broken(monkeypatch, path, 1, rank=2)
    whole = path.read_bytes()
    wanted = keeping.read(path)
    for at in range(3, len(whole), 211):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        try:
            meta, arrays, _ = keeping.read(path)
        except ValueError:
            continue
        assert meta == wanted[0]
        assert all(arrays[name].tobytes() == wanted[1][name].tobytes() for name in wanted[1])


def test_a_damaged_one_does_not_push_out_the_good_one(tmp_path, monkeypatch):
    """Going on from the checkpoint before a damaged one, that one stays until there is another good one."""
    path = tmp_path / "run"
    assert broken(monkeypatch, path, 5)
    path.write_bytes(path.read_bytes()[:-5])
    good = previous(path).read_bytes()
    assert broken(monkeypatch, path, 1)
    assert previous(path).read_bytes() == good
    assert keeping.read(path)[2]


def test_killed_between_the_two_names(tmp_path, monkeypatch):
    """The last one has become the one before and the new one has no name yet: the run goes on from there."""
    path = tmp_path / "run"
    assert broken(monkeypatch, path, 5)
    path.replace(previous(path))
    (tmp_path / ".partwise-run-abcdefgh.part").write_bytes(b"half a checkpoint")
    assert_same(call(path), call())
    assert {p.name for p in tmp_path.iterdir()} == {"run", "run.previous"}


def test_no_file_of_another_kind_is_touched(tmp_path):
    """A path that holds something else is refused before any work, and left alone."""
    call().save(tmp_path / "model")
    np.save(tmp_path / "array.npy", A)
    for name, sentence in (("model", "holds a partwise factorization"), ("array.npy", "is not a partwise checkpoint")):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(ValueError, match=sentence):
            call(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize(
    ("name", "sentence"), [("", "is a folder"), ("nowhere/run", "does not exist"), ("file/run", "does not exist")]
)
def test_bad_places_are_refused(name, sentence, tmp_path):
    """Where no file can be, no work begins."""
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=sentence):
        call(tmp_path / name)


def test_pipes_are_refused(tmp_path):
    """A checkpoint is read again and renamed, so a pipe is refused before any work, in either place."""
    os.mkfifo(tmp_path / "pipe")
    for ask in (call, pw.resume, lambda path: pw.TopicModel(2, checkpoint=path).check()):
        with pytest.raises(OSError, match=r"is a pipe, but the checkpoint needs a file .*\.$"):
            ask(tmp_path / "pipe")
    os.mkfifo(tmp_path / "run.previous")
    with pytest.raises(OSError, match=r"run\.previous is not a file"):
        call(tmp_path / "run")
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "run.previous"}


def test_a_link_is_followed(tmp_path, monkeypatch):
    """The run is kept in the file that a link names, with the one before beside it, and goes on through the link."""
    (tmp_path / "far").mkdir()
    link = tmp_path / "link"
    link.symlink_to("far/run")
    assert broken(monkeypatch, link, 5)
    assert pw.resume(link).iteration == pw.resume(tmp_path / "far" / "run").iteration
    assert_same(call(link), call())
    assert link.is_symlink()
    assert {path.name for path in (tmp_path / "far").iterdir()} == {"run", "run.previous"}
    assert {path.name for path in tmp_path.iterdir()} == {"far", "link"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path):
    """No work begins where the end could not be kept."""
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="may not be written"):
        call(tmp_path / "run")


@pytest.mark.parametrize("every", [0, -1, 1.5, True, "10"])
def test_bad_intervals_are_refused(every, tmp_path):
    """The interval is a whole number from 1 on."""
    with pytest.raises(ValueError, match="every must be a whole number"):
        call(tmp_path / "run", every=every)


def test_the_interval(tmp_path, monkeypatch):
    """``every`` iterations lie between two checkpoints; unless given, some time must pass too."""
    written = []
    whole = Checkpoint._write
    monkeypatch.setattr(Checkpoint, "_write", lambda self, *given: (written.append(given[2]), whole(self, *given)))
    call(tmp_path / "a", every=4, stop=pw.MaxIterations(14))
    assert written == [4, 8, 12, 14, 14]  # the last state and the result
    written.clear()
    call(tmp_path / "b", every=None, stop=pw.MaxIterations(14))
    assert written == [14, 14]
    monkeypatch.setattr(keeping, "APART", 0.0)
    written.clear()
    call(tmp_path / "c", every=None, stop=pw.MaxIterations(14))
    assert written == [10, 14, 14]


@pytest.mark.parametrize("way", ["finished", "broken off", "without the one before"])
def test_more_iterations_go_on_from_there(way, tmp_path, monkeypatch):
    """A larger MaxIterations makes the iterations that are missing, with the bits of one long run; a smaller one is
    refused."""
    path, rules = tmp_path / "run", RULES[:2]
    if way == "broken off":
        assert broken(monkeypatch, path, 9, stop=[*rules, pw.MaxIterations(14)])
    else:
        call(path, stop=[*rules, pw.MaxIterations(14)], every=5)
        with pytest.raises(ValueError, match=r"MaxIterations\(iterations=14\).*, not .*MaxIterations\(iterations=13\)"):
            call(path, stop=[*rules, pw.MaxIterations(13)])
    if way == "without the one before":
        previous(path).unlink()
    made, advance = [], driver.advance
    monkeypatch.setattr(driver, "advance", lambda *arguments: made.append(1) or advance(*arguments))
    for end in (19, 24):
        made.clear()
        fit = call(path, stop=[*rules, pw.MaxIterations(end)])
        if end == 24 or way == "finished":
            assert len(made) == 5
        assert_same(fit, call(stop=[*rules, pw.MaxIterations(end)]))


def test_a_rule_that_was_met_stays_met(tmp_path):
    """More iterations change nothing where another rule had ended the run."""
    settings = {"stop": pw.Frobenius(level=0.99) | pw.MaxIterations(9)}
    first = call(tmp_path / "run", **settings)
    assert first.reason is pw.Reason.ERROR_LEVEL
    assert_same(call(tmp_path / "run", stop=pw.Frobenius(level=0.99) | pw.MaxIterations(30)), first)
    for more in ({"restarts": 2}, {"polish": "hals"}):
        call(tmp_path / "several", stop=pw.MaxIterations(3), **more)
        with pytest.raises(ValueError, match="restarts or a polish, which cannot go on to more iterations"):
            call(tmp_path / "several", stop=pw.MaxIterations(5), **more)
        (tmp_path / "several").unlink()
        (tmp_path / "several.previous").unlink(missing_ok=True)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("there", [True, False])
def test_a_run_moves_between_memory_and_disk(kind, there, tmp_path, monkeypatch):
    """Broken off in the one and gone on with in the other; another matrix of the same shape is still refused."""
    matrix = kind(A)
    pw.write_matrix(tmp_path / "m", matrix, part_bytes=4000)
    pw.write_matrix(tmp_path / "other", matrix * (1 + 1e-6), part_bytes=4000)
    ways = [matrix, pw.open_matrix(tmp_path / "m")]
    first, second = ways if there else ways[::-1]
    assert broken(monkeypatch, tmp_path / "run", 6, matrix=first)
    with pytest.raises(ValueError, match="other numbers"):
        call(tmp_path / "run", matrix=pw.open_matrix(tmp_path / "other"))
    fit, wanted = call(tmp_path / "run", matrix=second), call(matrix=matrix)
    np.testing.assert_allclose(fit.w, wanted.w, rtol=1e-7, atol=1e-9)
    assert fit.certificate.iterations == wanted.certificate.iterations
