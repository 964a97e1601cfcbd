"""Words: a table of scripts, the strings of two threads about scikit-learn's words, and the compiled scanner."""

import re
import threading
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise import datasets
from partwise.kernels import character_kinds as kinds
from partwise.kernels.tokens import BATCH
from partwise.text import Weighting
from partwise.text.characters import fold, folding
from partwise.text.tokenizer import PATTERN, default_rule, pattern_rule
from partwise.text.word_stream import _folded, _read_by_rule, _read_compiled, _Table, read_words

DEFAULT = default_rule(numbers=False, apostrophes=True)

SCRIPTS = {
    "Latin": ("Ærøskøbing, naïve CAFÉ cafe\u0301; Straße", ["ærøskøbing", "naïve", "café", "café", "strasse"]),
    "Turkish": ("İstanbul I\u0307zmir", ["istanbul", "izmir"]),
    "Greek": ("Ο ΛΌΓΟΣ της πόλης", ["λόγος", "της", "πόλης"]),
    "Cyrillic": ("Привет, п'ять об’єктів", ["привет", "п'ять", "об'єктів"]),
    "Armenian": ("Հայերեն լեզու", ["հայերեն", "լեզու"]),
    "Hebrew": ("שָׁלוֹם עולם", ["שָׁלוֹם", "עולם"]),
    "Arabic": ("كِتَابٌ جميل", ["كِتَابٌ", "جميل"]),
    "Persian": ("می\u200cخواهم بروم", ["می\u200cخواهم", "بروم"]),
    "Devanagari": ("हिन्दी भाषा में समाचार", ["हिन्दी", "भाषा", "में", "समाचार"]),
    "Tamil": ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
    "Bengali": ("ভৌতিক গল্প", ["ভৌতিক", "গল্প"]),
    "Korean": ("한국어 문장", ["한국어", "문장"]),
    "Chinese": ("今天下雨。中国,好", ["今天", "天下", "下雨", "中国", "好"]),
    "Japanese": ("コンピュータと東京へ行きます", ["コンピュータ", "東京", "行", "きま", "ます"]),
    "Thai": ("ที่นี่ ไทย", ["ที่นี่", "ไท", "ทย"]),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_words_of_a_script(script):
    """Letters stay with their marks; scripts without spaces are cut into pairs."""
    text, words = SCRIPTS[script]
    assert DEFAULT.words(text) == [fold(word) for word in words]


def test_the_strings_of_scikit_learn_s_threads():
    """#30935 and #20211: whole words; a single letter and a lone number are none, an apostrophe inside a word stays."""
    texts = ["ప్రధానమంత్రిని కలుసుకున్నారు", "आधुनिक मानक हिन्दी", "They met the Prime Minister"]
    assert [" ".join(DEFAULT.words(text)) for text in texts] == [text.lower() for text in texts]
    texts = [
        "आई- जाइयै नुहाड़ा ध्यान उस्सै भेठा जा’रदा हा।",
        "य बात सुणते ही सब गौं वाल नजदीक जंगलै तरफ भाज् और बांनर पकड़ पकड़ बेर 100- 100 रु में बेचंण लाग्।",
    ]
    terms = {fold(word) for word in re.split(r"[\s\-।]+", " ".join(texts))} - {"", "य", "100"}
    assert {word for text in texts for word in DEFAULT.words(text)} == terms


def test_digits_signs_and_apostrophes():
    """Digits inside words, C++ and C#, contractions whole, a final 's dropped; a lone number only where asked for."""
    text = "mp3 3g covid-19 IPv6 utf-8 1990s C++ C# don't O'Neill the dog's 80's 42 x well-known snake_case c#d a++b"
    words = "mp3 3g covid-19 ipv6 utf-8 1990s c++ c# don't o'neill the dog well known snake case"
    assert " ".join(DEFAULT.words(text)) == words
    assert {"80", "42"} < set(default_rule(numbers=True, apostrophes=True).words(text))
    assert "don't" in Weighting().stopped()
    elided = default_rule(False, apostrophes=False).words("L'amour, qu’il dell'arte")
    assert elided == ["amour", "qu", "il", "dell", "arte"]


SIGNS = st.text(
    st.one_of(
        st.sampled_from("abcZ019 '-+#_.,\n\u200c\u200d\u0301\u0307ßİςΣé’‐\u00ad²Ⅳ٣🙂\U00020000\ud800"),
        st.sampled_from("中国日の本カタナーไทยนี่हिन्दीп"),
        st.characters(),
    ),
    max_size=40,
)
RULES = {
    "default": DEFAULT,
    "french": default_rule(numbers=True, apostrophes=False),
    "version 0.1": pattern_rule(PATTERN),
    "scikit-learn": pattern_rule(r"(?u)\b\w\w+\b"),
}


def assert_same_words(rule, texts, threads=2):
    """The compiled scanner finds what the rule finds, text by text."""
    slow, fast = _read_by_rule(rule, texts), _read_compiled(rule, texts, threads)
    np.testing.assert_array_equal(fast.edges, slow.edges)
    assert sorted(fast.words) == sorted(slow.words)
    place = {word: i for i, word in enumerate(slow.words)}
    np.testing.assert_array_equal(np.array([place[word] for word in fast.words], int)[fast.ids], slow.ids)
    stop = frozenset([*slow.words.all()[::3], "", "zzz", "дом"])
    for stream in (_read_by_rule(rule, texts, stop), _read_compiled(rule, texts, threads, stop)):
        stopped = np.isin(stream.ids, stream.stopped)
        words = stream.words.some(stream.ids)
        assert [word in stop for word in words] == stopped.tolist()
        assert words == slow.words.some(slow.ids)


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=300)
@given(texts=st.lists(SIGNS, min_size=1, max_size=5))
def test_the_scanner_agrees_with_the_rule(name, texts):
    """On strings of every kind of character."""
    assert_same_words(RULES[name], texts)


