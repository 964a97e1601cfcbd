"""Characters: how texts are folded, and which are letters, marks, digits and scripts without spaces.

The rules are written twice: as classes for regular expressions, and as a table for :mod:`partwise.kernels.tokens`.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from itertools import pairwise

import numpy as np

from partwise.kernels import tokens as kinds
from partwise.types import Array

SCRIPTS = {
    kinds.HAN: "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff",
    kinds.HIRAGANA: "\u3041-\u3096\u309d-\u309f",
    kinds.KATAKANA: "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    kinds.CLUSTER: "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f",
}
"""The letters of scripts that are written without spaces between words; CLUSTER: Thai, Lao, Burmese, Khmer."""

JOINERS = "\u200c\u200d"
APOSTROPHES, HYPHENS = "\u2019\u02bc\uff07", "\u2010\u2011"
SOFT_HYPHEN, DOTTED_I = "\u00ad", "i\u0307"
LAST, MARKS_END = 0x40000, 0x1F000
"""The code points from here on hold no letters and no marks, but for those that select a glyph."""
SELECTORS = "\U000e0100-\U000e01ef"

LETTER_CLASS = r"[^\W\d_]"
_FINAL_SIGMA = re.compile(r"(?<=\w)\u03c3(?!\w)")


def fold(text: str) -> str:
    """A text with full case folding in Unicode's form NFC, with one sign each for apostrophe and hyphen.

    "İ" becomes "i"; a sigma at the end of a word stays the final one; soft hyphens are dropped.
    """
    if text.isascii():
        return text.lower()
    text = text.casefold()
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    text = text.replace(DOTTED_I, "i").replace(SOFT_HYPHEN, "")
    for sign in APOSTROPHES:
        text = text.replace(sign, "'")
    for sign in HYPHENS:
        text = text.replace(sign, "-")
    return _FINAL_SIGMA.sub("\u03c2", text) if "\u03c3" in text else text


def lower(text: str) -> str:
    """A text in lower case and in Unicode's form NFC, in which a combining accent does not cut a word in two."""
    return (text if text.isascii() else unicodedata.normalize("NFC", text)).lower()


@cache
def marks() -> str:
    """The combining marks as ranges for a class of a regular expression."""
    category = unicodedata.category
    points = [at for at in range(0x300, MARKS_END) if category(chr(at))[0] == "M"]
    edges = np.flatnonzero(np.diff(points, prepend=-2, append=sys.maxunicode + 2) > 1)
    return "".join(f"{chr(points[lo])}-{chr(points[hi - 1])}" for lo, hi in pairwise(edges)) + SELECTORS


@cache
def default_kinds(apostrophes: bool) -> Array:
    """The kind of every code point for the default words; with ``apostrophes`` they join letters."""
    table = _table(LETTER_CLASS, kinds.LETTER)
    for kind, ranges in SCRIPTS.items():
        for run in re.finditer(f"[{ranges}]+", _points()):
            part = table[run.start() : run.end()]
            part[part == kinds.LETTER] = kind
    _fill(table, r"\d", kinds.DIGIT)
    _fill(table, f"[{marks()}]", kinds.MARK)
    table[ord(SELECTORS[0]) : ord(SELECTORS[-1]) + 1] = kinds.MARK
    _fill(table, f"[{JOINERS}]", kinds.JOINER)
    for sign, kind in {"'": kinds.APOSTROPHE, "-": kinds.HYPHEN, "+": kinds.PLUS, "#": kinds.SHARP}.items():
        table[ord(sign)] = kind
    if not apostrophes:
        table[ord("'")] = kinds.SEPARATOR
    return table


@cache
def pattern_kinds(letters: str) -> Array:
    """The kinds for words that are runs of two or more of the characters of a class."""
    return _table(letters, kinds.LETTER)


def _table(letters: str, kind: int) -> Array:
    table = np.zeros(sys.maxunicode + 1, np.uint8)
    _fill(table, letters, kind)
    return table


def _fill(table: Array, characters: str, kind: int) -> None:
    for run in re.finditer(f"(?:{characters})+", _points()):
        table[run.start() : run.end()] = kind


@cache
def _points() -> str:
    """All characters that may be letters, each at its code point."""
    return "".join(map(chr, range(LAST)))
