"""Arrays that begin with a cache line."""

import numpy as np
import pytest

from partwise.kernels import memory


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (0, 4), (7, 2, 9), (40_000, 3)])
def test_arrays_begin_with_a_cache_line(shape, dtype):
    """And are as numpy's own: contiguous, writable, of the shape and precision that are asked for, zero where asked."""
    for make in (memory.empty, memory.zeros):
        for array in [make(shape, dtype) for _ in range(5)]:
            assert array.ctypes.data % memory.LINE == 0 or not array.size
            assert (array.shape, array.dtype) == (shape, dtype)
            assert array.flags.c_contiguous
            assert array.flags.writeable
    assert not memory.zeros(shape, dtype).any()
