"""Arrays that begin where a cache line does: a vector of 64 bytes that lies across two lines takes twice as long."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from partwise.types import Array

LINE = 64
"""The bytes of a cache line."""


def empty(shape: Sequence[int], dtype: Any = np.float64) -> Array:
    """As ``np.empty``."""
    return _aligned(np.empty, shape, np.dtype(dtype))


def zeros(shape: Sequence[int], dtype: Any = np.float64) -> Array:
    """As ``np.zeros``."""
    return _aligned(np.zeros, shape, np.dtype(dtype))


def _aligned(make: Any, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    size = math.prod(shape) * dtype.itemsize
    memory = make(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    array: Array = memory[start : start + size].view(dtype).reshape(shape)
    return array
