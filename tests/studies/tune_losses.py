#!/usr/bin/env python3
"""How far searches on a device were from the best of the whole space, by the times of an exhaustive run.

Usage: tune_losses.py EXHAUSTIVE.json SECONDS SEARCH.json...: SECONDS is what the exhaustive run took, with compiling.
Beside each SEARCH.json lies SEARCH.md. tests/studies/tune_gpu.sh makes all of them.
"""

import json
import re
import statistics
import sys
from pathlib import Path


def times_of(result):
    """The median of the samples of each case."""
    samples = {}
    for one in result["benchmarks"]:
        if one["run_type"] == "iteration":
            samples.setdefault(one["name"], []).extend(one["apod"]["samples_s"])
    return {name: statistics.median(values) for name, values in samples.items() if values}


def has(name, axis, value):
    return (value if axis == "variant" else f"{axis}:{value}") in name.split("/")


def main(arguments):
    times = times_of(json.loads(Path(arguments[0]).read_text(encoding="utf-8")))
    best = min(times.values())
    for path in map(Path, arguments[2:]):
        seconds = json.loads(path.read_text(encoding="utf-8"))["context"]["apod"]["wall_s"]
        said = path.with_suffix(".md").read_text(encoding="utf-8")
        winner = re.search(r"\*\*Best: (.*?)\*\*", said)[1]
        axes = [axis.rsplit(" ", 1) for axis in winner.split(", ")]
        [time] = [time for name, time in times.items() if all(has(name, *axis) for axis in axes)]
        looked = re.search(r"Tried (\d+) of", said)[1]
        print(f"| {Path(arguments[0]).stem} | {re.search('seed ([0-9]+)', said)[1]} | {seconds:.1f} "
              f"| {100 * seconds / float(arguments[1]):.0f} % | {100 * int(looked) / len(times):.1f} % "
              f"| {100 * (time / best - 1):.1f} % |")


if __name__ == "__main__":
    main(sys.argv[1:])