@pytest.mark.parametrize("name", ["medlars", "cisi", "reuters", "standard library"])
def test_the_scanner_agrees_on_real_texts(name, monkeypatch):
    """On all shared collections and on the demo's, in tables that must grow and be merged."""
    monkeypatch.setattr("partwise.text.word_stream.CHUNK", 2**18)
    monkeypatch.setattr("partwise.text.word_stream.LEAST_SLOTS", 2**10)
    load = {
        "medlars": lambda: datasets.load_medlars().documents,
        "cisi": lambda: datasets.load_cisi().documents,
        "reuters": lambda: datasets.load_reuters()[::4],
        "standard library": datasets.load_standard_library,
    }
    try:
        texts = [document.text for document in load[name]()]
    except FileNotFoundError as error:
        pytest.skip(str(error))
    for rule in (DEFAULT, RULES["scikit-learn"]):
        assert_same_words(rule, texts)


@pytest.mark.parametrize("name", RULES)
def test_words_in_batches_and_long_words(name):
    """Runs of pairs and texts longer than the scanner's batches, and words as long as their keys, or one byte more."""
    long = [sign * length + end for sign in "aдक𐐀" for length in range(1, 19) for end in ("", "a", "b")]
    runs = [(sign * (BATCH - 1), sign * (BATCH + 1), sign * (2 * BATCH + 3)) for sign in "中のカไ"]
    texts = [" ".join(long), *map("，".join, runs), *map(" ab ".join, runs), " ".join(["xy"] * (2 * BATCH + 1))]
    assert_same_words(RULES[name], [*texts, "中" + "国本" * BATCH + " 中", *texts], threads=1)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_error_while_texts_are_read_or_scanned_ends_all_threads(threads, monkeypatch):
    """It is raised as it is, whoever meets it, and no thread waits for texts that will not come."""
    monkeypatch.setattr("partwise.text.word_stream.CHUNK", 500)
    texts, before = ["ship and harbour"] * 200, threading.active_count()

    def interrupted():
        yield from texts
        raise KeyboardInterrupt

    with pytest.raises(TypeError, match="must be strings"):
        _read_compiled(DEFAULT, iter([*texts, None]), threads)
    with pytest.raises(KeyboardInterrupt):
        _read_compiled(DEFAULT, interrupted(), threads)
    assert_same_words(DEFAULT, texts, threads)
    scan = _Table.scan

    def of_some(table, rule, kinds, chunk):
        if "!" in chunk[0]:
            raise MemoryError(chunk[0])
        return scan(table, rule, kinds, chunk)

    monkeypatch.setattr(_Table, "scan", of_some)
    with pytest.raises(MemoryError, match="ship!"):
        _read_compiled(DEFAULT, [*texts, "ship!" * 100, *texts], threads)
    assert threading.active_count() == before


