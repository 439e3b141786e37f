#!/usr/bin/env python3
"""Holds the counters of `bench --counters` against those of Nsight Compute for the same kernels.

Runs the cases of an experiment file once under our own profiler and once, with --profile, under ncu,
which reads the same metrics (their names are taken from kernels/backends/cuda/counters/metrics.hpp).
Needs a GPU, ncu and c++filt on the PATH, and the permission to read counters. Take cases that launch one
kernel each: ncu empties the caches before every kernel, bench before every run.

Usage: counters_against_ncu.py BENCH CONFIG [BENCH-ARGUMENT...]
Prints each counter of each kernel, and ends with 1 where one is off by more than its tolerance: 2 % for
what is counted, 10 % for what follows the clock.
"""

import csv
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

METRICS = Path(__file__).resolve().parents[2] / "kernels/backends/cuda/counters/metrics.hpp"
ROW = re.compile(r'\{"(\w+)", "([\w.]+)", "[\w.]*", ([\de.-]+)\}')
BY_THE_CLOCK = {"duration", "dram_throughput", "issue_active", "tensor_active", "achieved_occupancy", "l2_hit_rate"}
SMALL = 1e-3  # shares below, and counts below one in a million of the largest, are all the same


def run(command):
    print("+", " ".join(map(str, command)), file=sys.stderr)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def key(name, grid, block):
    return name.replace(" ", ""), tuple(grid), tuple(block)


def ours(bench, config, arguments, folder):
    """Kernel -> counter -> value, of every case."""
    out = Path(folder) / "r.json"
    run([bench, "--config", config, *arguments, "--counters", "-q", "--processes", "1", "--out", out])
    found = {}
    result = json.loads(out.read_text())
    for measurement in [row["apod"] for row in result["benchmarks"]] + result["apod_untimed"]:
        for note in measurement["notes"]:
            if "counted" in note:
                print("note:", note, file=sys.stderr)
        for kernel in measurement.get("profile", {}).get("kernels", []):
            if "counters" in kernel:
                found[key(kernel["name"], kernel["grid"], kernel["block"])] = kernel["counters"]
    return found


def sizes(text):
    return [int(number) for number in re.findall(r"\d+", text)]


def ncus(bench, config, arguments, metrics, folder):
    """The same from ncu; of several launches of a kernel the mean."""
    text = run(["ncu", "--profile-from-start", "off", "--clock-control", "none", "--print-units", "base",
                "--print-kernel-base", "mangled", "--page", "raw", "--csv", "--metrics",
                ",".join(name for _, name, _ in metrics),
                bench, "--config", config, *arguments, "--profile", "--profile-runs", "1", "-q",
                "--out", Path(folder) / "r.profile.json"])
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    rows = [row for row in csv.DictReader(lines[start:]) if row["ID"]]
    names = subprocess.run(["c++filt"], input="\n".join(row["Kernel Name"] for row in rows), check=True,
                           stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = {}
    for row, name in zip(rows, names):
        values = found.setdefault(key(name, sizes(row["Grid Size"]), sizes(row["Block Size"])), {})
        for counter, metric, scale in metrics:
            if row.get(metric):
                values.setdefault(counter, []).append(float(row[metric].replace(",", "")) * scale)
    return {kernel: {counter: sum(all_) / len(all_) for counter, all_ in values.items()}
            for kernel, values in found.items()}


def main(arguments):
    if len(arguments) < 2 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    bench, config, *rest = arguments
    metrics = [(counter, name, float(scale)) for counter, name, scale in ROW.findall(METRICS.read_text())]
    assert len(metrics) == 22, "metrics.hpp is no longer written as this script reads it"
    with tempfile.TemporaryDirectory() as folder:
        mine = ours(bench, config, rest, folder)
        theirs = ncus(bench, config, rest, metrics, folder)
    off = compared = 0
    for kernel in sorted(mine.keys() & theirs.keys()):
        print(f"\n{kernel[0]}  grid {kernel[1]} block {kernel[2]}")
        largest = max(theirs[kernel].values())
        for counter, _, scale in metrics:
            if counter not in mine[kernel] or counter not in theirs[kernel]:
                print(f"  {counter:<22} only one of them has it")
                continue
            a, b = mine[kernel][counter], theirs[kernel][counter]
            floor = SMALL if scale == 0.01 else 0 if counter == "duration" else largest * 1e-6
            difference = 0 if max(abs(a), abs(b)) <= floor else abs(a - b) / max(abs(a), abs(b))
            wrong = difference > (0.10 if counter in BY_THE_CLOCK else 0.02)
            compared += 1
            off += wrong
            print(f"  {counter:<22} {a:>16.6g} {b:>16.6g}  {difference:7.2%}{'  OFF' if wrong else ''}")
    for kernel in sorted(mine.keys() ^ theirs.keys()):
        print(f"\nonly in {'bench' if kernel in mine else 'ncu'}: {kernel[0]} grid {kernel[1]}")
    print(f"\n{compared} counters compared, {off} off")
    return 1 if off or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
