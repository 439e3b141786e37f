"""What the programs of at_most.py share: a step is run in several ways, the first of which is the one to be mended.

    PROGRAM.py run                  the first way alone, each step in an NVTX range: to be recorded
    PROGRAM.py time [ROUNDS]        all ways in turn; prints "WAY MILLISECONDS", the mean step of each round
    PROGRAM.py profile FILE         the first way under PyTorch's profiler: its table, and its trace in FILE
"""

import sys
import time

import torch

STEPS = 24
WARM = 6  # steps that are not timed


def steps_of(make, way, ranges=False):
    """Milliseconds of a step: the mean over those after the warm ones, because the host may run ahead of the device.
    `make(way)` returns a function of the number of the step."""
    step = make(way)
    begin = 0
    for i in range(STEPS):
        if i == WARM:
            torch.cuda.synchronize()
            begin = time.perf_counter()
        if ranges:
            torch.cuda.nvtx.range_push(f"step {i}")
        step(i)
        if ranges:
            torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    return 1e3 * (time.perf_counter() - begin) / (STEPS - WARM)


def profile(make, way, file):
    from torch.profiler import ProfilerActivity, profile as profiled
    step = make(way)
    for i in range(WARM):
        step(i)
    with profiled(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        for i in range(WARM, STEPS):
            with torch.profiler.record_function(f"step {i}"):
                step(i)
        torch.cuda.synchronize()
    print(profiler.key_averages().table(sort_by="self_cuda_time_total", row_limit=15, max_name_column_width=50))
    profiler.export_chrome_trace(file)


def main(make, ways):
    what = sys.argv[1] if len(sys.argv) > 1 else "run"
    if what == "run":
        print(f"{ways[0]} {steps_of(make, ways[0], ranges=True):.4f}")
    elif what == "profile":
        profile(make, ways[0], sys.argv[2])
    else:
        for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 5):
            for way in ways:
                print(f"{way} {steps_of(make, way):.4f}", flush=True)
