"""Download a data set: interrupted transfers are resumed, and files appear only when they are complete and checked."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from partwise.storage.atomic import atomic

from .archive_members import read_members
from .locate import cache
from .registry import DATASETS, DataSet

Progress = Callable[[int, int | None], None]
"""(bytes so far, bytes in all where the server says so)."""
CHUNK = 1 << 16
SECONDS = 30


class FetchFailed(OSError):
    """A data set could not be downloaded."""


def fetch(name: str, progress: Progress, dataset: DataSet | None = None, root: Path | None = None) -> Path:
    """Download a data set into the cache (or ``root``) and return its folder; existing files are only checked."""
    dataset, root = dataset or DATASETS[name], root or cache()
    folder = root / name
    if dataset.url is None:
        raise FetchFailed(f"{name} has no lasting address: {_manual_hint(dataset, folder)}")
    folder.mkdir(parents=True, exist_ok=True)
    if not all((folder / file).exists() for file in dataset.members or dataset.files):
        _download(dataset, folder, progress)
    counts = dataset.count(root)
    if counts != dataset.wanted:
        raise FetchFailed(f"{folder} holds {counts}, but should hold {dataset.wanted}; delete it and fetch again.")
    return folder


def _manual_hint(dataset: DataSet, folder: Path) -> str:
    files = " and ".join(dataset.files)
    return f"get it from {dataset.page} and put {files} in {folder}."


def _download(dataset: DataSet, folder: Path, progress: Progress) -> None:
    """Download, check and extract."""
    assert dataset.url is not None
    name = dataset.url.rpartition("/")[2]
    path = _retrieve(dataset, folder, name, progress)
    if dataset.members:
        for member, sha256 in dataset.members.items():
            _extract(path, member, sha256, folder)
        path.unlink()


def _retrieve(dataset: DataSet, folder: Path, name: str, progress: Progress) -> Path:
    import pooch  # imported late: only a download needs it
    import requests

    pooch.get_logger().setLevel("WARNING")
    part = folder / f"{name}.part"
    try:
        pooch.retrieve(dataset.url, dataset.checksum, name, folder, downloader=Resuming(part, progress))
    except requests.RequestException as error:
        why = "the transfer broke off; the same command resumes it, or" if part.exists() else "no connection:"
        raise FetchFailed(
            f"{dataset.url} cannot be reached ({type(error).__name__}), {why} {_manual_hint(dataset, folder)}"
        ) from None
    except ValueError:
        part.unlink(missing_ok=True)
        raise FetchFailed(
            f"{dataset.url} has not the checksum {dataset.checksum}; {_manual_hint(dataset, folder)}"
        ) from None
    return folder / name


class Resuming:
    """A downloader for pooch that keeps partial content in a file beside the target and requests only the rest."""

    def __init__(self, part: Path, progress: Progress) -> None:
        self.part, self.progress = part, progress

    def __call__(self, url: str, output: Any, _: Any) -> None:
        """Download to ``output``, a path or an open file."""
        import requests

        have = self.part.stat().st_size if self.part.exists() else 0
        headers = {"Range": f"bytes={have}-"} if have else {}
        with requests.get(url, headers=headers, stream=True, timeout=SECONDS) as response:
            if response.status_code == 416:  # the file is complete
                return self._finish(output)
            response.raise_for_status()
            resumed = response.status_code == 206
            self._receive(response, have if resumed else 0)
        return self._finish(output)

    def _receive(self, response: Any, have: int) -> None:
        import requests

        length = response.headers.get("Content-Length")
        total = have + int(length) if length else None
        with self.part.open("ab" if have else "wb") as file:
            for chunk in response.iter_content(CHUNK):
                file.write(chunk)
                have += len(chunk)
                self.progress(have, total)
        if total is not None and have < total and "Content-Encoding" not in response.headers:
            raise requests.ConnectionError(f"{have} of {total} bytes")

    def _finish(self, output: Any) -> None:
        with self.part.open("rb") as file:
            if hasattr(output, "write"):
                shutil.copyfileobj(file, output)
            else:
                with Path(output).open("wb") as target:
                    shutil.copyfileobj(file, target)
        self.part.unlink()


def _extract(path: Path, member: str, sha256: str | None, folder: Path) -> None:
    """Write one member of an archive, checked, under its own name."""
    content = next((c for name, c in read_members(path, member) if name.endswith(("/" + member, ":" + member))), None)
    if content is None:
        raise FetchFailed(f"{path} holds no {member}; the publisher may have changed it.")
    if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
        raise FetchFailed(f"{path}:{member} has not the sha256 {sha256}; delete {path.name} and fetch it again.")
    with atomic(folder / member) as file:
        file.write(content)
