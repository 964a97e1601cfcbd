"""Characters: how texts are folded, and which are letters, marks, digits and scripts without spaces.

The rules are written twice: for regular expressions, and as tables for :mod:`partwise.kernels.tokens`.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

import numpy as np

from partwise.kernels import character_kinds as kinds
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

FOLDED = ((0x80, 0x1100), (0x1200, 0x3400), (0xA000, 0xAC00), (0xF900, 0x10000))
UNFOLDED = ((0x3400, 0xA000), (0xAC00, 0xD7A4), (0x1F000, 0x20000))
"""Ranges of code points for the table of :func:`folding`; those that stay as they are: Han, Hangul, pictures."""
SIGMAS = "\u03c2\u03c3"

LETTER_CLASS, WORD_CLASS = r"[^\W\d_]", r"\w"
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
    text = _replaced(text.replace(DOTTED_I, "i"))
    return _FINAL_SIGMA.sub("\u03c2", text) if "\u03c3" in text else text


def _replaced(text: str) -> str:
    """A text with one sign each for apostrophe and hyphen, and without soft hyphens."""
    text = text.replace(SOFT_HYPHEN, "")
    for sign in APOSTROPHES:
        text = text.replace(sign, "'")
    for sign in HYPHENS:
        text = text.replace(sign, "-")
    return text


@cache
def folding() -> Array:
    """What :func:`fold` makes of a code point: another, with its combining class from the bit ``CLASS`` on.

    It is ``DROPPED`` where nothing is left, and ``UNCOVERED`` where that depends on the neighbours, is longer or is not
    known here. Of all others no one composes with what is before it, so that a text of them whose classes do not
    decrease within a run of marks has the form NFC (Unicode Standard Annex 15, section 9).
    """
    table = np.full(UNFOLDED[-1][1], kinds.UNCOVERED, np.int32)
    for lo, hi in UNFOLDED:
        table[lo:hi] = np.arange(lo, hi)
    points = [point for lo, hi in FOLDED for point in range(lo, hi)]
    characters = "\n".join(map(chr, points))
    later = {sign for one in unicodedata.normalize("NFD", characters).split("\n") for sign in one[1:]}
    cased = characters.casefold()
    composed = unicodedata.normalize("NFC", cased).split("\n")
    for point, one, same in zip(points, cased.split("\n"), composed, strict=True):
        if len(one) == 1 and one == same and one not in later and one not in SIGMAS:
            replaced = _replaced(one)
            if len(replaced.encode("utf-8", "surrogatepass")) <= len(chr(point).encode("utf-8", "surrogatepass")):
                table[point] = ord(replaced) | unicodedata.combining(one) << kinds.CLASS if replaced else kinds.DROPPED
    return table


def lower(text: str) -> str:
    """A text in lower case and in Unicode's form NFC, in which a combining accent does not cut a word in two."""
    return (text if text.isascii() else unicodedata.normalize("NFC", text)).lower()


@cache
def marks() -> str:
    """The combining marks as ranges for a class of a regular expression."""
    edges = np.flatnonzero(np.diff(_is_mark(), prepend=False, append=False))
    return "".join(f"{chr(lo)}-{chr(hi - 1)}" for lo, hi in edges.reshape(-1, 2)) + SELECTORS


@cache
def default_kinds(apostrophes: bool) -> Array:
    """The kind of every code point for the default words; with ``apostrophes`` they join letters."""
    table = pattern_kinds(LETTER_CLASS).copy()
    for kind, ranges in SCRIPTS.items():
        for lo, hi in _ranges(ranges):
            part = table[lo : hi + 1]
            part[part == kinds.LETTER] = kind
    table[:LAST][_is_decimal()] = kinds.DIGIT
    table[:MARKS_END][_is_mark()] = kinds.MARK
    for characters, kind in ((SELECTORS, kinds.MARK), (JOINERS, kinds.JOINER)):
        for lo, hi in _ranges(characters):
            table[lo : hi + 1] = kind
    for sign, kind in {"'": kinds.APOSTROPHE, "-": kinds.HYPHEN, "+": kinds.PLUS, "#": kinds.SHARP}.items():
        table[ord(sign)] = kind
    if not apostrophes:
        table[ord("'")] = kinds.SEPARATOR
    return table


@cache
def pattern_kinds(letters: str) -> Array:
    """The kinds for words that are runs of two or more characters of ``LETTER_CLASS`` or of ``WORD_CLASS``."""
    table = np.zeros(sys.maxunicode + 1, np.uint8)
    table[:LAST][_is_alphanumeric() if letters == WORD_CLASS else _is_alphanumeric() & ~_is_decimal()] = kinds.LETTER
    if letters == WORD_CLASS:
        table[ord("_")] = kinds.LETTER
    return table


def _ranges(characters: str) -> list[tuple[int, int]]:
    """(first, last) code point of each range of a class of a regular expression."""
    return [(ord(one[0]), ord(one[-1])) for one in re.findall(".-.|.", characters)]


@cache
def _is_alphanumeric() -> Array:
    r"""Which of the code points below ``LAST`` \w matches, the underscore aside."""
    return np.char.isalnum(_points())


@cache
def _is_decimal() -> Array:
    r"""Which of them \d matches."""
    return np.char.isdecimal(_points())


@cache
def _is_mark() -> Array:
    """Which of the code points below ``MARKS_END`` are combining marks."""
    table = np.zeros(MARKS_END, bool)
    others = np.flatnonzero(~_is_alphanumeric()[:MARKS_END])
    table[others] = [category[0] == "M" for category in map(unicodedata.category, map(chr, others.tolist()))]
    return table


def _points() -> Array:
    """All characters that may be letters, each at its code point."""
    return np.arange(LAST, dtype=np.uint32).view("U1")
