"""The page cuts a query into words as the library does, in every script."""

import json

import pytest

from partwise.report.page import _asset
from partwise.report.search_payload import _pattern
from partwise.text import Weighting

TEXTS = [
    "mp3 3g covid-19 IPv6 1990s C++ C# don't O'Neill the dog's 80's 42 well-known snake_case c#d a++b",
    "İstanbul Straße ﬁsh cafe\u0301 ΛΌΓΟΣ της об’єкт",
    "हिन्दी भाषा भाज् جميل كِتَابٌ می\u200cخواهم தமிழ் 한국어 ٣٤",
    "今天下雨。中国,好 コンピュータと東京へ行きます ที่นี่ ไทย",
]


@pytest.mark.parametrize("weighting", [Weighting(), Weighting(numbers=True, language="french")])
def test_words_in_a_page(browser, weighting):
    """The script's words are the rule's."""
    rules = {"pattern": _pattern(weighting), "default": True, "numbers": weighting.numbers, "stop": [], "phrases": []}
    source = _asset("words.js")
    content = json.dumps({"search": rules | {"keys": []}, "factor": {"names": []}})
    page = browser.new_page()
    words_of = "new Function('page', source + '; return wordsOf;')(JSON.parse(content))"
    run = f"([source, content, texts]) => texts.map({words_of})"
    assert page.evaluate(run, [source, content, TEXTS]) == [weighting.rule().words(text) for text in TEXTS]
    page.close()
