"""What a cluster is waited for, and the sentences for what it has lost."""

from __future__ import annotations

import time
from contextvars import Context
from typing import Any

import numpy as np

from partwise.types import Array

PATIENCE, LOOK = 30.0, 2.0
"""Seconds that a cluster without workers is waited for, and between two looks whether it has any."""
AGAIN = "; call again, from a checkpoint if there is one."
RESTARTED = f"The Dask cluster was restarted or closed in the middle, and what lay on its workers is gone{AGAIN}"
GONE = (
    "A factor lay on the workers of a Dask cluster that was closed or restarted since, or has no workers any more; "
    "call again, and save the result, or take numpy.asarray(fit.H), before the client is closed."
)
DESERTED = "The Dask cluster has had no workers for {:g} seconds; start some, and" + AGAIN[1:]
KILLED = (
    "Workers of the Dask cluster died one after the other on the same part, most likely for want of memory; use "
    "smaller chunks, or workers with more memory."
)


class Lost(RuntimeError):
    """Something on the workers was lost that cannot be made again."""


def current_client() -> Any:
    """The client that Dask computes with here, or None."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


def lasting_client() -> Any:
    """The client that Dask computes with outside of ``with client.as_current()``, or None."""
    return Context().run(current_client)


def brought_home(factor: Any) -> Array:
    """A factor that a cluster holds, as an array here."""
    try:
        return np.asarray(factor)
    except Exception as error:  # Dask's own, which differ by what is gone
        raise Lost(GONE) from error


def losses() -> tuple[type[BaseException], ...]:
    """What is raised when a worker was lost on the way."""
    from distributed.client import FutureCancelledError, FuturesCancelledError
    from distributed.comm import CommClosedError

    return FutureCancelledError, FuturesCancelledError, CommClosedError, TimeoutError


def gathered(client: Any, futures: Any) -> Any:
    """What the futures hold, here; a cluster that has no workers any more is not waited for without end."""
    from distributed import KilledWorker, wait

    while True:
        try:
            with client.as_current():
                wait(futures, timeout=LOOK)
        except TimeoutError:
            wait_for_a_worker(client)
            continue
        try:
            return client.gather(futures)
        except KilledWorker:
            raise Lost(KILLED) from None


def wait_for_a_worker(client: Any) -> None:
    """Come back as soon as there is a worker."""
    end = time.monotonic() + PATIENCE
    try:
        while not client.nthreads():
            if time.monotonic() > end:
                raise Lost(DESERTED.format(PATIENCE))
            time.sleep(LOOK / 10)
    except OSError:  # the scheduler is gone
        raise Lost(RESTARTED) from None
