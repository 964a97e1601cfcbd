"""Losses by name. A new one is a file here and a line in ``LOSSES``."""

from __future__ import annotations

from partwise.algorithms.base import Algorithm
from partwise.arguments import choose
from partwise.losses.absolute import Absolute
from partwise.losses.base import Loss
from partwise.losses.squared import Squared

LOSSES: dict[str, Loss] = {"squared": Squared(), "absolute": Absolute()}
"""Name -> loss; add a line to add one."""


def loss_of(algorithm: Algorithm) -> Loss:
    """The loss that an algorithm minimises."""
    loss: Loss = choose("loss", algorithm.loss, LOSSES)
    return loss
