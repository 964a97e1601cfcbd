"""The files of a data set, from a folder or straight from a tar or zip archive."""

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path


def read_texts(path: Path, suffix: str) -> Iterator[tuple[str, str]]:
    """The name and the latin-1 text of each file that ends in `suffix`, refused when there is none."""
    for name, content in read_members(path, suffix):
        yield name, content.decode("latin-1").replace("\r\n", "\n")


def read_members(path: Path, suffix: str) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each file that ends in `suffix`, refused when there is none."""
    kind = _folder if path.is_dir() else _zip if zipfile.is_zipfile(path) else _tar
    names = 0
    for name, content in kind(path, suffix):
        names += 1
        yield name, content
    if not names:
        raise ValueError(f"{path} holds no {suffix} file.")


def _folder(path: Path, suffix: str) -> Iterator[tuple[str, bytes]]:
    """The files of a folder and of the folders in it, in the order of their names."""
    for file in sorted(path.rglob(f"*{suffix}")):
        yield str(file), file.read_bytes()


def _zip(path: Path, suffix: str) -> Iterator[tuple[str, bytes]]:
    """The members of a zip archive, each checked against its checksum."""
    name = ""
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(suffix):
                    yield f"{path}:{name}", archive.read(name)
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        where = f"{path}:{name}" if name else str(path)
        raise ValueError(f"{where} is damaged ({error}); fetch it again.") from error


def _tar(path: Path, suffix: str) -> Iterator[tuple[str, bytes]]:
    """The members of a tar archive, read in one pass in the order in which they were written."""
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.name.endswith(suffix) else None
                if stream is not None:
                    yield f"{path}:{member.name}", stream.read()
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is not a whole tar archive ({error}); fetch it again.") from error
