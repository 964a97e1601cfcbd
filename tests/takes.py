"""Which matrices an algorithm of the table takes."""

import pytest

import partwise as pw
from partwise.losses.table import loss_of


def loss(name):
    """The loss of an algorithm by name."""
    return loss_of(pw.ALGORITHMS[name]())


def skip_unless_taken(name, matrix):
    """Skip a test where the loss of this algorithm refuses this matrix; the refusals have tests of their own."""
    refusal = loss(name).refuses(pw.as_data(matrix), pw.ALGORITHMS[name]())
    if refusal:
        pytest.skip(refusal)
