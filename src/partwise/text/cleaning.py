"""Texts without what is not their content: the headers, quotations and signatures of mail, the tags of HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from partwise.arguments import choose

_HEADER = re.compile(r"[A-Za-z][\w-]*:(?:\s|$)|From .+@")
_SUBJECT = re.compile(r"(?i)subject:\s*(?:(?:re|fwd?|aw)\s*:\s*)*")
_QUOTED = re.compile(r"\s*(?:[>|]|[A-Z]{1,3}>)")
_ATTRIBUTION = re.compile(r"(?i)(?:.*\b(?:writes|wrote|schrieb|écrit|escribió)\s*:?\s*$)|(?:\s*in article\b.*<.*>.*)")
_SIGNATURE_LINES = 15
"""A signature begins at most so many lines before the end."""

_DROPPED = re.compile(r"(?is)<(script|style|head)\b.*?</\1\s*>|<!--.*?-->")
_INLINE = re.compile(r"(?i)</?(?:a|abbr|b|code|em|font|i|mark|s|small|span|strong|sub|sup|tt|u|wbr)\b[^<>]*>")
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")


def strip_mail(text: str) -> str:
    """A mail without its headers, of which the subject stays, quoted lines with who wrote them, and the signature.

    Headers are lines "Name: value" at the top, two or more, up to the first blank line; a signature follows a line "--"
    among the last fifteen.
    """
    lines = text.lstrip("\ufeff\r\n").splitlines()
    subject, lines = _without_headers(lines)
    for at in range(len(lines) - 1, max(len(lines) - _SIGNATURE_LINES, 0) - 1, -1):
        if lines[at].rstrip() == "--":
            lines = lines[:at]
            break
    kept = (line for line in lines if not _QUOTED.match(line) and not _ATTRIBUTION.match(line))
    return "\n".join((*subject, *kept))


def _without_headers(lines: list[str]) -> tuple[list[str], list[str]]:
    """(the subject, the lines below the headers)"""
    end = next((at for at, line in enumerate(lines) if not line.strip()), len(lines))
    headers = lines[:end]
    if sum(bool(_HEADER.match(line)) for line in headers) < 2 or not _HEADER.match(headers[0]):
        return [], lines
    if not all(_HEADER.match(line) or line[:1].isspace() for line in headers):
        return [], lines
    return [_SUBJECT.sub("", line) for line in headers if _SUBJECT.match(line)], lines[end:]


def strip_html(text: str) -> str:
    """A text without tags, comments, scripts and styles, with entities as characters; a < b is no tag."""
    if "<" in text:
        text = _TAG.sub("\n", _INLINE.sub("", _DROPPED.sub(" ", text)))
    return html.unescape(text) if "&" in text else text


CLEANERS: dict[str, Callable[[str], str]] = {"mail": strip_mail, "html": strip_html}
"""name -> text without what it names"""


def cleaner(names: str | None) -> Callable[[str], str] | None:
    """What strips the named things, such as "mail" or "mail,html", one after the other; None for none."""
    if names is None:
        return None
    chosen = [choose("thing to strip", name.strip(), CLEANERS) for name in names.split(",")]

    def clean(text: str) -> str:
        for strip in chosen:
            text = strip(text)
        return text

    return clean
