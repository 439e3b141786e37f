#!/usr/bin/env python3
"""The cases of configs/yardstick.yaml beside what others say of them on the same machine: a table in Markdown.

    python3 tests/studies/against_others.py FOLDER

FOLDER holds, measured one after the other on one GPU:

    bench --config yardstick.yaml --out FOLDER/cold.json
    bench --config yardstick.yaml --set cache=flushed --out FOLDER/flushed.json
    bare_loop > FOLDER/bare_loop.txt           # tests/studies/bare_loop.cu: a loop of events, nothing of the harness
    nvbench_yardstick --json FOLDER/nvbench.json

The last is tests/studies/nvbench_yardstick.cu, compiled and linked with an installed NVBench and its main.
"""
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "python"))
import apod_bench  # noqa: E402


def of_bench(file):
    """Case (kind, size) to the geometric mean of its processes' medians, us."""
    times = {}
    result = json.loads(file.read_text())
    cases = {case["index"]: case for case in apod_bench.cases_of(result)}
    for process in apod_bench.processes_of(result):
        case = cases[process["case_index"]]
        kind = "copy" if case["id"].startswith("copy") else "sum"
        times.setdefault((kind, case["params"]["size"]), []).append(process["median_s"] * 1e6)
    return {case: statistics.geometric_mean(medians) for case, medians in times.items()}


def of_bare_loop(file, cache):
    rows = (line.split() for line in file.read_text().splitlines())
    return {(kind, int(size)): float(time) for kind, size, kept, time in rows if kept == cache}


def of_nvbench(file):
    """Case to the median of its cold samples; to their mean where the file has no median, us."""
    times = {}
    for benchmark in json.loads(file.read_text())["benchmarks"]:
        for state in benchmark["states"]:
            if state.get("is_skipped"):
                continue
            size = next(int(axis["value"]) for axis in state["axis_values"] if axis["name"] == "size")
            summaries = {summary["tag"]: summary for summary in state["summaries"]}
            tag = next(tag for tag in ("nv/cold/time/gpu/median", "nv/cold/time/gpu/mean") if tag in summaries)
            value = next(d["value"] for d in summaries[tag]["data"] if d["name"] == "value")
            times[benchmark["name"], size] = float(value) * 1e6
    return times


def share(time, other):
    return f"{100 * (time / other - 1):+.2f} %" if other else ""


def main():
    folder = pathlib.Path(sys.argv[1])
    cold, flushed = of_bench(folder / "cold.json"), of_bench(folder / "flushed.json")
    bare_cold = of_bare_loop(folder / "bare_loop.txt", "cold")
    bare_flushed = of_bare_loop(folder / "bare_loop.txt", "flushed")
    nvbench = of_nvbench(folder / "nvbench.json")
    print("| case | cold | against the loop | flushed | against the loop | against NVBench |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for case in sorted(cold):
        kind, size = case
        name = f"{kind} of 2^{size.bit_length() - 1}"
        print(f"| {name} | {cold[case]:.4g} us | {share(cold[case], bare_cold.get(case))} "
              f"| {flushed[case]:.4g} us | {share(flushed[case], bare_flushed.get(case))} "
              f"| {share(flushed[case], nvbench.get(case))} |")


if __name__ == "__main__":
    main()
