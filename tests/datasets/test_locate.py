"""Where `find` looks, in which order, and what it says when nothing is there."""

from pathlib import Path

import pytest

from partwise.datasets import DataNotFound, find, locate


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The five places of the search, in order, each holding toy/a.txt."""
    work, checkout = tmp_path / "here" / "work", tmp_path / "there" / "checkout"
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PARTWISE_DATA", str(tmp_path / "named"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(locate, "__file__", str(checkout / "src" / "partwise" / "datasets" / "locate.py"))
    roots = [
        tmp_path / "given",
        tmp_path / "named",
        tmp_path / "here" / "shared" / "data",
        tmp_path / "there" / "shared" / "data",
        tmp_path / "xdg" / "partwise",
    ]
    for root in roots:
        (root / "toy").mkdir(parents=True)
        (root / "toy" / "a.txt").write_text("a")
    return roots


def test_the_first_place_that_holds_the_file_wins(places: list[Path]) -> None:
    """Where a folder is named, the one beside a checkout is not looked at."""
    for place in (places[0], places[1], places[4]):
        assert find("toy", "a.txt", data=places[0]) == place / "toy" / "a.txt"
        (place / "toy" / "a.txt").unlink()
    with pytest.raises(DataNotFound):
        find("toy", "a.txt", data=places[0])


def test_an_installed_package_does_not_look_beside_its_own_folder(
    places: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = places[3].parents[1] / "checkout" / "site-packages" / "partwise" / "datasets" / "locate.py"
    monkeypatch.setattr(locate, "__file__", str(installed))
    monkeypatch.setenv("PARTWISE_DATA", "")
    assert list(locate.roots()) == [places[2], places[4]]


def test_without_a_variable_the_cache_is_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert locate.cache() == tmp_path / ".cache" / "partwise"


def test_an_empty_variable_is_no_place(places: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARTWISE_DATA", "")
    assert list(locate.roots()) == places[2:]


def test_a_missing_file_says_which_file_to_put_where(places: list[Path]) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        find("toy", "part", "b.txt")
    assert str(caught.value) == (
        f"toy/part/b.txt was not found: put b.txt in {places[4] / 'toy' / 'part'}, "
        "or set PARTWISE_DATA to the folder that holds toy/part/b.txt."
    )


def test_a_folder_can_be_found_too(places: list[Path]) -> None:
    assert find("toy") == places[1] / "toy"
