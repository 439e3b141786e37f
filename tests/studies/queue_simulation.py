#!/usr/bin/env python3
"""How long a study takes by the number of its shards, in simulation.

    python3 tests/studies/queue_simulation.py

2,000 cases whose seconds are log-normal (median 5, sigma 1) are divided as bench does it, by estimates that are wrong
by a log-normal factor (sigma 0.5: half or twice as long is usual). The shards wait in one queue; each of 64 nodes takes
the next when it is free, and needs 10 s to begin. Times are over the least possible, all work evenly on all nodes."""

import heapq
import random

NODES = 64
CASES = 2000
BEGIN_S = 10
STUDIES = 200


def shards_of(estimates, count):
    """The heaviest first, each to the shard that has least."""
    loads = [(0, shard) for shard in range(count)]
    heapq.heapify(loads)
    shards = [[] for _ in range(count)]
    for case in sorted(range(len(estimates)), key=lambda i: -estimates[i]):
        load, shard = heapq.heappop(loads)
        shards[shard].append(case)
        heapq.heappush(loads, (load + estimates[case], shard))
    return shards


def makespan(seconds, estimates, count):
    free = [0.0] * NODES
    for shard in shards_of(estimates, count):
        heapq.heappush(free, heapq.heappop(free) + BEGIN_S + sum(seconds[case] for case in shard))
    return max(free)


def main():
    print("| shards of a node | makespan, mean of 200 studies | worst |\n| ---: | ---: | ---: |")
    for per_node in (1, 2, 3, 4, 6, 8, 16):
        ratios = []
        for study in range(STUDIES):
            dice = random.Random(study)
            seconds = [5 * dice.lognormvariate(0, 1) for _ in range(CASES)]
            estimates = [s * dice.lognormvariate(0, 0.5) for s in seconds]
            ratios.append(makespan(seconds, estimates, per_node * NODES) / (sum(seconds) / NODES))
        print(f"| {per_node} | {sum(ratios) / len(ratios):.2f} | {max(ratios):.2f} |")


if __name__ == "__main__":
    main()
