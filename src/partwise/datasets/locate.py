"""Where the files of a data set are on this machine."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

VARIABLE = "PARTWISE_DATA"


class DataNotFound(FileNotFoundError):
    """A file of a data set is in none of the places where it may be."""


def find(name: str, *parts: str, data: Path | None = None) -> Path:
    """The path of a file of the data set `name`, from the first folder of `roots` that holds it."""
    relative = Path(name, *parts)
    for root in roots(data):
        if (root / relative).exists():
            return root / relative
    place = cache() / relative.parent
    raise DataNotFound(
        f"{relative.as_posix()} was not found: put {relative.name} in {place}, "
        f"or set {VARIABLE} to the folder that holds {relative.as_posix()}."
    )


def first(name: str, parts: Sequence[str], *, data: Path | None = None) -> Path:
    """The first of several files of which any will do, from the first folder of `roots` that holds one."""
    for root in roots(data):
        for part in parts:
            if (root / name / part).exists():
                return root / name / part
    return find(name, parts[0], data=data)


def roots(data: Path | None = None) -> Iterator[Path]:
    """The folders that are searched, in order: `data`, $PARTWISE_DATA, the user's cache.

    Where neither of the first two is named, ../shared/data comes before the cache: a checkout beside its data needs no
    setting.
    """
    named = os.environ.get(VARIABLE)
    if data is not None:
        yield Path(data)
    if named:
        yield Path(named)
    if data is None and not named:
        yield Path.cwd().parent / "shared" / "data"
        source = Path(__file__).resolve().parents[2]
        if source.name == "src":
            yield source.parent.parent / "shared" / "data"
    yield cache()


def cache() -> Path:
    """The folder of this user where data sets are kept, by the XDG rule."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "partwise"
