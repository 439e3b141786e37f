#!/usr/bin/env python3
"""Makes matrices on the GPU and takes the squared differences of neighbours, with CuPy.

    matrices.py malloc   each array is a cudaMalloc and a cudaFree
    matrices.py pool     arrays come from CuPy's pool
    matrices.py fused    the same, and one kernel for each difference
"""

import sys

import cupy

from marks import marked


def squared_difference(x, y):
    return (x - y) * (x - y)


def main():
    way = sys.argv[1] if len(sys.argv) > 1 else "malloc"
    if way == "malloc":
        cupy.cuda.set_allocator(None)
    compute = cupy.fuse(squared_difference) if way == "fused" else squared_difference
    cupy.random.seed(1)
    first = cupy.random.random((1024, 1024))
    compute(first, first)  # compiles
    cupy.cuda.Device().synchronize()
    with marked("generate"):
        matrices = [cupy.random.random((1024, 1024)) for _ in range(50)]
        cupy.cuda.Device().synchronize()
    with marked("compute"):
        squares = [compute(x, y) for x, y in zip(matrices, matrices[1:])]
        cupy.cuda.Device().synchronize()
    print(f"{way}: {float(squares[0].mean()):.3f}")


main()
