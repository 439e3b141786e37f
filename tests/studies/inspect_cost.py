#!/usr/bin/env python3
"""What recording costs a program with very many launches: inspect_cost.py BENCH [ROUNDS]. Takes a GPU and nvcc.

Runs tests/studies/launches.cu alone and under bench inspect, in turn, five times each or ROUNDS times, and
prints the time of a launch, median with the least and the most.
"""

import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

COUNT = 50_000


def main():
    bench = Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    source = Path(__file__).with_name("launches.cu")
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/launches"
        subprocess.run(["nvcc", "-O2", "-arch=native", "-o", program, source], check=True)
        inspect = [bench, "inspect", "--out", f"{folder}/r.txt"]
        ways = {
            "alone": [],
            "recorded": [*inspect, "--"],
            "before --delay, 1 h": [*inspect, "--delay", "3600s", "--"],
            "outside --capture-range": [*inspect, "--capture-range", "never", "--"],
        }
        times = {way: [] for way in ways}
        for _ in range(rounds):
            for way, before in ways.items():
                run = subprocess.run([*before, program, str(COUNT)], check=True, text=True, stdout=subprocess.PIPE)
                times[way].append(float(re.match(r"([\d.]+) us a launch", run.stdout).group(1)))
        gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], check=True,
                             text=True, stdout=subprocess.PIPE).stdout.splitlines()[0]
    print(f"tests/studies/inspect_cost.py on {gpu}: an empty kernel, best of 5 times {COUNT} launches, {rounds} processes\n")
    print(f"{'':24}  us a launch  least to most")
    for way, all_times in times.items():
        print(f"{way:24}  {statistics.median(all_times):11.3f}  {min(all_times):.3f} to {max(all_times):.3f}")


main()
