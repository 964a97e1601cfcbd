"""The embedded corpus: names, labels, what is left out; and that nothing is imported."""

import inspect
import json.decoder
import sys

import pytest

from partwise.datasets import load_standard_library

LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"


@pytest.fixture(scope="module")
def corpus():
    return {document.id: document for document in load_standard_library()}


def test_real_size_and_unique_names(corpus):
    """Some thousand documents on every version of Python, each of 15 words or more."""
    assert 3000 < len(corpus) < 6000
    assert all(len(document.text.split()) >= 15 for document in corpus.values())


@pytest.mark.parametrize("thing", [json.decoder, json.decoder.JSONDecoder, json.decoder.JSONDecoder.raw_decode])
def test_texts_are_the_docstrings(corpus, thing):
    """The oracle is the interpreter's own view of the same docstring."""
    name = "json.decoder" if inspect.ismodule(thing) else f"json.decoder.{thing.__qualname__}"
    if len((thing.__doc__ or "").split()) >= 15:
        assert corpus[name].text == inspect.getdoc(thing)
        assert (corpus[name].title, corpus[name].label) == (name, "json")
    else:
        assert name not in corpus


def test_removed_modules_are_left_out(corpus):
    """What later versions no longer have is not in it, so that the demo answers alike on all."""
    assert not {"distutils", "cgi", "telnetlib", "lib2to3"} & {document.label for document in corpus.values()}


def test_nothing_is_imported(corpus):
    """Modules that have an effect when they are imported are read all the same."""
    assert any(name.startswith("turtle.") for name in corpus)
    assert not {"antigravity", "turtle", "this"} & set(sys.modules)


def test_what_is_taken_and_what_is_left(tmp_path):
    """Nested definitions get dotted names; short docstrings, tests and broken files are left out."""
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "__init__.py").write_text(f'"""{LONG}"""\n')
    (tmp_path / "box" / "lid.py").write_text(
        f'try:\n  class A:\n    def f(self):\n      """{LONG} f"""\n      async def g():\n        """{LONG} g"""\n'
        f'except E:\n  class A:\n    """too short"""\n    def f(self):\n      """{LONG} second"""\n'
    )
    (tmp_path / "broken.py").write_text(f'"""{LONG}"""\nif\n')
    (tmp_path / "bytes.py").write_bytes(b"\x00\xff")
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "inner.py").write_text(f'"""{LONG}"""\n')
    documents = load_standard_library(tmp_path)
    assert [(d.id, d.label) for d in documents] == [("box", "box"), ("box.lid.A.f", "box"), ("box.lid.A.f.g", "box")]
    assert documents[1].text == f"{LONG} f"


def test_no_sources(tmp_path):
    """A folder without sources is a sentence."""
    with pytest.raises(FileNotFoundError, match="no Python sources"):
        load_standard_library(tmp_path)
