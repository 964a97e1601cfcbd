"""Bring a data set from its home: resumed where a transfer broke off, checked, then put in its place whole."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from partwise.storage.archive import atomic

from .archive_members import read_members
from .registry import HOMES, Home
from .locate import cache

Progress = Callable[[int, int | None], None]
"""(bytes so far, bytes in all where the server says so)."""
CHUNK = 1 << 16
SECONDS = 30


class FetchFailed(OSError):
    """A data set could not be brought from its home."""


def fetch(name: str, progress: Progress, home: Home | None = None, root: Path | None = None) -> Path:
    """Download a data set into the cache (or ``root``) and give its folder; what is there already is checked alone."""
    home, root = home or HOMES[name], root or cache()
    folder = root / name
    if home.url is None:
        raise FetchFailed(f"{name} has no lasting address: {_by_hand(home, folder)}")
    folder.mkdir(parents=True, exist_ok=True)
    if not all((folder / file).exists() for file in home.members or home.files):
        _bring(home, folder, progress)
    counts = home.count(root)
    if counts != home.wanted:
        raise FetchFailed(f"{folder} holds {counts}, but should hold {home.wanted}; delete it and fetch again.")
    return folder


def _by_hand(home: Home, folder: Path) -> str:
    files = " and ".join(home.files)
    return f"get it from {home.page} and put {files} in {folder}."


def _bring(home: Home, folder: Path, progress: Progress) -> None:
    """Download, check, and take out what is needed."""
    assert home.url is not None
    name = home.url.rpartition("/")[2]
    path = _retrieve(home, folder, name, progress)
    if home.members:
        for member, sha256 in home.members.items():
            _take(path, member, sha256, folder)
        path.unlink()


def _retrieve(home: Home, folder: Path, name: str, progress: Progress) -> Path:
    import pooch  # imported late: only a download needs it
    import requests

    pooch.get_logger().setLevel("WARNING")
    part = folder / f"{name}.part"
    try:
        pooch.retrieve(home.url, home.checksum, name, folder, downloader=Resuming(part, progress))
    except requests.RequestException as error:
        why = "the transfer broke off; the same command resumes it, or" if part.exists() else "no connection:"
        raise FetchFailed(
            f"{home.url} cannot be reached ({type(error).__name__}), {why} {_by_hand(home, folder)}"
        ) from None
    except ValueError:
        part.unlink(missing_ok=True)
        raise FetchFailed(f"{home.url} has not the checksum {home.checksum}; {_by_hand(home, folder)}") from None
    return folder / name


class Resuming:
    """A downloader for pooch that keeps what it has in a file beside the target and asks only for the rest."""

    def __init__(self, part: Path, progress: Progress) -> None:
        self.part, self.progress = part, progress

    def __call__(self, url: str, output: Any, _: Any) -> None:
        """Fill ``output``, a path or an open file."""
        import requests

        have = self.part.stat().st_size if self.part.exists() else 0
        headers = {"Range": f"bytes={have}-"} if have else {}
        with requests.get(url, headers=headers, stream=True, timeout=SECONDS) as answer:
            if answer.status_code == 416:  # nothing is left to ask for
                return self._finish(output)
            answer.raise_for_status()
            again = answer.status_code == 206
            self._receive(answer, have if again else 0)
        return self._finish(output)

    def _receive(self, answer: Any, have: int) -> None:
        import requests

        length = answer.headers.get("Content-Length")
        total = have + int(length) if length else None
        with self.part.open("ab" if have else "wb") as file:
            for chunk in answer.iter_content(CHUNK):
                file.write(chunk)
                have += len(chunk)
                self.progress(have, total)
        if total is not None and have < total and "Content-Encoding" not in answer.headers:
            raise requests.ConnectionError(f"{have} of {total} bytes")

    def _finish(self, output: Any) -> None:
        with self.part.open("rb") as file:
            if hasattr(output, "write"):
                shutil.copyfileobj(file, output)
            else:
                with Path(output).open("wb") as target:
                    shutil.copyfileobj(file, target)
        self.part.unlink()


def _take(path: Path, member: str, sha256: str | None, folder: Path) -> None:
    """Write one member of an archive, checked, under its own name."""
    content = next((c for name, c in read_members(path, member) if name.endswith(("/" + member, ":" + member))), None)
    if content is None:
        raise FetchFailed(f"{path} holds no {member}; its home may have changed it.")
    if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
        raise FetchFailed(f"{path}:{member} has not the sha256 {sha256}; delete {path.name} and fetch it again.")
    with atomic(folder / member) as file:
        file.write(content)
