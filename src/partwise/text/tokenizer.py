"""From a text to its words: the default rule for every script, a regular expression, or a function of the user's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise

from partwise.kernels.character_kinds import CLUSTER, HAN, HIRAGANA, KATAKANA
from partwise.text.characters import (
    JOINERS,
    LETTER_CLASS,
    SCRIPTS,
    WORD_CLASS,
    default_kinds,
    fold,
    folding,
    lower,
    marks,
    pattern_kinds,
)
from partwise.types import Array

PATTERN = r"[^\W\d_]{2,}"
"""Two or more letters of any script: the words of version 0.1."""

RUNS = {
    PATTERN: LETTER_CLASS,
    **dict.fromkeys((r"\w\w+", r"\w{2,}", r"\b\w\w+\b", r"(?u)\b\w\w+\b"), WORD_CLASS),
}
"""pattern -> class of characters, for patterns that mean two or more characters of the class."""

HIRAGANA_WORD = re.compile(f"[{SCRIPTS[HIRAGANA]}]+")


@dataclass(frozen=True)
class WordRule:
    """How a text becomes words. ``kinds`` is a table for the compiled scanner, where it covers the rule."""

    words: Callable[[str], list[str]]
    """text -> words; the definition, which the scanner must agree with."""
    fold: Callable[[str], str] = str
    """What is done to a text before the scanner reads it."""
    folding: Callable[[], Array] | None = None
    """The same as a table for the scanner, where there is one."""
    kinds: Callable[[], Array] | None = None
    numbers: bool = False


def default_rule(numbers: bool, apostrophes: bool) -> WordRule:
    """The words of every script.

    A word is letters with their marks, and digits where there is a letter too (mp3, 3g); ``apostrophes`` join letters
    (o'neill; a final 's is dropped), a hyphen joins a word and digits (covid-19); c++ and c#. It has two characters or
    more. ``numbers`` keeps digits alone. Scripts without spaces: overlapping pairs of Han, of Hiragana and of Thai,
    Lao, Khmer and Burmese letters with their marks, a single Han sign where it stands alone, and runs of Katakana.
    """
    words = partial(_default_words, numbers=numbers, apostrophes=apostrophes)
    return WordRule(words, fold, folding, partial(default_kinds, apostrophes), numbers)


def pattern_rule(pattern: str) -> WordRule:
    """The matches of a regular expression in a text in lower case."""
    find = re.compile(pattern).findall
    letters = RUNS.get(pattern)
    kinds = None if letters is None else partial(pattern_kinds, letters)
    return WordRule(lambda text: find(lower(text)), lower, None, kinds)


def _default_words(text: str, numbers: bool, apostrophes: bool) -> list[str]:
    text = fold(text)
    if text.isascii():
        matches = _ascii_word(apostrophes).findall(text)
        if "'" in text:
            matches = [word[:-2] if word[-2:] == "'s" else word for word in matches]
        return [word for word in matches if len(word) > 1 and (numbers or not word.isdigit())]
    words: list[str] = []
    for match in _any_word(apostrophes).finditer(text):
        group = match.lastindex
        words += _terms([match[0]], numbers) if group is None else _SCRIPT_WORDS[group](_clusters().findall(match[0]))
    return words


def _terms(words: Iterable[str], numbers: bool) -> list[str]:
    """The words of two characters or more, without a final 's, and without numbers unless they are wanted."""
    words = (word[:-2] if word[-2:] == "'s" else word for word in words)
    return [word for word in words if len(word) > 1 and (numbers or word[0].isalpha() or not _number().fullmatch(word))]


def _pairs(clusters: list[str]) -> list[str]:
    return [first + second for first, second in pairwise(clusters)]


_SCRIPT_WORDS: dict[int, Callable[[list[str]], list[str]]] = {
    1: lambda clusters: _pairs(clusters) if len(clusters) > 1 else clusters,
    2: _pairs,
    3: lambda clusters: ["".join(clusters)] if len(clusters) > 1 else [],
    4: _pairs,
}
"""group of the pattern -> the words of a run: Han, Hiragana, Katakana, clusters"""


@cache
def _ascii_word(apostrophes: bool) -> re.Pattern[str]:
    join = "|'(?=[a-z])" if apostrophes else ""
    return re.compile(
        "[a-z]#(?![a-z0-9#])"
        rf"|(?:[0-9](?:[0-9]{join})*)?[a-z](?:[a-z0-9]|-(?=[0-9]){join})*(?:\+\+(?![a-z0-9+]))?"
        f"|[0-9](?:[0-9]{join})*"
    )


def default_pattern(apostrophes: bool, letters: str, digit: str, mark: str) -> str:
    """The default words of folded text as a regular expression, given a class of letters, digits and marks.

    Groups 1 to 4 are runs of Han, of Hiragana, of Katakana, and of Thai, Lao, Khmer and Burmese letters.
    """
    letter = f"(?![{''.join(SCRIPTS.values())}]){letters}"
    join = f"|[{JOINERS}](?={letter}|[{mark}])" + (f"|'(?={letter})" if apostrophes else "")
    head, tail = f"{digit}(?:[{digit}{mark}]{join})*", f"(?:{letter}|[{digit}{mark}]|-(?={digit}){join})*"
    scripts = (f"(?=[{SCRIPTS[kind]}]){letters}" for kind in (HAN, HIRAGANA, KATAKANA, CLUSTER))
    runs = "|".join(f"({one}(?:{one}|[{mark}])*)" for one in scripts)
    return (
        rf"{letter}#(?!{letters}|[{digit}#])|(?:{head})?{letter}{tail}(?:\+\+(?!{letters}|[{digit}+]))?|{head}|{runs}"
    )


@cache
def _any_word(apostrophes: bool) -> re.Pattern[str]:
    return re.compile(default_pattern(apostrophes, LETTER_CLASS, r"\d", marks()))


@cache
def _clusters() -> re.Pattern[str]:
    """A letter with its marks."""
    return re.compile(f"[^{marks()}][{marks()}]*")


@cache
def _number() -> re.Pattern[str]:
    """Digits without any letter."""
    return re.compile(rf"[\d{marks()}{JOINERS}']+")


def highlight_pattern() -> str:
    """The default words of texts that are not folded; a run of a script without spaces is one match."""
    return _any_word(apostrophes=True).pattern
