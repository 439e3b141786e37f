#!/usr/bin/env python3
"""Convolves an image with a 13 x 13 mask, one thread a pixel.

    convolution.py double   the sum begins as 0, which Numba takes for a double
    convolution.py float    it begins as a float32
"""

import sys

import numpy as np

if not hasattr(np, "row_stack"):  # numba 0.60 asks for it, numpy 2.3 has it no more
    np.row_stack = np.vstack
from numba import cuda, float32


def kernel(zero):
    @cuda.jit
    def convolve(result, mask, image):
        row, column = cuda.grid(2)
        rows, columns = image.shape
        if row >= rows or column >= columns:
            return
        half_rows, half_columns = mask.shape[0] // 2, mask.shape[1] // 2
        total = zero()
        for i in range(mask.shape[0]):
            for j in range(mask.shape[1]):
                at_row, at_column = row - i + half_rows, column - j + half_columns
                if 0 <= at_row < rows and 0 <= at_column < columns:
                    total += mask[i, j] * image[at_row, at_column]
        result[row, column] = total

    return convolve


@cuda.jit(device=True)
def zero_double():
    return 0


@cuda.jit(device=True)
def zero_float():
    return float32(0)


def main():
    way = sys.argv[1] if len(sys.argv) > 1 else "double"
    random = np.random.default_rng(1)
    image = random.random((2048, 2048), np.float32)
    mask = random.random((13, 13), np.float32)
    mask /= mask.sum()
    result = np.empty_like(image)
    convolve = kernel(zero_double if way == "double" else zero_float)
    convolve[(64, 64), (32, 32)](result, mask, image)
    cuda.synchronize()
    # The middle pixel again, on the host.
    expected = (mask[::-1, ::-1] * image[1018:1031, 1018:1031]).sum()
    print(f"{way}: off by {abs(result[1024, 1024] - expected):.1e}")


main()
