"""When a run ends where no stopping rule is named."""

from __future__ import annotations

from partwise.algorithms.base import Algorithm
from partwise.engine.stationarity import NEARLY
from partwise.engine.stopping import AllOf, AnyOf, Frobenius, Reason, Rule, Stationarity
from partwise.losses.table import loss_of

PACE, HARDLY = 2, 500
"""The error stands still at a change of at most tol/PACE of itself an iteration, and hardly changes at tol/HARDLY."""
PATIENCE, SLOW, EVERY = 50, 5, 3
"""The iterations after which a change of so many ``tol`` is enough, and how often the residual, which costs one, is
asked for."""


def default_stop(algorithm: Algorithm, tol: float = 1e-4, burn_in: int = 0) -> Rule:
    """When a run ends where nothing else is said: a smaller ``tol`` never ends it sooner.

    A thorough algorithm goes on until the KKT residual is at most ``tol``; after ``PATIENCE`` iterations it is enough
    that the error changes by at most ``SLOW`` times ``tol`` of itself and the point is nearly stationary. Other methods
    that go on to a stationary point end at once when the point is nearly stationary and the error is at most ``tol`` or
    changes by at most half of that. Clipping ones stall before it, so that only the error is asked about. The residual,
    which costs an iteration, is computed when the error hardly changes.
    """
    still = Frobenius(level=tol, change=tol / PACE, burn_in=burn_in)
    monotone = all(side.update.monotone for side in algorithm.sides)
    if not monotone or not loss_of(algorithm).stationarity:
        return still
    if not algorithm.thorough:
        return AllOf((still, Stationarity(NEARLY)), burn_in=burn_in, because=Reason.SETTLED)
    hardly, slow = Frobenius(level=tol, change=tol / HARDLY), Frobenius(level=tol, change=SLOW * tol)
    return AnyOf(
        (
            AllOf((hardly, Stationarity(tol)), every=EVERY, burn_in=burn_in, because=Reason.STATIONARY),
            AllOf((slow, Stationarity(NEARLY)), burn_in=PATIENCE, because=Reason.SETTLED),
        )
    )
