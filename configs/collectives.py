"""Collectives of NCCL through PyTorch, in the table that nccl-tests prints (one process a GPU, by torchrun).

    torchrun --standalone --nproc-per-node 4 collectives.py --collective all_reduce --from 1024 --to 2^32

The time of a size is that of the slowest rank: a loop of calls between two events, after a warm-up. Bus bandwidth is
algorithm bandwidth times 2 (n - 1) / n for all_reduce, else (n - 1) / n (PERFORMANCE.md of nccl-tests). Every result is
held against the right values. A size is that of the larger array of a rank, in bytes.
"""

import argparse
import math
import os

import torch
import torch.distributed as dist

TITLES = """\
# Collective test starting: {name}
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)"""
ABSENT = ("N/A", "N/A", "N/A", "N/A")


def whole(text):
    """A count: 1024 or 2^32."""
    base, _, power = text.partition("^")
    return int(base) ** int(power) if power else int(text)


class Collective:
    """One collective at one size: `call` runs it, `wrong` counts the values of its output that are not right."""

    def __init__(self, name, values, ranks, rank):
        self.name, self.ranks, self.rank = name, ranks, rank
        part = values // ranks
        if name == "all_reduce":
            self.output = self.input = torch.full((values,), float(rank + 1), device="cuda")
        elif name == "all_gather":
            self.input = torch.full((part,), float(rank + 1), device="cuda")
            self.output = torch.zeros(part * ranks, device="cuda")
        else:
            self.input = torch.full((part * ranks,), float(rank + 1), device="cuda")
            self.output = torch.zeros(part * ranks, device="cuda")

    def call(self):
        if self.name == "all_reduce":
            # The largest value stays what it is, so that calls can be repeated without an overflow.
            dist.all_reduce(self.output, op=dist.ReduceOp.MAX)
        elif self.name == "all_gather":
            dist.all_gather_into_tensor(self.output, self.input)
        else:
            dist.all_to_all_single(self.output, self.input)

    def wrong(self):
        if self.name == "all_reduce":
            return int((self.output != self.ranks).sum())
        parts = self.output.view(self.ranks, -1)
        wanted = torch.arange(1, self.ranks + 1, device="cuda", dtype=parts.dtype)
        return int((parts != wanted[:, None]).sum())

    def factor(self):
        return (2 if self.name == "all_reduce" else 1) * (self.ranks - 1) / self.ranks


def slowest(value):
    """The largest of all ranks' values."""
    tensor = torch.tensor([float(value)], device="cuda")
    dist.all_reduce(tensor, op=dist.ReduceOp.MAX)
    return tensor.item()


def measure(test, size):
    """Seconds of a call, and wrong values, of the slowest rank and the worst."""
    for _ in range(5):
        test.call()
    calls = max(5, min(200, (1 << 31) // max(size, 1)))
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    dist.barrier()
    begin.record()
    for _ in range(calls):
        test.call()
    end.record()
    torch.cuda.synchronize()
    return slowest(begin.elapsed_time(end) / 1e3 / calls), int(slowest(test.wrong()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--collective", choices=["all_reduce", "all_gather", "all_to_all"], default="all_reduce")
    parser.add_argument("--from", dest="first", type=whole, default=1024)
    parser.add_argument("--to", dest="last", type=whole, default=1 << 32)
    arguments = parser.parse_args()

    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl")
    ranks = dist.get_world_size()
    if rank == 0:
        print(TITLES.format(name=arguments.collective), flush=True)
    in_place = arguments.collective == "all_reduce"
    steps = int(math.log(arguments.last / arguments.first, 4) + 1e-9)
    for step in range(steps + 1):
        size = arguments.first * 4**step
        test = Collective(arguments.collective, size // 4, ranks, rank)
        seconds, wrong = measure(test, size)
        rate = size / seconds / 1e9
        numbers = (f"{seconds * 1e6:.2f}", f"{rate:.2f}", f"{rate * test.factor():.2f}", str(wrong))
        cells = [*ABSENT, *numbers] if in_place else [*numbers, *ABSENT]
        if rank == 0:
            operation = "max" if in_place else "none"
            print(size, size // 4, "float", operation, -1, *cells, flush=True)
        del test
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
