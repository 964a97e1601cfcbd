"""Two models side by side."""

import pytest
from corpus import documents

from partwise.text import Document, TopicModel, Weighting


def test_compare_matches_topics_and_finds_what_moved(model):
    """The same model matches itself with cosine 1 and nothing moves; a turned label moves one document."""
    same = model.compare(model)
    assert all(m.topic == m.other and m.cosine == pytest.approx(1) for m in same.matches)
    assert (same.moved, same.only_first, same.only_second) == ((), (), ())
    assert all(not m.gained and not m.lost for m in same.matches)
    changed = documents()
    changed[0] = Document("d00", changed[1].text, changed[0].title, changed[0].label)
    moved = model.compare(TopicModel(3, seed=5).fit(changed))
    assert [one.id for one in moved.moved] == ["d00"]
    assert moved.moved[0].topic == model.strongest.topic[0]
    assert moved.shared_documents == 30
    wider = model.compare(TopicModel(4, seed=0).fit(documents()))
    assert len(wider.matches) == 3
    assert len(wider.only_second) == 1
    strange = TopicModel(1, weighting=Weighting(min_df=1)).fit(["alpha beta", "beta gamma"])
    with pytest.raises(ValueError, match="no term in common"):
        model.compare(strange)


def test_stems_are_compared_by_what_is_counted():
    """The same stem shown in two forms is neither gained nor lost; a new word is."""
    weighting = Weighting(stem="english", min_df=1)
    first = TopicModel(1, weighting=weighting).fit(["ships sailing", "ships harbours"])
    second = TopicModel(1, weighting=weighting).fit(["ship sail", "ship harbour tide"])
    (match,) = first.compare(second).matches
    assert (match.gained, match.lost) == (("tide",), ())
    assert match.cosine > 0.9
