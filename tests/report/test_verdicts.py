"""The limits of the report's verdicts, each from both sides."""

from types import SimpleNamespace

import numpy as np
import pytest

from partwise.report import verdicts

NOUNS = {"part": "topic", "row": "term", "column": "document"}


def certificate(**known):
    """What the lines read of a certificate, at its best unless given."""
    side = SimpleNamespace(locked=0)
    best = {"comparable": True, "svd_ratio": 1.0, "relative_error": 0.5, "kkt": 1e-5, "verdict": "v", "angles": (0.1,)}
    best |= {"dead_topics": (), "duplicate_topics": (), "w": side, "h": side, "rank": 2, "shape": (60, 40)}
    return SimpleNamespace(**(best | known))


def fit(locked, kkt, keeps):
    """A fit with so many locked zeros, by an algorithm that keeps zeros or not."""
    sides = [SimpleNamespace(update=SimpleNamespace(zero_floor=0.1 if keeps else 0))]
    known = certificate(w=SimpleNamespace(locked=locked), kkt=kkt)
    return SimpleNamespace(certificate=known, algorithm=SimpleNamespace(sides=sides))


def diagnostics(*reliability):
    """The reliability of each topic."""
    return SimpleNamespace(svd=None, reliability=np.array(reliability), runs=5)


LINES = {
    "svd": (
        lambda x: verdicts._svd(certificate(svd_ratio=x), diagnostics(1)),
        [(0.99, "good"), (1.029, "good"), (1.031, "fair"), (1.099, "fair"), (1.101, "bad")],
    ),
    "kkt": (
        lambda x: verdicts._stationary(certificate(kkt=x)),
        [(0.9e-4, "good"), (1.1e-4, "fair"), (0.9e-2, "fair"), (1.1e-2, "bad"), (None, "plain")],
    ),
    "angle": (
        lambda x: verdicts._turned(certificate(angles=(0.0, x)), NOUNS),
        [(0.9, "good"), (1.1, "fair"), (9.9, "fair"), (10.1, "bad")],
    ),
    "reliability": (
        lambda x: verdicts._reliable(diagnostics(x, x), NOUNS),
        [(0.91, "good"), (0.89, "fair"), (0.71, "fair"), (0.69, "bad")],
    ),
    "coherence": (
        lambda x: verdicts._coherent(x, NOUNS),
        [(0.16, "good"), (0.14, "fair"), (0.06, "fair"), (0.04, "bad")],
    ),
    "dead": (lambda x: verdicts._dead(certificate(dead_topics=x), NOUNS), [((), "good"), ((1,), "bad")]),
    "double": (lambda x: verdicts._double(certificate(duplicate_topics=x), NOUNS), [((), "good"), (((0, 1),), "fair")]),
    "sparsity": (
        lambda x: verdicts._sparse("W", x, ""),
        [(0.51, "good"), (0.49, "fair"), (0.31, "fair"), (0.29, "bad")],
    ),
    "locked": (
        lambda x: verdicts._locked(fit(*x)),
        [
            *(((0, 1e-3, True), "good"), ((2, 1e-5, False), "good"), ((2, 1e-5, True), "fair")),
            *(((2, 1e-3, False), "fair"), ((3, 1e-5, False), "bad")),
        ],
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_a_verdict_changes_at_its_limit(name):
    """The verdict on both sides of every limit, and advice that is not "nothing" wherever it is not good."""
    line, expected = LINES[name]
    for value, verdict in expected:
        shown = line(value)
        assert shown.verdict == verdict, value
        if verdict in ("fair", "bad"):
            assert shown.advice
            assert shown.advice != "Nothing to do."


def test_topics_that_were_not_found_again_are_counted():
    """Those below 0.7, not those above."""
    assert "1 of 3 were not found again" in verdicts._reliable(diagnostics(0.95, 0.8, 0.69), NOUNS).meaning
