"""Stop words from files."""

import pytest

from partwise.text import Weighting
from partwise.text.stop_words import read_stop_words


def test_stop_words_from_a_file(tmp_path):
    """One or more words a line; # starts a remark."""
    path = tmp_path / "stop.txt"
    path.write_text("# French\nLe la\nles\nle\n", encoding="utf-8")
    assert read_stop_words(path) == ("le", "la", "les")
    assert Weighting(stop_words=read_stop_words(path), min_df=1).fit(["Le chat"])[0].terms == ("chat",)
    with pytest.raises(FileNotFoundError, match="no file of stop words"):
        read_stop_words(tmp_path / "none.txt")
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match="is not utf-8"):
        read_stop_words(path)
