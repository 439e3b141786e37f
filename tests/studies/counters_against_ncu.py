#!/usr/bin/env python3
"""Holds the counters of `bench --counters` against those of Nsight Compute for the same kernels.

    python3 tests/studies/counters_against_ncu.py BENCH CONFIG [--rounds N] [--filter REGEX] [--limit SECONDS]
                                               [BENCH-ARGUMENT...]

Runs the cases of an experiment file N times under our own profiler and then, one case at a time, N runs of it
under ncu, which reads the same metrics (their names are taken from kernels/backends/cuda/counters/metrics.hpp). ncu is told
to work as bench does: it starts the program anew for each pass and leaves caches and clocks alone. Which case a kernel belongs to
is told by the NVTX range around it. Needs a GPU, ncu and c++filt on the PATH, and the permission to read counters. Every launch
of a case counts, so take few (--set compute_repeats=1).

Compared are medians, in two ways:
  counts (bytes, sectors, requests, instructions) and the duration differ by no more than 2 %
  shares (throughput, hit rate, occupancy, issue and tensor activity) by no more than 2 percentage points
or by no more than the runs of ncu differ among themselves, where that is more. "bench" and "ncu" beside the difference
are those spreads, largest less smallest. What the L2 and the device's memory count is of the whole device: with a kernel's
own traffic, what others left in the L2 to be written back. Of kernels that move less than the L2 holds it is shown and not
judged. Ends with 1 where a counter is off or only one of the two has it, or where nothing was compared.
"""

import argparse
import csv
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

METRICS = Path(__file__).resolve().parents[2] / "kernels/backends/cuda/counters/metrics.hpp"
ROW = re.compile(r'\{"(\w+)",\s*"([\w.]+)",\s*"([\w.]*)",\s*([\de.-]+)\}')
TOLERANCE = 0.02
OF_THE_DEVICE = {"dram_bytes_read", "dram_bytes_written", "dram_throughput", "l2_throughput", "l2_hit_rate"}
SHARE = 0.01  # the scale of metrics that are percentages


def run(command, limit):
    print("+", *command, file=sys.stderr, flush=True)
    try:
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode not in (0, 3):  # 3: an expectation was missed
        print(done.stdout[-2000:], file=sys.stderr)
    return done.stdout


def chip_metrics(limit):
    """Counter, the name of its metric on this chip, and its scale. Where ncu lists no metrics, the usual names."""
    rows = ROW.findall(METRICS.read_text())
    assert len(rows) == 30, "metrics.hpp is no longer written as this script reads it"
    known = set(re.findall(r"^(\w+)", run(["ncu", "--query-metrics"], limit) or "", re.MULTILINE))

    def knows(name):
        return name.split(".")[0] in known

    return [(counter, newer if newer and knows(newer) and not knows(name) else name, float(scale))
            for counter, name, newer, scale in rows]


def kernel_key(name, grid, block):
    return name.replace(" ", ""), tuple(grid), tuple(block)


def ours(bench, limit):
    """Case -> kernel -> counter -> value, and the bytes that the device's L2 holds."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "r.json"
        run([*bench, "--counters", "--processes", "1", "--out", out], limit)
        result = json.loads(out.read_text())
    for row in result["benchmarks"]:
        for note in row["apod"]["notes"]:
            if "counted" in note:
                print("note:", note, file=sys.stderr)
        for kernel in row["apod"].get("profile", {}).get("kernels", []):
            if "counters" in kernel:
                key = kernel_key(kernel["name"], kernel["grid"], kernel["block"])
                found.setdefault(row["name"], {})[key] = kernel["counters"]
    return found, result["context"]["apod"]["device"]["l2_bytes"]


def sizes(text):
    return [int(number) for number in re.findall(r"\d+", text)]


def ncus(bench, case, rounds, metrics, limit):
    """Kernel -> counter -> a value for each run; of a run's launches the mean."""
    with tempfile.TemporaryDirectory() as folder:
        text = run(["ncu", "--profile-from-start", "off", "--replay-mode", "application", "--cache-control", "none",
                    "--clock-control", "none", "--nvtx", "--print-units", "base", "--print-kernel-base", "mangled",
                    "--page", "raw", "--csv", "--metrics", ",".join(name for _, name, _ in metrics),
                    *bench, "--filter", f"^{re.escape(case)}$", "--profile", "--profile-runs", rounds,
                    "--out", Path(folder) / "r.profile.json"], limit)
    if text is None:
        print(f"ncu needed more than {limit} s for {case}", file=sys.stderr)
        return {}
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        print(f"ncu counted nothing of {case}:\n{text[-2000:]}", file=sys.stderr)
        return {}
    of_case = re.compile(re.escape(f":{case}:"))  # ranges are listed as thread:domain:range:payload...
    rows = [row for row in csv.DictReader(lines[start:])
            if row["ID"] and any(of_case.search(cell or "") for cell in row.values() if isinstance(cell, str))]
    names = subprocess.run(["c++filt"], input="\n".join(row["Kernel Name"] for row in rows), check=True,
                           stdout=subprocess.PIPE, text=True).stdout.splitlines()
    launches = defaultdict(list)
    for row, name in zip(rows, names):
        launches[kernel_key(name, sizes(row["Grid Size"]), sizes(row["Block Size"]))].append(row)
    found = {}
    for kernel, all_ in launches.items():
        each = len(all_) // rounds
        for counter, metric, scale in metrics:
            values = [float(row[metric].replace(",", "")) * scale for row in all_ if row.get(metric)]
            if each > 0 and len(values) == each * rounds:
                found.setdefault(kernel, {})[counter] = [
                    statistics.mean(values[i * each:(i + 1) * each]) for i in range(rounds)]
    return found


