"""In which language texts are written: by script, then by the stop words that they hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from partwise.kernels.character_kinds import HAN, HIRAGANA, KATAKANA
from partwise.text.analyzer import check_text
from partwise.text.characters import SCRIPTS, fold
from partwise.text.stop_words import language_names, stop_words_of
from partwise.text.tokenizer import default_rule

SAMPLE = 2**18
"""Characters that are looked at."""
LEAST_SHARE = 0.04
"""The least share of stop words, each divided by the number of languages that have it, in texts of a language."""
LEAST_SIGNS = 0.1
"""The least share of the signs of a script among all characters."""
BY_SCRIPT = {
    "japanese": SCRIPTS[HIRAGANA] + SCRIPTS[KATAKANA],
    "chinese": SCRIPTS[HAN],
    "korean": "\uac00-\ud7a3",
}
"""Languages that are known by their signs; Japanese, which uses Han as well, first."""


def recognise(texts: Iterable[str]) -> str | None:
    """The language of texts, None where no language's stop words are common in them.

    A stop word that n languages have counts 1/n for each of them, so that long lists and near relatives do not win by
    what they share.
    """
    sample = _sample(texts)
    names = set(language_names().values())
    for name, signs in BY_SCRIPT.items():
        if name in names and len(re.findall(f"[{signs}]", sample)) > LEAST_SIGNS * len(sample):
            return name
    words = Counter(default_rule(numbers=False, apostrophes=False).words(sample))
    lists = {name: stop_words_of(name) for name in sorted(names)}
    owners = Counter(word for stop in lists.values() for word in stop)
    scores = {name: sum(words[word] / owners[word] for word in stop if word in words) for name, stop in lists.items()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > LEAST_SHARE * max(words.total(), 1) else None


def _sample(texts: Iterable[str]) -> str:
    pieces, length = [], 0
    for text in texts:
        check_text(text)
        pieces.append(text[:SAMPLE])
        length += len(pieces[-1]) + 1
        if length > SAMPLE:
            break
    return fold("\n".join(pieces))
