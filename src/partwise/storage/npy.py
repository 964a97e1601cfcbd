"""The header of an .npy file or of a member of an .npz archive, read without its numbers."""

from __future__ import annotations

from typing import IO, Any

import numpy as np


def read_npy_header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """(shape, dtype), after which ``file`` stands at the first number; an array of objects is refused."""
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
    except Exception:  # the header is a Python literal, and a damaged one can raise nearly anything
        raise ValueError("its header is damaged.") from None
    if dtype.hasobject:
        raise ValueError("it holds objects, not numbers.")
    return tuple(map(int, shape)), np.dtype(dtype)
