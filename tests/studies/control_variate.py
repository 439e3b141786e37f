#!/usr/bin/env python3
"""Does a kernel that does nothing, measured in the same process, tell what a short time differs by between processes?

    bench --config tests/studies/control_variate.yaml --out R.json
    python3 tests/studies/control_variate.py R.json

A two-phase regression estimate (Cochran 1977, "Sampling Techniques", 12.7) of a case measured in n of N processes is
t - b (e - e_all): e and e_all are the means of the empty kernel over the n and over all N. The table has, in Markdown, the
standard deviation of each case between processes in percent, the correlation with the empty kernel, the standard deviation
of t - b e, and how much narrower that makes the interval of 3 and of 10 of the N processes. b, in seconds a second, is
estimated from all other cases, so that a case does not choose its own.
"""
import json
import math
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "python"))
import apod_bench  # noqa: E402


def medians_by_case(file):
    """Case -> process -> median, s; the empty kernel apart."""
    data = json.loads(pathlib.Path(file).read_text())
    names = {case["index"]: case["id"] for case in apod_bench.cases_of(data)}
    cases = {}
    for record in apod_bench.processes_of(data):
        if "median_s" in record:
            cases.setdefault(names[record["case_index"]], {})[record["process"]] = record["median_s"]
    empty = next(name for name in cases if name.startswith("empty/"))
    return cases.pop(empty), cases


def sums_of(empty, times):
    """Of the processes that have both: the sum of products of their deviations, that of the squares of the empty one's."""
    both = sorted(empty.keys() & times.keys())
    e_mean, t_mean = (statistics.mean(of[p] for p in both) for of in (empty, times))
    return (sum((empty[p] - e_mean) * (times[p] - t_mean) for p in both), sum((empty[p] - e_mean) ** 2 for p in both))


def main():
    empty, cases = medians_by_case(sys.argv[1])
    count = len(empty)
    spread = statistics.stdev(empty.values())
    print(f"{count} processes; the empty kernel takes {1e6 * statistics.mean(empty.values()):.3f} us, and differs by "
          f"{1e6 * spread:.3f} us between them.\n")
    print("| case | time | differs by | correlation | without the shift | interval of 3 processes | of 10 |")
    print("| --- |" + " ---: |" * 6)
    sums = {name: sums_of(empty, times) for name, times in cases.items()}
    for name, times in cases.items():
        others = [sums[other] for other in cases if other != name]
        b = sum(of[0] for of in others) / sum(of[1] for of in others)
        both = sorted(empty.keys() & times.keys())
        mean, deviation = statistics.mean(times[p] for p in both), statistics.stdev(times[p] for p in both)
        left = statistics.stdev(times[p] - b * empty[p] for p in both)
        own = sums[name][0] / math.sqrt(sums[name][1]) / (deviation * math.sqrt(len(both) - 1))
        # The part that is taken off comes back with the mean of all processes.
        narrower = [math.sqrt((left**2 / n + (b * spread) ** 2 / count) / (deviation**2 / n)) - 1 for n in (3, 10)]
        print(f"| {name} | {1e6 * mean:.3f} us | {100 * deviation / mean:.2f} % | {own:.2f} | {100 * left / mean:.2f} % | "
              + " | ".join(f"{100 * change:+.0f} %" for change in narrower) + " |")


if __name__ == "__main__":
    main()
