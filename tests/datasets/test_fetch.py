"""``fetch`` against a real server on this machine: whole, broken off and resumed, damaged, absent."""

import hashlib
import io
import re
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from partwise.datasets.fetch import FetchFailed, fetch
from partwise.datasets.registry import DATASETS, DataSet

TEXT = b".I 1\n.W\n" + b"words and words\n" * 20_000


def packed() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("folder/TOY.ALL")
        member.size = len(TEXT)
        archive.addfile(member, io.BytesIO(TEXT))
    return buffer.getvalue()


class Server(ThreadingHTTPServer):
    """Serves one archive; ``cut`` breaks the next transfer off after so many bytes."""

    content = packed()
    cut: int | None = None
    ranges: bool = True
    asked: list[str | None]

    def __init__(self) -> None:
        self.asked = []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/toy.tar"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        asked = self.headers.get("Range") if self.server.ranges else None
        self.server.asked.append(asked)
        match = re.fullmatch(r"bytes=(\d+)-", asked or "")
        begin = int(match[1]) if match else 0
        rest = self.server.content[begin:]
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest[: self.server.cut])
        self.server.cut = None

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def dataset(url: str | None, **changes: object) -> DataSet:
    entry = DataSet(
        "a toy",
        "the toy's page",
        "free",
        lambda data: f"{(data / 'toy' / 'TOY.ALL').stat().st_size} bytes",
        f"{len(TEXT)} bytes",
        ("TOY.ALL",),
        url=url,
        members={"TOY.ALL": hashlib.sha256(TEXT).hexdigest()},
    )
    return replace(entry, **changes)  # type: ignore[arg-type]


def test_a_data_set_comes_whole(server: Server, tmp_path: Path) -> None:
    """The member is in its place, nothing else is left, progress was told, and a second call asks nobody."""
    progress = []
    folder = fetch("toy", lambda *have: progress.append(have), dataset(server.url), tmp_path)
    assert (folder / "TOY.ALL").read_bytes() == TEXT
    assert [path.name for path in folder.iterdir()] == ["TOY.ALL"]
    assert progress[-1] == (len(server.content), len(server.content))
    fetch("toy", lambda *have: None, dataset(server.url), tmp_path)
    assert server.asked == [None]


def test_a_transfer_that_broke_off_is_resumed(server: Server, tmp_path: Path) -> None:
    """The second call asks for the rest alone, and the bytes fit together."""
    server.cut = 100_000
    with pytest.raises(FetchFailed, match="the same command resumes it"):
        fetch("toy", lambda *have: None, dataset(server.url), tmp_path)
    have = (tmp_path / "toy" / "toy.tar.part").stat().st_size
    assert 0 < have <= 100_000
    folder = fetch("toy", lambda *have: None, dataset(server.url), tmp_path)
    assert server.asked == [None, f"bytes={have}-"]
    assert (folder / "TOY.ALL").read_bytes() == TEXT


def test_a_server_without_ranges_starts_anew(server: Server, tmp_path: Path) -> None:
    server.cut, server.ranges = 100_000, False
    with pytest.raises(FetchFailed):
        fetch("toy", lambda *have: None, dataset(server.url), tmp_path)
    folder = fetch("toy", lambda *have: None, dataset(server.url), tmp_path)
    assert (folder / "TOY.ALL").read_bytes() == TEXT


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"members": {"TOY.ALL": "0" * 64}}, "TOY.ALL has not the sha256"),
        ({"members": {"TOY.QRY": None}}, "holds no .*TOY.QRY"),
        ({"checksum": "md5:" + "0" * 32}, "has not the checksum md5:"),
        ({"wanted": "7 bytes"}, "but should hold 7 bytes"),
    ],
)
def test_what_is_not_the_collection_is_refused(
    server: Server, tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises((FetchFailed, ValueError), match=sentence):
        fetch("toy", lambda *have: None, dataset(server.url, **changes), tmp_path)


def test_offline_says_which_file_to_put_where(server: Server, tmp_path: Path) -> None:
    """A server that is not there, a page that is not there, and a data set without an address."""
    gone = dataset("http://127.0.0.1:9/toy.tar")
    for entry in (gone, dataset(None)):
        with pytest.raises(FetchFailed) as caught:
            fetch("toy", lambda *have: None, entry, tmp_path)
        assert str(caught.value).endswith(f"get it from the toy's page and put TOY.ALL in {tmp_path / 'toy'}.")
        assert "\n" not in str(caught.value)


def test_every_home_is_told_whole() -> None:
    """A title, a page, terms, counts and files for each; what is taken out is what the reader looks for."""
    for name, entry in DATASETS.items():
        assert all((entry.title, entry.page, entry.terms, entry.wanted, entry.files)), name
        assert set(entry.members) <= set(entry.files), name
