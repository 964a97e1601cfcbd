"""Files that may be gzipped."""

import gzip
import io

import pytest

from partwise.storage.gzipped import gunzipped, open_bytes, open_text

TEXT = "žluť\nship\n"


@pytest.mark.parametrize("name", ["plain.txt", "plain.gz"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzipped"])
def test_the_first_bytes_decide_not_the_name(name, pack, tmp_path):
    """A gzipped file needs no .gz, and a file called .gz need not be gzipped."""
    (tmp_path / name).write_bytes(pack(TEXT.encode()))
    with open_bytes(tmp_path / name) as file:
        assert file.read() == TEXT.encode()
    with open_text(tmp_path / name, "utf-8") as lines:
        assert list(lines) == TEXT.splitlines(keepends=True)


def test_an_empty_stream_is_empty():
    """There are no first bytes to look at."""
    assert gunzipped(io.BufferedReader(io.BytesIO(b""))).read() == b""


def test_a_truncated_file_is_an_error(tmp_path):
    """Never silently a part of the text."""
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TEXT.encode() * 100)[:-12])
    with open_bytes(tmp_path / "cut.gz") as file, pytest.raises(EOFError):
        file.read()
