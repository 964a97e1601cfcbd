"""The product of a dense matrix with a factor of a few columns, which BLAS makes at half the speed or less."""

import numpy as np

from partwise.kernels.jit import sums_jit
from partwise.types import Array

FEW = range(2, 9)
"""The columns of a factor for which the kernel is faster (AVX2, from 200 × 200 to 4,000 × 3,000)."""


def few_columns(matrix: Array, factor: Array, lo: int, hi: int, out: Array) -> None:
    """out = A[lo:hi] · factor for a C-ordered A; a row has the same bits wherever it stands."""
    _few_columns(matrix, np.ascontiguousarray(factor.T), lo, hi, out)


@sums_jit
def _few_columns(matrix, columns, lo, hi, out):
    """Four rows at a time; where there are fewer left the last one stands in for the others."""
    for i in range(lo, hi, 4):
        second, third, fourth = min(i + 1, hi - 1), min(i + 2, hi - 1), min(i + 3, hi - 1)
        a, b, e, f = matrix[i], matrix[second], matrix[third], matrix[fourth]
        for c in range(len(columns)):
            x = columns[c]
            p = q = r = s = matrix.dtype.type(0)
            for j in range(len(x)):
                p += a[j] * x[j]
                q += b[j] * x[j]
                r += e[j] * x[j]
                s += f[j] * x[j]
            out[i - lo, c], out[second - lo, c], out[third - lo, c], out[fourth - lo, c] = p, q, r, s
