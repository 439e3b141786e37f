#!/usr/bin/env python3
"""Does a kernel that does nothing, measured in the same process, tell what a short time differs by between processes?

    bench --config tests/studies/control_variate.yaml --out R.json
    python3 tests/studies/control_variate.py --medians R.json > control.txt   # CASE, then the median of each process, us
    python3 tests/studies/control_variate.py control.txt
    python3 tests/studies/control_variate.py --kept FOLDER...  # kept results

A two-phase regression estimate (Cochran 1977, "Sampling Techniques", 12.7) of a case measured in n of N processes is
t - b (e - e_all): e and e_all are the means of the empty kernel over the n and over all N, and b is the slope of t on e. The
table has, in Markdown, what each case differs by between processes (the standard deviation), the correlation with the empty
kernel, and how much narrower the interval of n processes becomes, by the formula of that estimate: with the slope of all
other cases, and with that of the n processes themselves, whose uncertainty widens it. --kept tells how many short cases of
the studies in each folder were in n < N processes of their study, and what the empty kernel of all N would have taken off
their intervals by the same formula, 1 - sqrt(1 - r^2 (1 - n / N)), if the correlation r is 0.9 and the slope is known.
"""
import collections
import json
import math
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "python"))
import apod_bench  # noqa: E402


EMPTY = "empty/"
FEW = 10
SHORT_S = 10e-6
LEAST_PROCESSES = 3  # of a study whose times have intervals


def print_medians(file):
    data = json.loads(pathlib.Path(file).read_text())
    names = {case["index"]: case["id"] for case in apod_bench.cases_of(data)}
    cases = {}
    for record in apod_bench.processes_of(data):
        if "median_s" in record:
            cases.setdefault(names[record["case_index"]], {})[record["process"]] = record["median_s"]
    for name, medians in cases.items():
        print(f"{name}|" + "".join(f" {1e6 * medians[process]:.4f}" for process in sorted(medians)))


def print_kept(folders):
    print("| results of | short cases | in all processes of their study | in fewer | intervals of these |")
    print("| --- |" + " ---: |" * 4)
    for folder in map(pathlib.Path, folders):
        gains = []
        for file in sorted(folder.glob("*.json")):
            cases = collections.defaultdict(list)
            for record in apod_bench.processes_of(json.loads(file.read_text())):
                if "median_s" in record:
                    cases[record["case_index"]].append(record["median_s"])
            most = max(map(len, cases.values()), default=0)
            if most >= LEAST_PROCESSES:
                gains += [1 - math.sqrt(1 - 0.9**2 * (1 - len(medians) / most))
                          for medians in cases.values() if statistics.median(medians) < SHORT_S]
        fewer = [gain for gain in gains if gain > 0]
        print(f"| {folder.name} | {len(gains)} | {len(gains) - len(fewer)} | {len(fewer)} | "
              f"{-100 * statistics.median(fewer):.0f} % |")


def deviations(values):
    mean = statistics.mean(values)
    return [value - mean for value in values]


def product(a, b):
    return sum(x * y for x, y in zip(a, b))


def main():
    if sys.argv[1] == "--medians":
        print_medians(sys.argv[2])
        return
    if sys.argv[1] == "--kept":
        print_kept(sys.argv[2:])
        return
    rows = (line.split("|") for line in pathlib.Path(sys.argv[1]).read_text().splitlines())
    cases = {name: [float(value) for value in values.split()] for name, values in rows}
    empty = next(values for name, values in cases.items() if name.startswith(EMPTY))
    cases = {name: values for name, values in cases.items() if not name.startswith(EMPTY) and len(values) == len(empty)}
    e = deviations(empty)
    count, of_empty = len(empty), product(e, e)
    slopes = {name: product(e, deviations(values)) / of_empty for name, values in cases.items()}
    print("| case | time | differs by | correlation | intervals of 10 processes, slope of the others | own slope |")
    print("| --- |" + " ---: |" * 5)
    for name, values in cases.items():
        t = deviations(values)
        deviation = math.sqrt(product(t, t) / (count - 1))
        correlation = product(e, t) / math.sqrt(of_empty * product(t, t))

        def narrower(slope, uncertainty):
            left = [x - slope * y for x, y in zip(t, e)]
            # The n are a part of the N, so another slope than the case's own leaves a covariance.
            shared = 2 * slope * (slopes[name] - slope) * of_empty / count
            kept = product(left, left) / FEW * uncertainty + slope**2 * of_empty / count + shared
            return math.sqrt(kept / (product(t, t) / FEW)) - 1

        others = statistics.mean(slope for other, slope in slopes.items() if other != name)
        changes = (narrower(others, 1), narrower(slopes[name], 1 + 1 / (FEW - 3)))
        print(f"| {name} | {statistics.mean(values):.3f} us | {100 * deviation / statistics.mean(values):.2f} % | "
              f"{correlation:.2f} | " + " | ".join(f"{100 * change:+.0f} %" for change in changes) + " |")


if __name__ == "__main__":
    main()
