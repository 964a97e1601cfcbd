"""What is stripped from mail and HTML, and what stays."""

import pytest

from partwise.text import read_documents
from partwise.text.cleaning import cleaner, strip_html, strip_mail

MAIL = """From: someone@example.org (Some One)
Newsgroups: sci.space
Subject: Re: orbits
Lines: 9

In article <1993.1@example.org> other@example.org writes:
> quoted words
AB> more of them

Own words, a > b.
Note: this is no header.
--
Some One, Institute of Signatures
"""


def test_mail():
    """Headers, quotations with who wrote them and the signature go; the subject and the body stay."""
    assert strip_mail(MAIL).split("\n") == ["orbits", "", "", "Own words, a > b.", "Note: this is no header."]
    plain = "Note: one line like a header.\n\nand a text -- with a dash"
    assert strip_mail(plain) == plain
    assert strip_mail("") == ""


def test_html():
    """Tags, comments, scripts and styles go, entities become characters; a < b is no tag."""
    page = (
        "<html><head><title>t</title></head><style>p {}</style><p>Fish &amp; chi<b>ps</b></p><!-- no --><p>a < b<br>c"
    )
    assert strip_html(page).split() == ["Fish", "&", "chips", "a", "<", "b", "c"]
    assert strip_html("no tags, 1 < 2 > 0") == "no tags, 1 < 2 > 0"


def test_reading_strips_and_drops_copies(tmp_path):
    """In the order that is asked for; the texts left out are counted."""
    (tmp_path / "x.jsonl").write_text('{"text": "<p>ship</p>"}\n{"text": "ship"}\n{"text": ""}\n{"text": ""}\n')
    said = []
    documents = read_documents(tmp_path / "x.jsonl", strip="mail,html", unique=True, warn=said.append)
    assert [document.text.strip() for document in documents] == ["ship", "ship", "", ""]
    (tmp_path / "x.txt").write_text("ship\nsea\nship\n")
    assert [d.text for d in read_documents(tmp_path / "x.txt", unique=True, warn=said.append)] == ["ship", "sea"]
    assert said == ["An exact copy of an earlier text, so left out: 3."]
    with pytest.raises(ValueError, match="no thing to strip 'htm'; did you mean 'html'"):
        cleaner("htm")
