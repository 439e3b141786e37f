#!/usr/bin/env python3
"""How often `bench tune` finds a good configuration of a command whose time is a formula with noise
(tune_command.yaml), in less than a tenth of the time that one process of each configuration takes. In the row `chance`
a search looks at as many rows by chance, once each, and then takes the truly best of the eight that seemed best.

Usage: tune_command.py BENCH [SEEDS] [--keep FILE]: FILE becomes the result of the exhaustive run, without noise.
"""

import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIG = Path(__file__).with_name("tune_command.yaml")
CLOSE = 0.02
NOISE = 0.01
BUDGET = 0.095  # of the exhaustive run: starting and writing come on top


def point_of(text):
    """The axes of an id or of a line of YAML, as text without the noise's."""
    pairs = re.findall(r'(\w+): ?"?([\w.]+)"?', text.replace("/", " "))
    return tuple(sorted((name, value) for name, value in pairs if name != "noise"))


def run(bench, folder, *words):
    done = subprocess.run([bench, *words, "--trust", "-q"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")


def exhaustive(bench, folder):
    """The time of each configuration without noise, and the seconds that all took."""
    begin = time.monotonic()
    run(bench, folder, "--config", str(CONFIG), "--set", "noise=0", "--set", "processes=1", "--out", "all.json")
    seconds = time.monotonic() - begin
    found = json.loads((folder / "all.json").read_text(encoding="utf-8"))["benchmarks"]
    return {point_of(one["name"]): one["real_time"] for one in found}, seconds


def by_chance(truth, looks, seed):
    chance = random.Random(seed)
    rows = chance.sample(sorted(truth), looks)
    rows.sort(key=lambda row: truth[row] * (1 + chance.gauss(0, NOISE)))
    return min(truth[row] for row in rows[:8])


def main(arguments):
    bench = str(Path(arguments[0]).resolve())
    keep = Path(arguments[arguments.index("--keep") + 1]) if "--keep" in arguments else None
    seeds = int(arguments[1]) if arguments[1:] and arguments[1] != "--keep" else 20
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth, seconds = exhaustive(bench, folder)
        if keep:
            keep.write_bytes((folder / "all.json").read_bytes())
        best = min(truth.values())
        close = sum(one <= (1 + CLOSE) * best for one in truth.values())
        losses = {"model": [], "chance": []}
        looks = []
        took = []
        for seed in range(1, seeds + 1):
            begin = time.monotonic()
            run(bench, folder, "tune", "--config", str(CONFIG), "--budget", f"{BUDGET * seconds:.2f}s",
                "--seed", str(seed), "--out", "r.yaml", "--out", "r.md", "--out", "r.json")
            took.append(time.monotonic() - begin)
            chosen = re.search(r"axes: \{(.*)\}", (folder / "r.yaml").read_text(encoding="utf-8")).group(1)
            losses["model"].append(truth[point_of(chosen)] / best - 1)
            said = (folder / "r.md").read_text(encoding="utf-8")
            looks.append(int(re.search(r"Tried \d+ .* in (\d+) measurements", said).group(1)))
            losses["chance"].append(by_chance(truth, looks[-1], seed) / best - 1)
    print("| space | valid | of them within 2 % | search | within 2 % | median loss | worst | measurements | of all "
          "| seconds | of an exhaustive run's |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for search, all_of_it in losses.items():
        mean = statistics.mean(looks)
        second = statistics.mean(took)
        print(f"| command | {len(truth)} | {close} | {search} | {sum(one <= CLOSE for one in all_of_it)} of {seeds} | "
              f"{100 * statistics.median(all_of_it):.1f} % | {100 * max(all_of_it):.1f} % | {mean:.0f} | "
              f"{100 * mean / len(truth):.1f} % | {second:.1f} | {100 * second / seconds:.1f} % |")


if __name__ == "__main__":
    main(sys.argv[1:])
