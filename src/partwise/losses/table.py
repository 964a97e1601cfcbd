"""Losses by name. A new one is a file here and a line in ``LOSSES``."""

from __future__ import annotations

from dataclasses import replace

from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import ALGORITHMS, as_algorithm
from partwise.arguments import choose
from partwise.losses.absolute import Absolute
from partwise.losses.base import Loss
from partwise.losses.poisson import Poisson
from partwise.losses.squared import Squared
from partwise.types import Data

LOSSES: dict[str, Loss] = {"squared": Squared(), "poisson": Poisson(), "absolute": Absolute()}
"""Name -> loss; add a line to add one."""
ALIASES = {"frobenius": "squared", "kl": "poisson", "kullback-leibler": "poisson"}


def loss_of(algorithm: Algorithm) -> Loss:
    """The loss that an algorithm minimises."""
    loss: Loss = choose("loss", algorithm.loss, LOSSES)
    return loss


def suited(algorithm: Algorithm, data: Data) -> Algorithm:
    """The algorithm, or the one that takes its place where the data come in parts."""
    if algorithm.elsewhere is None:
        return algorithm
    return replace(algorithm, elsewhere=None) if data.split is None else as_algorithm(algorithm.elsewhere)


def algorithm_for(algorithm: str | Algorithm | None, loss: str | None = None) -> Algorithm:
    """The algorithm by name or as it is, or the loss's own; one that minimises another loss is refused."""
    name = None if loss is None else ALIASES.get(loss, loss) if isinstance(loss, str) else loss
    wanted: Loss = LOSSES["squared"] if name is None else choose("loss", name, LOSSES)
    if algorithm is None:
        return replace(as_algorithm(wanted.default_algorithm), elsewhere=wanted.everywhere)
    chosen = as_algorithm(algorithm)
    if name is not None and chosen.loss != wanted.name:
        fitting = [other for other, factory in ALGORITHMS.items() if factory().loss == wanted.name]
        raise ValueError(
            f"{chosen.name} minimises the {chosen.loss} loss, not the {wanted.name} one; use {' or '.join(fitting)}, "
            "or leave out algorithm."
        )
    return chosen
