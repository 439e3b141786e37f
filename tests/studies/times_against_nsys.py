#!/usr/bin/env python3
"""Holds the kernels and copies that --explain traces against what Nsight Systems records of the same work.

    python3 tests/studies/times_against_nsys.py BENCH CONFIG [--rounds N] [--nsys NSYS] [--keep FOLDER] [BENCH-ARGUMENT...]

A process has room for one profiler, so the two can't watch one run. What they watch is the same command line,
`BENCH --config CONFIG --in-process --trace-out ...`, by turns with and without `nsys profile` around it: under nsys
the program leaves tracing to it, and annotates, so that the traced run of each case is found in the recording by its
NVTX range. `BENCH inspect` reads the recording. Compared are, in every case:

  kernels  by name, grid and block: how many, exactly; median time of a launch
  copies   by direction, kinds of memory and bytes: how many, exactly; median rate

"ours/nsys" is the ratio of the medians over all rounds. "ours" and "nsys" beside it say how far the rounds of one
side lie apart, the largest less the smallest, over the median: what two recordings by one tool differ by. Ends with 1 where a
number, size or kind differs, and where a kernel's time differs by more than 2 % and by more than one of them from itself.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

TOLERANCE = 0.02
NOTE = "nothing traced: another profiler is attached"


def run(*command):
    print("+", *command, file=sys.stderr)
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):  # 3: an expectation was missed
        sys.exit(f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def bars_of(file):
    """Bars of a trace with the name of their track: (track, bar)."""
    events = json.loads(Path(file).read_text())["traceEvents"]
    tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    return [(tracks[e["pid"], e["tid"]], e) for e in events if e["ph"] == "X"]


def inside(inner, outer):
    return outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]


def our_windows(bars):
    return [(bar["name"], bar) for track, bar in bars if track == "cases"]


def nsys_windows(bars, cases):
    """Where each case was traced: the range "trace" within the case's own."""
    ranges = [bar for track, bar in bars if "NVTX" in track]
    traced = [bar for bar in ranges if bar["name"] == "apod:trace"]
    return [(case, bar) for case in cases for outer in ranges if outer["name"] == f"apod:{case}"
            for bar in traced if inside(bar, outer)]


def plain(kernel):
    """The name up to its parameters, which the two spell differently."""
    return kernel.replace("(anonymous namespace)", "<unnamed>").removeprefix("void ").split("(")[0]


def operations(bars, windows):
    """Case -> kind of operation -> times in us."""
    found = {case: defaultdict(list) for case, _ in windows}
    for track, bar in bars:
        args = bar.get("args", {})
        if not track.startswith("stream ") or "grid" not in args and "from" not in args:
            continue
        kind = (("kernel", plain(args["kernel"]), args["grid"], args["block"]) if "grid" in args else
                ("copy", bar["name"], args["from"], args["to"], args["bytes"]))
        for case, window in windows:
            if window["ts"] <= bar["ts"] <= window["ts"] + window["dur"]:
                found[case][kind].append(bar["dur"])
    return found


def ours(command, folder):
    run(*command, "--trace-out", folder / "ours.json")
    bars = bars_of(folder / "ours.json")
    return operations(bars, our_windows(bars))


def nsyss(command, nsys, bench, cases, folder):
    said = run(nsys, "profile", "--trace=cuda,nvtx", "--sample=none", "--cpuctxsw=none", "--force-overwrite=true",
               "--output", folder / "nsys", *command, "--trace-out", folder / "left.json")
    if said.count(NOTE) != 1:
        sys.exit(f"under nsys the program should say once that {NOTE}; it said:\n{said}")
    run(nsys, "export", "--type=sqlite", "--force-overwrite=true", "--output", folder / "nsys.sqlite",
        folder / "nsys.nsys-rep")
    run(bench, "inspect", folder / "nsys.sqlite", "--trace-out", folder / "nsys.json", "--out", folder / "nsys.txt")
    bars = bars_of(folder / "nsys.json")
    return operations(bars, nsys_windows(bars, cases))


def spread(values):
    return (max(values) - min(values)) / statistics.median(values)


def shown(kind):
    if kind[0] == "kernel":
        return f"{kind[1].replace('apod::', '')[-44:]} <{kind[2]}> <{kind[3]}>"
    return f"{kind[1]} {kind[2]} to {kind[3]}, {kind[4]:,} B"


def compare(mine, theirs):
    """Prints the comparison; how many things were compared and how many are off."""
    compared = off = 0
    for case in mine[0]:
        print(f"\n{case}\n  {'':<66} {'number':>7} {'ours':>11} {'nsys':>11}  ours/nsys    ours    nsys")
        rounds = [found.get(case, {}) for found in mine], [found.get(case, {}) for found in theirs]
        kinds = sorted({kind for side in rounds for found in side for kind in found}, key=str)
        for kind in kinds:
            compared += 1
            counts = {len(found.get(kind, [])) for side in rounds for found in side}
            if len(counts) > 1:
                off += 1
                print(f"  {shown(kind):<66} OFF: there are {sorted(counts)} of them")
                continue
            a, b = ([statistics.median(found[kind]) for found in side] for side in rounds)
            x, y, digits, unit = statistics.median(a), statistics.median(b), 3, "us"
            ratio = x / y
            if kind[0] == "copy":  # rates: bytes are equal, so times compare the other way round
                x, y, ratio, digits, unit = kind[4] / x / 1e3, kind[4] / y / 1e3, y / x, 2, "GB/s"
            wrong = kind[0] == "kernel" and abs(ratio - 1) > max(TOLERANCE, spread(a), spread(b))
            off += wrong
            print(f"  {shown(kind):<66} {counts.pop():>7} {x:>6.{digits}f} {unit:<4} {y:>6.{digits}f} {unit:<4} {ratio:>9.4f} "
                  f"{spread(a):>7.2%} {spread(b):>7.2%}{'  OFF' if wrong else ''}")
    return compared, off


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("config")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nsys", default="nsys")
    parser.add_argument("--keep", help="where recordings go, in place of a temporary folder")
    known, arguments = parser.parse_known_args()
    command = [known.bench, "--config", known.config, "--in-process", "-q", *arguments]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(known.keep or temporary).absolute()
        command += ["--out", folder / "r.json"]
        mine, theirs = [], []
        for _ in range(known.rounds):
            mine.append(ours(command, folder))
            theirs.append(nsyss(command, known.nsys, known.bench, mine[0], folder))
    compared, off = compare(mine, theirs)
    print(f"\n{compared} kinds of kernels and copies compared in {len(mine[0])} cases over {known.rounds} rounds, {off} off")
    return 1 if off or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
