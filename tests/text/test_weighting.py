"""The options: kept as JSON, and refused where they cannot work."""

import json
from dataclasses import fields, replace

import numpy as np
import pytest

from partwise.text import Weighting


def test_options_survive_json():
    """A weighting is its own dictionary, every option of it."""
    weighting = Weighting("counts", ("le", "la"), (1, 2), 0.1, 0.9, 100, "french", False, r"\w+", 64)
    weighting = replace(weighting, language="fr", tokenizer="mine.split", numbers=True, further_stop_words=("les",))
    weighting = replace(weighting, across_stop_words=True, phrase_count=3)
    options = json.loads(json.dumps(weighting.as_dict()))
    assert Weighting.from_dict(options) == weighting
    assert set(options) == {f.name for f in fields(Weighting)}
    assert all(getattr(weighting, f.name) != f.default for f in fields(Weighting) if f.name != "phrases")
    assert Weighting.from_dict(Weighting(phrases=0.4).as_dict()) == Weighting(phrases=0.4)
    with pytest.raises(ValueError, match="no weighting option 'colour'"):
        Weighting.from_dict({"colour": 1})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"weight": "tf-idf"}, r"no weight 'tf-idf'; did you mean 'tfidf'\?"),
        ({"stem": "englsh"}, r"no stemmer 'englsh'; did you mean 'english'\?"),
        (
            {"stop_words": "frensh"},
            r"no language 'frensh'; did you mean 'french'\? choose one of arabic, .*vietnamese\.",
        ),
        ({"language": "klingon"}, "no language 'klingon'; choose one of arabic"),
        ({"phrases": 2.0}, "phrases must be"),
        ({"phrases": 0.5, "hashing": 64}, "leave hashing or phrases out"),
        ({"min_df": 0}, "min_df must be"),
        ({"min_df": 1.5}, "min_df must be"),
        ({"max_df": True}, "max_df must be"),
        ({"max_terms": 0}, "max_terms must be"),
        ({"ngrams": (2, 1)}, "ngrams must be"),
        ({"ngrams": 2}, "ngrams must be"),
        ({"pattern": "("}, "not a regular expression"),
        ({"pattern": "(a)(b)"}, "at most one group"),
    ],
)
def test_bad_options(options, sentence):
    """Refused when the weighting is made."""
    with pytest.raises(ValueError, match=sentence):
        Weighting(**options)
    with pytest.raises(TypeError, match="stop_words must be"):
        Weighting(stop_words=["a", "list"])


@pytest.mark.parametrize("hashing", [0, 1, True, 2.5, "2**18"])
def test_a_table_of_no_size_is_refused(hashing):
    """In a sentence."""
    with pytest.raises(ValueError, match="hashing must be"):
        Weighting(hashing=hashing)


def test_the_old_name_of_the_tokenizer_still_works():
    """With a warning."""
    with pytest.warns(DeprecationWarning, match="analyzer"):
        assert Weighting().words()("A ship and a harbour") == ["ship", "harbour"]


@pytest.mark.parametrize("options", [{"ngrams": [1, "2"]}, {"normalize": 1}, {"min_df": "2"}])
def test_options_of_another_type_are_refused(options):
    """A file that was changed by hand is not taken at its word."""
    with pytest.raises((TypeError, ValueError)):
        Weighting.from_dict(options)


def test_a_hash_table_of_numpys_size():
    """A whole number of numpy's kind is one of ours: a hash does not fit in eight bits."""
    small = Weighting(hashing=np.int8(64))
    assert type(small.hashing) is int
    assert small == Weighting(hashing=64)


def test_a_long_name_of_a_language():
    """It is quoted by its beginning."""
    with pytest.raises(ValueError, match=r"There is no language 'x{59}…; choose one of arabic"):
        Weighting(language="x" * 10**5)
