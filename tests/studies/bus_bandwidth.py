#!/usr/bin/env python3
"""Times collectives of PyTorch with CUDA events, to be held against the bus bandwidth of `bench inspect`:

    bench inspect -- torchrun --nproc_per_node 2 tests/studies/bus_bandwidth.py

Prints for each collective its size, the median time of 12 calls, and the bus bandwidth with nccl-tests' factor (see
PERFORMANCE.md of nccl-tests). Needs two GPUs or more of one machine.
"""
import os
import statistics

import torch
import torch.distributed as dist

VALUES = 64 << 20
CALLS = 12


def main():
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl")
    ranks = dist.get_world_size()
    one = torch.ones(VALUES, device="cuda")
    all_parts = torch.empty(VALUES * ranks, device="cuda")
    part = torch.empty(VALUES // ranks, device="cuda")

    def to_the_next():
        send = dist.P2POp(dist.isend, one, (rank + 1) % ranks)
        receive = dist.P2POp(dist.irecv, all_parts[:VALUES], (rank - 1) % ranks)
        for work in dist.batch_isend_irecv([send, receive]):
            work.wait()

    size = 4 * VALUES  # bytes
    others = (ranks - 1) / ranks
    calls = {
        "all-reduce": (lambda: dist.all_reduce(one), size, 2 * others),
        "all-gather": (lambda: dist.all_gather_into_tensor(all_parts, one), size * ranks, others),
        "reduce-scatter": (lambda: dist.reduce_scatter_tensor(part, one), size, others),
        "broadcast": (lambda: dist.broadcast(one, 0), size, 1),
        "send and receive": (to_the_next, size, 1),
    }
    for call, _, _ in calls.values():
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    times = {name: [] for name in calls}
    for step in range(CALLS):
        torch.cuda.nvtx.range_push(f"step {step}")
        for name, (call, _, _) in calls.items():
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            call()
            end.record()
            torch.cuda.synchronize()
            times[name].append(begin.elapsed_time(end) * 1e-3)
        torch.cuda.nvtx.range_pop()
    if rank == 0:
        for name, (_, message, factor) in calls.items():
            seconds = statistics.median(times[name])
            print(f"{name}: {message >> 20} MiB, {seconds * 1e3:.3f} ms, {message / seconds * factor / 1e9:.0f} GB/s")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
