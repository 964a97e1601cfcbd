"""Compiling is counted, told to those who watch, and does not leave the garbage collector off."""

import gc

import numba
import numpy as np
import pytest

import partwise as pw
from partwise import kernels
from partwise.kernels.compiling import compile_seconds, compiled_kernels, watched

kernels.load_compiler()  # which tells of what is compiled


def fresh(name="partwise.kernels.of_a_test"):
    """A kernel that has not been compiled."""

    def inner(x):
        return x + 1

    def outer(x):
        return compiled(x) * 2

    inner.__module__ = outer.__module__ = name
    compiled = numba.njit(inner)
    return numba.njit(outer)


def test_a_kernel_is_counted_once_with_what_it_is_made_of():
    """Its seconds, and two calls to whoever watches; a second call compiles nothing."""
    told, seconds, kernels = [], compile_seconds(), compiled_kernels()
    kernel = fresh()
    with watched(lambda busy: told.append((busy, gc.isenabled()))):
        assert kernel(1) == 4
        assert kernel(2) == 6
    assert told == [(True, False), (False, True)]
    assert gc.isenabled()
    assert compiled_kernels() == kernels + 1
    assert 0 < compile_seconds() - seconds < 60


def test_kernels_of_others_are_none_of_ours():
    """Whoever uses numba in the same process is not counted, and nobody is told."""
    told, kernels = [], compiled_kernels()
    with watched(told.append):
        fresh("somebody.else")(1)
        fresh(None)(1)  # a function made by exec
    assert not told
    assert compiled_kernels() == kernels


def test_a_collector_that_was_off_stays_off_and_an_error_turns_it_on():
    """As it was before, also where the kernel cannot be compiled."""
    gc.disable()
    try:
        fresh()(1)
        assert not gc.isenabled()
    finally:
        gc.enable()
    with pytest.raises(numba.TypingError):
        fresh()("a text")
    assert gc.isenabled()


def test_a_certificate_tells_compiling_apart(monkeypatch):
    """In its text, in JSON and after a round trip; nothing is said where nothing was compiled."""
    matrix = np.random.default_rng(0).random((9, 7))
    pw.factorize(matrix, 2, stop=pw.MaxIterations(2))
    warm = pw.factorize(matrix, 2, stop=pw.MaxIterations(2)).certificate
    assert warm.compiling == 0
    assert "compiling" not in str(warm)
    seconds = iter([1.0, 3.5])
    monkeypatch.setattr("partwise.engine.problem.compile_seconds", lambda: next(seconds))
    begun = pw.engine.problem.Clock(compiled_before=1.0)
    assert begun.compiling == 0.0
    assert begun.compiling == 2.5
    cold = pw.Certificate.from_dict(warm.as_dict() | {"compiling": 2.5, "seconds": 4.0})
    assert cold.as_dict()["compiling"] == 2.5
    assert "2 iterations, 4 s, 2.5 s of them compiling, once" in str(cold)
    old = warm.as_dict()
    del old["compiling"]
    assert pw.Certificate.from_dict(old) == warm
