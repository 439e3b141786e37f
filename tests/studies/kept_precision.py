#!/usr/bin/env python3
"""How many cases have the precision that was asked for: printed intervals over `precision`, as a histogram in Markdown.

    python3 tests/studies/kept_precision.py BENCH (FOLDER | RATIOS.txt)...
    python3 tests/studies/kept_precision.py --list BENCH FOLDER > RATIOS.txt

A column for each folder of result files, or for a list that was made of one. Cases of fewer than three processes have no
interval and are not counted. A case whose interval is wider than it was to be says so in its notes, with the limit that
ended it.
"""
import csv
import io
import json
import pathlib
import subprocess
import sys

EDGES = (0.25, 0.5, 1, 2, 5, 10, float("inf"))


def ratios(bench, file):
    """Half-width of the interval / precision, of each case of a file."""
    experiments = json.loads(file.read_text())["apod_experiments"]
    wanted = {experiment["name"]: experiment["measure"]["precision"] for experiment in experiments}
    shown = subprocess.run([bench, "show", file, "--format", "csv"], check=True, capture_output=True, text=True)
    for row in csv.DictReader(io.StringIO(shown.stdout)):
        if row["time_low_s"] and int(row["processes"]) >= 3:
            half = (float(row["time_high_s"]) - float(row["time_low_s"])) / 2 / float(row["time_s"])
            yield half / wanted[row["experiment"]]


def ratios_of(bench, path):
    path = pathlib.Path(path)
    if path.suffix == ".txt":
        return [float(line) for line in path.read_text().splitlines() if not line.startswith("#")]
    return [ratio for file in sorted(path.glob("*.json")) for ratio in ratios(bench, file)]


def histogram(bench, path):
    counts = [0] * len(EDGES)
    for ratio in ratios_of(bench, path):
        counts[next(i for i, edge in enumerate(EDGES) if ratio <= edge)] += 1
    return counts


def label(place):
    if EDGES[place] == float("inf"):
        return f"more than {EDGES[place - 1]:g}"
    return f"at most {EDGES[place]:g}"


def main():
    if sys.argv[1] == "--list":
        print("\n".join(f"{ratio:.3f}" for ratio in sorted(ratios_of(*sys.argv[2:4]))))
        return
    bench, *folders = sys.argv[1:]
    columns = [histogram(bench, folder) for folder in folders]
    print("| interval / precision |" + "".join(f" {pathlib.Path(folder).stem} |" for folder in folders))
    print("| --- |" + " ---: |" * len(folders))
    for place in range(len(EDGES)):
        print(f"| {label(place)} |" + "".join(f" {counts[place]} |" for counts in columns))


if __name__ == "__main__":
    main()
