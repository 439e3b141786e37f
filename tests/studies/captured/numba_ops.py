"""Sums of columns by one thread each, in Numba."""
import numpy as np

np.row_stack = np.vstack  # older versions of Numba ask for it
from numba import cuda  # noqa: E402


@cuda.jit
def column_sums(values, out):
    column = cuda.grid(1)
    total = np.float32(0)
    for row in range(values.shape[0]):
        total += values[row, column]
    out[column] = total


values = cuda.to_device(np.random.default_rng(0).random((2048, 65536), dtype=np.float32))
sums = cuda.device_array(65536, np.float32)
for _ in range(12):
    column_sums[256, 256](values, sums)
cuda.synchronize()
