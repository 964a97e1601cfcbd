"""No silent wrong answer: what a certificate says is what plain numpy says of W and H."""

import os

import pytest
from certificates import disagreements

import partwise as pw

PROBLEMS = int(os.environ.get("PARTWISE_PROBLEMS", "2"))
"""Random problems for each algorithm; ``make certificates`` takes a thousand in all."""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("algorithm", [name for name in pw.ALGORITHMS if PROBLEMS > 2 or name != "alp"])
def test_a_certificate_is_true(algorithm):
    """On random small problems, refused ones aside, of which there are few."""
    results = {seed: disagreements(seed, algorithm) for seed in range(PROBLEMS)}
    assert {seed: wrong for seed, wrong in results.items() if wrong} == {}
    assert sum(wrong is not None for wrong in results.values()) > PROBLEMS / 4
