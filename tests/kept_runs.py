"""A short run that is kept in a file, the same broken off after some iterations, and what it means to be the same."""

import os

import numpy as np
import pytest
from planted import planted

import partwise as pw
from partwise.engine.checkpoint import Checkpoint

A = planted(60, 44, 4, seed=3, noise=0.5)
A[:, 7] = A[11] = 0
RULES = [pw.Stationarity(1e-9, every=3), pw.Angle(1e-9), pw.MaxIterations(14)]


class Killed(BaseException):
    """What ends a run here: nothing catches it, as nothing catches SIGKILL."""


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    """These kills spare the system, so what it has in memory need not reach the disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def call(path=None, matrix=A, **settings):
    """A short run, kept in ``path`` after every iteration."""
    given = {"rank": 4, "algorithm": "als-hals", "init": "random-acol", "stop": RULES, "seed": 5, "every": 1} | settings
    return pw.factorize(matrix, checkpoint=path, **given)


def broken(monkeypatch, path, at, **settings):
    """The same run, killed right after iteration ``at`` of whatever is running was kept; True if it came to that."""
    ticks = iter(range(1, 10_000))
    whole = Checkpoint.tick

    def tick(self, state):
        whole(self, state)
        if next(ticks) == at:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "tick", tick)
        try:
            call(path, **settings)
        except Killed:
            return True
    return False


def assert_same(one, two):
    """The same bits in everything but the time it took."""
    assert np.array_equal(one.w, two.w)
    assert np.array_equal(one.h, two.h)
    for name in ("iteration", "error", "angle", "kkt"):
        assert np.array_equal(one.history[name], two.history[name], equal_nan=True), name
    assert one.reason is two.reason
    assert one.restarts == two.restarts
    assert one.algorithm == two.algorithm
    for name in (
        "relative_error",
        "kkt",
        "angles",
        "seed",
        "iterations",
        "returned",
        "reseeded",
        "w",
        "h",
        "svd_ratio",
    ):
        assert getattr(one.certificate, name) == getattr(two.certificate, name), name
    assert one.certificate.start.error == two.certificate.start.error
