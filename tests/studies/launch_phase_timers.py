#!/usr/bin/env python3
"""What the phase of a launch does to timers that people use: a loop of events in PyTorch, and Triton's do_bench.

    python3 tests/studies/launch_phase_timers.py > timers.txt     # needs a GPU, torch and triton

A line is TIMER|WORK|MEDIANS: twelve medians, us, with one more launch before each of them. The works are one to four
kernels over 2^20 floats.
"""
import statistics

import torch
import triton.testing

VALUES = torch.rand(1 << 20, device="cuda")
OUT = torch.empty_like(VALUES)
FLUSH = torch.empty(1 << 26, dtype=torch.int32, device="cuda")
ONE_MORE = torch.zeros(1, device="cuda")


def kernels(count):
    def work():
        torch.mul(VALUES, 2, out=OUT)
        for _ in range(count - 1):
            torch.add(OUT, 1, out=OUT)
    return work


def by_events(work, samples=100):
    """Flushes, records an event, works, records an event; as it is often written."""
    starts = [torch.cuda.Event(enable_timing=True) for _ in range(samples)]
    stops = [torch.cuda.Event(enable_timing=True) for _ in range(samples)]
    for start, stop in zip(starts, stops):
        FLUSH.zero_()
        start.record()
        work()
        stop.record()
    torch.cuda.synchronize()
    return 1e3 * statistics.median(start.elapsed_time(stop) for start, stop in zip(starts, stops))


def by_triton(work):
    return 1e3 * triton.testing.do_bench(work, warmup=5, rep=30, return_mode="median")


for timer, measure in (("events of PyTorch", by_events), ("triton.testing.do_bench", by_triton)):
    for count in range(1, 5):
        work = kernels(count)
        work()
        medians = []
        for _ in range(12):
            medians.append(measure(work))
            ONE_MORE.add_(1)
        print(f"{timer}|{count} kernel{'s' if count > 1 else ''}|" + "".join(f" {value:.3f}" for value in medians),
              flush=True)
