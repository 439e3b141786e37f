#!/usr/bin/env python3
"""Prints results/tuning/own_spaces.txt: how good searches are on four spaces of this project that were measured whole
on an H200 (results/tuning/nvidia-h200, made by tune_gpu.sh and tune_thin.py).

Usage: own_spaces.py SIMULATION [PYTHON]: the program tune_simulation, and a Python that has Kernel Tuner. Without the
latter the last table is left out.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent.parent / "results/tuning/nvidia-h200"
SECONDS = {"workload_convolution": 75.6, "workload_gemm": 68.1, "file_convolution": 136, "file_product": 151}
SEEDS = "401-460"


def rows_of(name):
    with open(KEPT / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def searches():
    yield "| space | seed | bench | seconds | of the exhaustive time | looked at | slower than the best |"
    yield "| --- | ---: | --- | ---: | ---: | ---: | ---: |"
    for one in rows_of("searches"):
        space = rows_of(one["space"])
        best = dict(axis.rsplit(" ", 1) for axis in one["best"].split(", "))
        [time] = [float(row["q50"]) for row in space
                  if all(row.get(axis, value) == value for axis, value in best.items())]
        least = min(float(row["q50"]) for row in space if row["q50"])
        share = 100 * float(one["seconds"]) / SECONDS[one["space"]]
        yield (f"| {one['space']} | {one['seed']} | {one['bench']} | {one['seconds']} "
               f"| {share:.0f} % | {100 * int(one['looked']) / len(space):.1f} % "
               f"| {100 * (time / least - 1):.1f} % |")


def said(*words):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout.splitlines()


def lines(simulation, python):
    files = [KEPT / f"{name}.csv" for name in SECONDS]
    yield from f"""\
Four spaces of this project, all of whose configurations were measured on an H200 (driver 580.159.04): two workloads
and the two kernel files of configs/. tests/studies/tune_gpu.sh measured them, and searched in them;
tests/studies/own_spaces.py prints this page from what nvidia-h200/ keeps.

Exhaustive runs: workload_convolution 75.6 s and workload_gemm 68.1 s (two processes each, bench f2d55285);
file_convolution 136 s and file_product 151 s with compiling (one process each, bench 35774e94).

1. Searches on the H200. Workloads: --budget 20s. Files: --budget 14s. The best is the fastest of one exhaustive run, so
   luck makes losses look larger. At f2d55285 and 35774e94 a process looked at eight configurations at most, and the
   model, trees, began after about 30 looks: the searches of kernel files were almost chance. At 2f426cdf the model is a
   Gaussian process.
""".splitlines()
    yield ""
    yield from searches()
    yield from ("", "2. Simulated searches that may look at a tenth of the space: tune_simulation",
                "   The rules were chosen on 11 spaces of the hub (docs/experiment-files.md), but how many finalists "
                "are measured",
                f"   also after misses in workload_convolution with these seeds, {SEEDS}.",
                "")
    yield from said(simulation, "--seeds", SEEDS, *files)
    yield from ("", "3. Simulated searches that may look at 3.5 % of it, as many as the searches of kernel files did: "
                "tune_simulation", "   --share 0.035", "")
    yield from said(simulation, "--seeds", SEEDS, "--share", 0.035, *files)
    if not python:
        return
    yield from ("", "4. Kernel Tuner's simulation mode, as many evaluations as in 2: tune_simulation --write DIR "
                "FILES; then", "   tune_against_kernel_tuner.py DIR 20", "")
    with tempfile.TemporaryDirectory() as folder:
        said(simulation, "--write", folder, *files)
        yield from said(python, HERE / "tune_against_kernel_tuner.py", folder, 20)


def main(arguments):
    for line in lines(arguments[0], arguments[1] if arguments[1:] else None):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
