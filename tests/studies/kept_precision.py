#!/usr/bin/env python3
"""How precise two sets of kept results are, and how long their studies took, beside each other as tables in Markdown.

    python3 tests/studies/kept_precision.py widths|studies BENCH BEFORE NOW
    python3 tests/studies/kept_precision.py times BENCH BEFORE NOW CASES
    python3 tests/studies/kept_precision.py --list BENCH FOLDER > LIST.txt

BEFORE and NOW are folders of result files, or lists that were made of one. `widths` counts the cases that both have, by the
printed interval: cases of fewer than three processes have none and are left out. `studies` has the wall time of each,
`times` the times of the cases whose names match a regular expression.
"""
import collections
import csv
import io
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "python"))
import apod_bench  # noqa: E402

SHORT_S = 1e-5
EDGES = (0.5, 1, 2, 5)

Case = collections.namedtuple("Case", "time_s width wanted differ")  # shares: half-width, what was asked for, deviation


def medians_of(data):
    """Case -> the medians of its processes, s."""
    names = {case["index"]: case["id"] for case in apod_bench.cases_of(data)}
    medians = collections.defaultdict(list)
    for record in apod_bench.processes_of(data):
        if "median_s" in record:
            medians[names[record["case_index"]]].append(record["median_s"])
    return medians


def lines_of(bench, file):
    """Of a result file: its study's line, then one for each case with an interval."""
    data = json.loads(file.read_text())
    wanted = {experiment["name"]: experiment["measure"]["precision"] for experiment in data["apod_experiments"]}
    medians = medians_of(data)
    shown = subprocess.run([bench, "show", file, "--format", "csv"], check=True, capture_output=True, text=True)
    rows = list(csv.DictReader(io.StringIO(shown.stdout)))
    run = data["context"]["apod"]
    resumed = "--resume" in run["command_line"]  # the time covers the last part alone
    yield (f"study {file.stem} {len(rows)} {'resumed' if resumed else format(run['wall_s'], '.1f')} "
           f"{sum(map(len, medians.values()))}")
    for row in rows:
        if row["time_low_s"] and int(row["processes"]) >= 3:
            time = float(row["time_s"])
            half = (float(row["time_high_s"]) - float(row["time_low_s"])) / 2 / time
            differ = statistics.stdev(math.log(median) for median in medians[row["case"]])
            yield f"case {file.stem}/{row['case']} {time:.6g} {half:.4g} {wanted[row['experiment']]:g} {differ:.4g}"


def read(bench, path):
    """Studies: name -> cases, seconds or None, processes. Cases: name -> Case."""
    path = pathlib.Path(path)
    files = [] if path.suffix == ".txt" else sorted(path.glob("*.json"))
    lines = path.read_text().splitlines() if path.suffix == ".txt" else [li for file in files for li in lines_of(bench, file)]
    studies, cases = {}, {}
    for kind, name, *values in (line.split() for line in lines if not line.startswith("#")):
        if kind == "study":
            studies[name] = int(values[0]), None if values[1] == "resumed" else float(values[1]), int(values[2])
        else:
            cases[name] = Case(*map(float, values))
    return studies, cases


def widths(before, now):
    print("| cases of both | results | cases | wider than asked for | than asked for before | " +
          " | ".join(f"than {edge:g} %" for edge in EDGES) + " | median | processes differ by | asked for | asked for the same: wider |")
    print("| --- | --- |" + " ---: |" * (len(EDGES) + 5) + " --- | ---: |")
    both = sorted(before.keys() & now.keys())
    for label, chosen in (("below 10 us", [name for name in both if now[name].time_s < SHORT_S]),
                          ("longer", [name for name in both if now[name].time_s >= SHORT_S])):
        same = [name for name in chosen if before[name].wanted == now[name].wanted]
        for results, cases in (("before", before), ("now", now)):
            of = [cases[name] for name in chosen]
            wider = [sum(case.width > edge / 100 for case in of) for edge in EDGES]
            asked = collections.Counter(case.wanted for case in of)
            print(f"| {label} | {results} | {len(of)} | {sum(case.width > case.wanted * (1 + 1e-9) for case in of)} | "
                  f"{sum(cases[name].width > before[name].wanted * (1 + 1e-9) for name in chosen)} | " +
                  " | ".join(map(str, wider)) + f" | {100 * statistics.median(case.width for case in of):.2f} % | "
                  f"{100 * statistics.median(case.differ for case in of):.2f} % | " +
                  ", ".join(f"{100 * wanted:g} %: {count}" for wanted, count in sorted(asked.items())) +
                  f" | {sum(cases[name].width > cases[name].wanted * (1 + 1e-9) for name in same)} of {len(same)} |")


def studies(before, now):
    print("| study | cases before | now | processes before | now | time before | now | a case, now / before |")
    print("| --- |" + " ---: |" * 7)
    for name in sorted(before.keys() & now.keys()):
        (count, seconds, processes), (count_now, seconds_now, processes_now) = before[name], now[name]
        times = ["resumed" if value is None else f"{value:.1f} s" for value in (seconds, seconds_now)]
        ratio = "" if None in (seconds, seconds_now) else f"{seconds_now / count_now / (seconds / count):.2f}"
        print(f"| {name} | {count} | {count_now} | {processes} | {processes_now} | {times[0]} | {times[1]} | {ratio} |")
    known = [name for name in before.keys() & now.keys() if None not in (before[name][1], now[name][1])]
    sums = [math.fsum(of[name][1] for name in known) for of in (before, now)]
    counts = [sum(of[name][2] for name in known) for of in (before, now)]
    print(f"| all with a time | | | {counts[0]} | {counts[1]} | {sums[0]:.0f} s | {sums[1]:.0f} s | {sums[1] / sums[0]:.2f} in all |")


def times(before, now, pattern):
    print("| case | before | now | change |")
    print("| --- |" + " ---: |" * 3)
    for name in (name for name in now if name in before and re.search(pattern, name)):
        ends = [f"{1e6 * of[name].time_s:.4g} us ± {100 * of[name].width:.1f} %" for of in (before, now)]
        print(f"| {name} | {ends[0]} | {ends[1]} | {100 * (now[name].time_s / before[name].time_s - 1):+.1f} % |")


def main():
    if sys.argv[1] == "--list":
        bench, folder = sys.argv[2:4]
        for file in sorted(pathlib.Path(folder).glob("*.json")):
            print("\n".join(lines_of(bench, file)))
        return
    what, bench, *folders = sys.argv[1:5]
    before, now = (read(bench, folder) for folder in folders)
    if what == "studies":
        studies(before[0], now[0])
    elif what == "widths":
        widths(before[1], now[1])
    else:
        times(before[1], now[1], sys.argv[5])


if __name__ == "__main__":
    main()
