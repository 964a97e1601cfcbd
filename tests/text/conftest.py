"""A model of the small collection that several files ask."""

import pytest
from corpus import documents

from partwise.text import TopicModel


@pytest.fixture(scope="session")
def model():
    return TopicModel(3, seed=1).fit(documents())
