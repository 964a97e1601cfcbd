"""The text files of a data set, from a folder or straight from a tar archive."""

import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path


def read_texts(path: Path, suffix: str) -> Iterator[tuple[str, str]]:
    """The name and the latin-1 text of each file that ends in `suffix`, refused when there is none."""
    names = 0
    for name, content in _folder(path, suffix) if path.is_dir() else _archive(path, suffix):
        names += 1
        yield name, content.decode("latin-1").replace("\r\n", "\n")
    if not names:
        raise ValueError(f"{path} holds no {suffix} file.")


def _folder(path: Path, suffix: str) -> Iterator[tuple[str, bytes]]:
    """The files of a folder, in the order of their names."""
    for file in sorted(path.glob(f"*{suffix}")):
        yield str(file), file.read_bytes()


def _archive(path: Path, suffix: str) -> Iterator[tuple[str, bytes]]:
    """The members of a tar archive, read in one pass in the order in which they were written."""
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.name.endswith(suffix) else None
                if stream is not None:
                    yield f"{path}:{member.name}", stream.read()
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is not a whole tar archive ({error}); fetch it again.") from error