def spread(values, share):
    width = max(values) - min(values)
    return width if share else width / max(map(abs, values)) if width else 0


def compare(mine, theirs, metrics, l2_bytes):
    """Prints one kernel's counters; how many were judged and how many are off."""
    judged = off = 0
    moved = sum(statistics.median(theirs.get(counter, [0])) for counter in ("dram_bytes_read", "dram_bytes_written"))
    print(f"    {'counter':<22} {'bench':>14} {'ncu':>14} {'difference':>11} {'bench':>9} {'ncu':>9}")
    for counter, _, scale in metrics:
        a, b = mine.get(counter), theirs.get(counter)
        if not a and not b:
            print(f"    {counter:<22} {'neither has it':>29}")
            continue
        if not a or not b:
            print(f"    {counter:<22} {'only ' + ('bench' if a else 'ncu') + ' has it':>29}  OFF")
            judged += 1
            off += 1
            continue
        share = scale == SHARE
        x, y = statistics.median(a), statistics.median(b)
        difference = abs(x - y) if share or x == y else abs(x - y) / max(abs(x), abs(y))
        allowed = max(TOLERANCE, spread(b, share))
        judge = counter not in OF_THE_DEVICE or moved >= l2_bytes
        verdict = "" if difference <= allowed else "  OFF" if judge else "  not judged"
        judged += judge
        off += verdict == "  OFF"
        unit = "points" if share else "%"
        print(f"    {counter:<22} {x:>14.6g} {y:>14.6g} {100 * difference:>8.2f} {unit:<6} {100 * spread(a, share):>5.2f} "
              f"{100 * spread(b, share):>9.2f}{verdict}")
    return judged, off


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("config")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--filter", default="")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one run of the program or of ncu")
    known, arguments = parser.parse_known_args()
    metrics = chip_metrics(known.limit)
    bench = [known.bench, "--config", known.config, "-q", *arguments]
    wanted = ["--filter", known.filter] if known.filter else []
    cases = re.findall(r"^  (\S+)  \[", run([*bench, *wanted, "--dry-run"], known.limit), re.MULTILINE)
    mine = [ours([*bench, *wanted], known.limit) for _ in range(known.rounds)]
    l2_bytes = mine[0][1]
    mine = [found for found, _ in mine]
    judged = off = without = 0
    for case in cases:
        print(f"\n{case}")
        theirs = ncus(bench, case, known.rounds, metrics, known.limit)
        kernels = {kernel for found in mine for kernel in found.get(case, {})}
        without += not kernels or kernels != theirs.keys()
        for kernel in sorted(kernels | theirs.keys()):
            print(f"  {kernel[0]}  grid {kernel[1]} block {kernel[2]}")
            if kernel not in kernels or kernel not in theirs:
                print(f"    only {'ncu' if kernel in theirs else 'bench'} counted it")
                continue
            values = {counter: [found[case][kernel][counter] for found in mine
                                if counter in found.get(case, {}).get(kernel, {})] for counter, _, _ in metrics}
            here, wrong = compare(values, theirs[kernel], metrics, l2_bytes)
            judged += here
            off += wrong
        sys.stdout.flush()
    print(f"\n{judged} counters judged in {len(cases)} cases, medians of {known.rounds}: {off} off; "
          f"{without} cases whose kernels were not all counted by both")
    return 1 if off or without or not judged else 0


if __name__ == "__main__":
    sys.exit(main())
