"""The real Reuters collection, which takes seconds to read, is read once for all tests that need it."""

import pytest

from partwise.datasets import Article, DataNotFound, load_reuters


@pytest.fixture(scope="session")
def articles() -> tuple[Article, ...]:
    """Every article; the test is skipped where the real files are not."""
    try:
        return load_reuters()
    except DataNotFound as missing:
        pytest.skip(str(missing))
