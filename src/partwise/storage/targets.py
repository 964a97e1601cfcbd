"""What an output path names: a file, directly or through links, a device, a pipe, or an open descriptor."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

LONGEST = 255
"""The most bytes of a name on every common file system."""
STDOUT = Path("/dev/stdout")
STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
UNFIT = {stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}
STREAMS = {stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


def resolved(path: str | os.PathLike[str]) -> Path:
    """The path that a link leads to, whether it exists or not; any other path unchanged."""
    target = Path(path)
    if not target.is_symlink():
        return target
    destination = Path(os.path.realpath(target))
    if destination.is_symlink():
        raise OSError(f"{target} is a link that leads back to itself; remove it or choose another name.")
    return destination


def descriptor(path: str | os.PathLike[str]) -> int | None:
    """The open descriptor that a path such as /dev/stdout names, or None."""
    name = Path(path).as_posix()
    match = re.fullmatch(r"/(?:dev|proc/self)/fd/(\d{1,9})", name)
    return int(match[1]) if match else STANDARD.get(name)


def kind_of(path: str | os.PathLike[str]) -> int:
    """The file-type bits of the path, links followed; 0 where it does not exist."""
    number = descriptor(path)
    try:
        return stat.S_IFMT((Path(path).stat() if number is None else os.fstat(number)).st_mode)
    except OSError:
        return 0


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether the path is a pipe, a device or an open descriptor, which is written to but never replaced."""
    return descriptor(path) is not None or kind_of(path) in STREAMS


def is_device(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a device by its own name, such as /dev/null, to which any number of results can go."""
    return descriptor(path) is None and STREAMS.get(kind_of(path)) == "a device"


def check_path(path: str | os.PathLike[str]) -> None:
    """Refuse, in a sentence, what is no path, and an address such as s3://bucket/name."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"The path of a file must be a text or a Path, not {type(path).__name__}.")
    if "\0" in os.fspath(path):
        raise ValueError("The path of a file cannot have a null character in it; choose another name.")
    try:
        longest = max((len(os.fsencode(part)) for part in Path(path).parts), default=0)
    except UnicodeEncodeError:
        raise ValueError(
            "The path of a file has a character that no file name can have; choose another name."
        ) from None
    if longest > LONGEST:
        raise ValueError(f"A name in the path of a file has {longest:,} bytes; choose one of at most {LONGEST}.")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", os.fspath(path)):
        raise ValueError(
            f"{path} is the address of something elsewhere, not a path; download it first, and give a file."
        )


def check_target(path: str | os.PathLike[str], what: str = "to write") -> None:
    """Refuse, in a sentence, a path at which no file can be written."""
    check_path(path)
    target, kind = Path(path), kind_of(path)
    if kind in UNFIT:
        error = IsADirectoryError if kind == stat.S_IFDIR else OSError
        raise error(f"{target} is {UNFIT[kind]}; give the name of a file {what}.")
    if is_stream(target):
        _check_stream(target, kind)
        return
    folder = resolved(target).parent
    if not folder.is_dir():
        raise FileNotFoundError(f"The folder {folder} does not exist; make it first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"The folder {folder} may not be written to; choose another.")


def _check_stream(target: Path, kind: int) -> None:
    if not kind:
        raise FileNotFoundError(f"{target} is not open; give the name of a file to write.")
    if descriptor(target) is None and not os.access(target, os.W_OK):
        raise PermissionError(f"{target} may not be written to; choose another.")


def ordinary(path: str | os.PathLike[str], what: str) -> Path:
    """The path of a file that is renamed and read again, links followed; a device or a pipe is refused."""
    if is_stream(path):
        kind = STREAMS.get(kind_of(path), "an open descriptor")
        raise OSError(f"{path} is {kind}, but {what} needs a file that can be read again; choose another name.")
    return resolved(path)


@contextmanager
def stream(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a device, a pipe or a descriptor for writing, without creating or truncating it."""
    number = descriptor(path)
    with os.fdopen(os.open(path, os.O_WRONLY) if number is None else os.dup(number), "wb") as file:
        yield file
