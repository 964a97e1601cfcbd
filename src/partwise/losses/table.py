"""Losses by name. A new one is a file here and a line in ``LOSSES``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import ALGORITHMS, as_algorithm
from partwise.arguments import choose, number
from partwise.losses.absolute import Absolute
from partwise.losses.base import Loss
from partwise.losses.beta import Beta
from partwise.losses.poisson import Poisson
from partwise.losses.squared import Squared
from partwise.types import Data

LOSSES: dict[str, Loss] = {
    "squared": Squared(),
    "poisson": Poisson(),
    "absolute": Absolute(),
    "itakura-saito": Beta(0.0),
}
"""Name -> loss; add a line to add one."""
FAMILIES: dict[str, Callable[[Any], Loss]] = {"beta": lambda value: Beta(number("beta", value, -10, 10))}
"""Losses with a parameter: "beta=1.5" is FAMILIES["beta"](1.5)."""
ALIASES = {"frobenius": "squared", "kl": "poisson", "kullback-leibler": "poisson"}


def as_loss(name: Any) -> Loss:
    """The loss of a name such as "poisson", "kl" or "beta=1.5"."""
    if isinstance(name, str) and name in LOSSES:
        return LOSSES[name]
    family, equals, value = name.partition("=") if isinstance(name, str) else (name, "", "")
    if equals and family in FAMILIES:
        try:
            return FAMILIES[family](float(value))
        except ValueError:
            return FAMILIES[family](value)  # whose sentence says what is allowed
    loss: Loss = choose("loss", ALIASES.get(name, name) if isinstance(name, str) else name, LOSSES)
    return loss


def beta(value: float) -> str:
    """The name of the β-divergence for ``loss=``: "beta=1.5" for 1.5, "itakura-saito" for 0. Dense data only.

    d(a | y) = (a^β + (β − 1) y^β − β a y^(β−1)) / (β(β − 1)); 2 is half the squared error, 1 the Kullback–Leibler
    divergence. For those two the losses "squared" and "poisson" have faster methods, and take sparse data.
    """
    return FAMILIES["beta"](value).name


def loss_of(algorithm: Algorithm, data: Data | None = None) -> Loss:
    """The loss that an algorithm minimises, as the data need it."""
    loss = as_loss(algorithm.loss)
    return loss if data is None else loss.on(data)


def suited(algorithm: Algorithm, data: Data) -> Algorithm:
    """The algorithm, or where the choice was left to the loss the one that suits the data."""
    if not algorithm.open:
        return algorithm
    return loss_of(algorithm).suited(data) or replace(algorithm, open=False)


@cache
def _usual(factory: Callable[..., Algorithm], settings: tuple[tuple[str, Any], ...], left_open: bool) -> Algorithm:
    """What a factory makes, once: an algorithm is never changed, and batches of a stream ask for it again and again."""
    return replace(factory(**dict(settings)), open=left_open)


def algorithm_for(algorithm: str | Algorithm | None, loss: str | None = None) -> Algorithm:
    """The algorithm by name or as it is, or the loss's own; one that minimises another loss is refused."""
    wanted = as_loss("squared" if loss is None else loss)
    if algorithm is None or (loss is not None and algorithm == wanted.default_algorithm):
        return _usual(ALGORITHMS[wanted.default_algorithm], tuple(wanted.settings.items()), algorithm is None)
    chosen = as_algorithm(algorithm)
    if loss is not None and chosen.loss != wanted.name:
        fitting = [other for other, factory in ALGORITHMS.items() if factory().loss == wanted.name]
        raise ValueError(
            f"{chosen.name} minimises the {chosen.loss} loss, not the {wanted.name} one; use "
            f"{' or '.join(fitting or [wanted.default_algorithm])}, or leave out algorithm."
        )
    return chosen
