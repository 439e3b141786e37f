#!/usr/bin/env python3
"""What `bench history` costs on many files: wall time, peak memory, the lines of its summary and the size of its page.

    python3 tests/studies/history_cost.py build/host/benchmarks/bench --files 9000 --cases 20

The files are of Google Benchmark's form, one an hour. A third of the way one case of ten becomes 20 % slower."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path


def write(folder, files, cases):
    noise = random.Random(1)
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    for i in range(files):
        context = {"date": (start + timedelta(hours=i)).isoformat(), "host_name": "h", "num_cpus": 4,
                   "mhz_per_cpu": 3000, "library_build_type": "release", "commit": f"{i:012x}"}
        rows = []
        for case in range(cases):
            slower = 1.2 if case % 10 == 0 and i > files / 3 else 1
            ns = 1000 * (case + 1) * slower * noise.lognormvariate(0, 0.005)
            name = f"BM_Some<Type>/{case}/real_time"
            rows.append({"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1,
                         "repetition_index": 0, "threads": 1, "iterations": 69813, "real_time": ns, "cpu_time": ns,
                         "time_unit": "ns"})
        (folder / f"run{i:05}.json").write_text(json.dumps({"context": context, "benchmarks": rows}))


def measured(command, cwd):
    """Its seconds, peak MB and the lines that it printed."""
    out = cwd / "stdout"
    with out.open("w") as file:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=cwd, stdout=file)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) not in (0, 3, 4):
        sys.exit(f"{command} failed")
    return seconds, usage.ru_maxrss / 1000, len(out.read_text().splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("--files", type=int, default=9000)
    parser.add_argument("--cases", type=int, default=20)
    arguments = parser.parse_args()
    bench = str(Path(arguments.bench).resolve())
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        (work / "nightly").mkdir()
        write(work / "nightly", arguments.files, arguments.cases)
        print("| | seconds | peak memory, MB | lines | page, MB |\n| --- | ---: | ---: | ---: | ---: |")
        for what, more in (("history", []), ("history --out page.html", ["--out", "page.html"])):
            seconds, peak, lines = measured([bench, "history", "nightly", *more], work)
            page = work / "page.html"
            size = f"{page.stat().st_size / 1e6:.2f}" if page.exists() else "-"
            print(f"| `{what}` | {seconds:.1f} | {peak:.0f} | {lines} | {size} |", flush=True)


if __name__ == "__main__":
    main()
