"""The way to a cluster by the address of its scheduler."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 5.0
"""Seconds that a scheduler and its first worker are waited for."""


@contextmanager
def connected(address: str, patience: float = PATIENCE) -> Iterator[Any]:
    """A client of the scheduler at an address such as tcp://host:8786; one that does not answer is refused soon."""
    try:
        from distributed import Client  # imported late: only clusters need it
    except ImportError:
        raise ValueError("Working on a cluster needs Dask: pip install 'partwise[dask]'.") from None
    logging.getLogger("distributed").setLevel(logging.ERROR)  # its notes on the way are not for our users
    try:
        client = Client(address, timeout=patience)
    except (OSError, TimeoutError):
        raise ConnectionError(
            f"No Dask scheduler answers at {address} within {patience:g} seconds; start one with `dask scheduler`, or "
            "give its address as host:port."
        ) from None
    except (ValueError, TypeError):
        raise ValueError(f"{address!r} is not the address of a scheduler, such as tcp://host:8786.") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=patience)
        except TimeoutError:
            raise ConnectionError(
                f"The Dask scheduler at {address} has no workers; start some with `dask worker {address}`."
            ) from None
        yield client
