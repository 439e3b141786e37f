#!/usr/bin/env python3
"""Normalises an array on the GPU: sums it, then divides it by its sum. Four ways, from one to the next.

    streams.py pageable     everything in one stream, from ordinary memory
    streams.py pinned       the same from pinned memory
    streams.py repeated N   N parts in "N streams", which are one stream N times
    streams.py streams N    N parts in N streams
"""

import sys

import numpy as np

if not hasattr(np, "row_stack"):  # numba 0.60 asks for it, numpy 2.3 has it no more
    np.row_stack = np.vstack
from numba import cuda, float32

from marks import marked

BLOCKS, THREADS = 1280, 256


@cuda.jit
def sum_parts(values, parts):
    """Each block leaves the sum of its share."""
    shared = cuda.shared.array(THREADS, float32)
    lane = cuda.threadIdx.x
    mine = float32(0)
    for at in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        mine += values[at]
    shared[lane] = mine
    cuda.syncthreads()
    width = THREADS // 2
    while width > 0:
        if lane < width:
            shared[lane] += shared[lane + width]
        cuda.syncthreads()
        width //= 2
    if lane == 0:
        parts[cuda.blockIdx.x] = shared[0]


@cuda.jit
def add_up(parts, total):
    """One thread adds what the blocks have left."""
    total[0] = float32(0)
    for part in parts:
        total[0] += part


@cuda.jit
def divide(values, total):
    for at in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        values[at] /= total[0]


def sums(values, stream, repeats):
    parts = cuda.device_array(BLOCKS, np.float32, stream=stream)
    total = cuda.device_array(1, np.float32, stream=stream)
    for _ in range(repeats):
        sum_parts[BLOCKS, THREADS, stream](values, parts)
        add_up[1, 1, stream](parts, total)
    return total


def compile_kernels():
    values = cuda.device_array(BLOCKS, np.float32)
    total = sums(values, 0, 1)
    divide[BLOCKS, THREADS](values, total)
    cuda.synchronize()


def whole(array):
    device = cuda.to_device(array)
    divide[BLOCKS, THREADS](device, sums(device, 0, 1))
    device.copy_to_host(array)


def in_parts(array, streams, repeats):
    pieces = np.array_split(array, len(streams))
    hosts = [cuda.pinned_array(1, np.float32) for _ in streams]
    with cuda.defer_cleanup():
        devices = []
        for number, (piece, stream, host) in enumerate(zip(pieces, streams, hosts)):
            with marked(f"sum {number}"):
                devices.append(cuda.to_device(piece, stream=stream))
                sums(devices[-1], stream, repeats).copy_to_host(host, stream=stream)
        cuda.synchronize()
        total = cuda.to_device(np.sum(hosts, axis=0, dtype=np.float32))
        for number, (piece, stream, device) in enumerate(zip(pieces, streams, devices)):
            with marked(f"divide {number}"):
                divide[BLOCKS, THREADS, stream](device, total)
                device.copy_to_host(piece, stream=stream)
        cuda.synchronize()


def main():
    way = sys.argv[1] if len(sys.argv) > 1 else "pageable"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    size, repeats = 50_000_000, 25
    array = np.empty(size, np.float32) if way == "pageable" else cuda.pinned_array(size, np.float32)
    array[:] = 1
    compile_kernels()
    with marked("normalize"):
        if way in ("pageable", "pinned"):
            whole(array)
            cuda.synchronize()
        elif way == "repeated":
            in_parts(array, [cuda.stream()] * count, repeats)
        else:
            in_parts(array, [cuda.stream() for _ in range(count)], repeats)
    print(f"{way}: the sum is {array.sum(dtype=np.float64):.4f}")


main()
