#!/usr/bin/env python3
"""Whether 'at most' holds: at_most.py BENCH OUT [ROUNDS]. Takes a GPU, nvcc and PyTorch.

Records each program of tests/studies/at_most with bench inspect, then times it with and without the change that the
report advises for a finding, in turn. Prints what the finding said a step would save at most beside what it saved:
median over the rounds, with the least and the most. Reports and recordings are left in the folder OUT.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

# program -> way that it is run, the finding whose advice that follows
WAYS = {
    "train": {"foreach": "many-small-kernels", "pinned": "exposed-copies", "loaders": "host-bound"},
    "generate": {"graph": "many-small-kernels"},
    "graph_network": {"pinned": "exposed-copies", "unread": "host-bound"},
    "steps": {"once": "allocation-in-loop", "pinned": "exposed-copies"},
}
HERE = Path(__file__).with_name("at_most")


def command_of(program, out):
    if program != "steps":
        return ["python3", str(HERE / f"{program}.py")]
    built = out / "steps"
    if not built.exists():
        subprocess.run(["nvcc", "-O2", "-arch=native", "-o", built, HERE / "steps.cu"], check=True, timeout=120)
    return [str(built)]


def findings_of(recording):
    """Milliseconds of a step that each finding costs at most."""
    kept = json.loads(recording.read_text())
    step_ms = 1e3 * statistics.mean(kept["steps"]["lengths_s"])
    return {one["id"]: one["gain"] * step_ms for one in reversed(kept["findings"])}


def rows_of(bench, out, program, rounds):
    command = command_of(program, out)
    recording = out / f"{program}.json"
    subprocess.run([bench, "inspect", "--out", recording, "--out", out / f"{program}.txt", "--", *command, "run"],
                   check=True, timeout=90, stdout=subprocess.DEVNULL)
    at_most = findings_of(recording)
    timed = subprocess.run([*command, "time", str(rounds)], check=True, timeout=120, text=True, stdout=subprocess.PIPE)
    times = {}
    for line in timed.stdout.splitlines():
        way, ms = line.split()
        times.setdefault(way, []).append(float(ms))
    for way, finding in WAYS[program].items():
        saved = sorted(a - b for a, b in zip(times["base"], times[way]))
        said = f"{at_most[finding]:.2f}" if finding in at_most else "-"
        yield (f"{program:14} {way:8} {finding:20} {statistics.median(times['base']):8.2f} {said:>8} "
               f"{statistics.median(saved):8.2f}  {saved[0]:.2f} to {saved[-1]:.2f}")


def main():
    bench, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    out.mkdir(parents=True, exist_ok=True)
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], check=True,
                         text=True, stdout=subprocess.PIPE).stdout.splitlines()[0]
    print(f"tests/studies/at_most.py on {gpu}: ms of a step, {rounds} rounds\n")
    print(f"{'program':14} {'change':8} {'finding':20} {'a step':>8} {'at most':>8} {'saved':>8}  least to most")
    failed = False
    for program in WAYS:
        try:
            for row in rows_of(bench, out, program, rounds):
                print(row, flush=True)
        except (subprocess.SubprocessError, KeyError, ValueError) as error:
            print(f"{program:14} failed: {error!r}", flush=True)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