def test_the_scanner_is_used_where_it_pays(monkeypatch):
    """Not for a few texts; what is counted is the same."""
    calls = []
    monkeypatch.setattr("partwise.text.word_stream._read_compiled", lambda *a: calls.append(a) or _read_compiled(*a))
    texts = ["ship and harbour"] * 100
    read_words(DEFAULT, texts)
    assert not calls
    monkeypatch.setattr("partwise.text.word_stream.READY", 100)
    monkeypatch.setattr("partwise.text.word_stream.UNREADY", 100)
    stream = read_words(DEFAULT, iter(texts), threads=1)
    assert len(calls) == 1
    assert Counter({stream.words[i]: int(n) for i, n in enumerate(stream.frequencies)}) == Counter(
        dict.fromkeys(["ship", "and", "harbour"], 100)
    )


def test_a_tokenizer_of_one_s_own(tmp_path):
    """Its words are taken as they are; a file keeps its name, and it must be given again to ask the model."""
    import partwise as pw

    texts = ["Ship|harbour|the", "oven|butter", "Ship|captain|harbour", "butter|oven|sugar"]
    weighting = Weighting(tokenizer=split_at_bars, min_df=1)
    vocabulary, _ = weighting.fit(texts)
    assert vocabulary.terms == ("Ship", "butter", "captain", "harbour", "oven", "sugar")
    model = pw.TopicModel(2, weighting=weighting).fit(texts)
    model.save(tmp_path / "m")
    again = pw.load(tmp_path / "m")
    with pytest.raises(ValueError, match=r"tokenizer .*split_at_bars, which a file cannot hold; .*use_tokenizer"):
        again.search("Ship|oven")
    again.use_tokenizer(split_at_bars)
    assert again.search("Ship|oven") == model.search("Ship|oven")
    with pytest.raises(TypeError, match="tokenizer must be a function"):
        Weighting(tokenizer=3)


def split_at_bars(text):
    """A tokenizer for the test above."""
    return text.split("|")


MARKS = "".join(chr(point) for point in range(0x300, 0x1200) if unicodedata.combining(chr(point)))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.text(st.one_of(st.characters(), st.sampled_from(MARKS), st.sampled_from("iI\u0130\u0307\u00ad'Σσς"))))
)
def test_the_compiled_folding_is_that_of_the_definition(texts):
    """What the table does not cover is folded one by one; blanks may be left at the end of a text."""
    text, ends = _folded(DEFAULT, texts)
    pieces = [piece.tobytes().decode("utf-8", "surrogatepass") for piece in np.split(text, ends[:-1])]
    assert [piece.rstrip(" ") for piece in pieces[: len(texts)]] == [fold(one).rstrip(" ") for one in texts]


def test_the_table_of_folding_agrees_with_the_definition_for_each_character():
    """A character that the table covers is folded alike before another one, and keeps its combining class."""
    table = folding()
    for point in np.flatnonzero(table != kinds.UNCOVERED).tolist():
        value = int(table[point])
        folded = "" if value == kinds.DROPPED else chr(value & (1 << kinds.CLASS) - 1)
        assert fold(f"{chr(point)}a") == f"{folded}a"
        assert value == kinds.DROPPED or value >> kinds.CLASS == unicodedata.combining(folded)
