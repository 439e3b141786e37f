#!/usr/bin/env python3
"""Makes what tune_gpu.sh measures small enough to be kept, for tune_simulation and own_spaces.py.

Usage: tune_thin.py space RESULT.json: one line a configuration, with the axes that differ, why it failed (empty: it did
not), and the quantiles of its samples in ns.
       tune_thin.py searches SPACE_SEED.json...: one line a search, with what it found. Beside each lies its .md.
"""

import csv
import json
import re
import statistics
import sys
from pathlib import Path

QUANTILES = ["q0", "q25", "q50", "q75", "q100"]


def quantiles(samples):
    parts = statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else samples * 3
    return [round(1e9 * one) for one in (min(samples), *parts, max(samples))]


def space(result):
    cases = {one["index"]: one["params"] for one in result["apod_cases"]}
    samples, failed = {}, {}
    for one in result["benchmarks"] + result["apod_failed"]:
        own = one.get("apod", one)
        if own["failed"]:
            failed[own["case_index"]] = own["stage"]
        samples.setdefault(own["case_index"], []).extend(own["samples_s"])
    first = next(iter(cases.values()))
    axes = [axis for axis in first if any(one.get(axis) != first[axis] for one in cases.values())]
    yield [*axes, "failed", *QUANTILES]
    for index in sorted(samples):
        said = [""] * len(QUANTILES) if index in failed else quantiles(samples[index])
        yield [*(cases[index].get(axis, "") for axis in axes), failed.get(index, ""), *said]


def searches(paths):
    yield ["space", "seed", "bench", "seconds", "looked", "best"]
    for path in paths:
        context = json.loads(path.read_text(encoding="utf-8"))["context"]["apod"]
        said = path.with_suffix(".md").read_text(encoding="utf-8")
        yield [path.stem.rsplit("_", 1)[0], re.search("seed ([0-9]+)", said)[1], context["commit"][:8],
               f"{context['wall_s']:.1f}", re.search(r"Tried (\d+) of", said)[1],
               re.search(r"\*\*Best: (.*?)\*\*", said)[1]]


def main(arguments):
    paths = [Path(one) for one in arguments[1:]]
    rows = searches(paths) if arguments[0] == "searches" else space(json.loads(paths[0].read_text(encoding="utf-8")))
    csv.writer(sys.stdout, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
