#!/usr/bin/env python3
"""How much narrower does a time become if the samples of a process visit four places in memory?

    bench --config tests/studies/places.yaml --out R.json
    python3 tests/studies/places.py --medians R.json > places_of_samples.txt
    python3 tests/studies/places.py places_of_samples.txt

Sample i of a process uses place i modulo 4. --medians prints a line for each case: its name, then for each process eight
times, us: of the samples of each place, and of each quarter of the samples in the order in which they were taken. So the
second four have as many samples as the first, but of all places. A time is the mean of the medians of the launch phases, as
in `bench`. The table has, in Markdown, the standard deviations of their logarithms: between the places of a process, between
the quarters of a process, and between processes with one place or with all four.
"""
import json
import math
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "python"))
import apod_bench  # noqa: E402

PLACES = 4


def time_of(samples, phases):
    by_phase = {}
    for sample, phase in zip(samples, phases):
        by_phase.setdefault(phase, []).append(sample)
    return statistics.mean(statistics.median(some) for some in by_phase.values())


def key_of(case):
    group, size = case[0].rsplit(":", 1)
    return group, int(size)


def print_medians(file):
    data = json.loads(pathlib.Path(file).read_text())
    names = {case["index"]: case["id"] for case in apod_bench.cases_of(data)}
    cases = {}
    for record in apod_bench.processes_of(data):
        samples = record.get("samples_s")
        phases = record.get("launch_phases")
        if not samples or not phases:
            continue
        part = len(samples) // PLACES
        parts = [slice(place, None, PLACES) for place in range(PLACES)]
        parts += [slice(part * quarter, part * (quarter + 1)) for quarter in range(PLACES)]
        times = [time_of(samples[some], phases[some]) for some in parts]
        cases.setdefault(names[record["case_index"]], []).append(times)
    for name, processes in sorted(cases.items(), key=key_of):
        print(f"{name}|" + "|".join(" ".join(f"{1e6 * time:.4f}" for time in times) for times in processes))


def main():
    if sys.argv[1] == "--medians":
        print_medians(sys.argv[2])
        return
    print("| case | time | between places | between quarters | between processes, one place | four places | intervals |")
    print("| --- |" + " ---: |" * 6)
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        name, *processes = line.split("|")
        times = [[math.log(float(time)) for time in process.split()] for process in processes]
        of_places, of_quarters = [time[:PLACES] for time in times], [time[PLACES:] for time in times]

        def deviation(groups):
            return math.sqrt(statistics.mean(statistics.variance(group) for group in groups))

        one, four = deviation(zip(*of_places)), deviation(zip(*of_quarters))
        time = math.exp(statistics.mean(statistics.mean(process) for process in of_quarters))
        shares = (deviation(of_places), deviation(of_quarters), one, four)
        print(f"| {name} | {time:.3f} us | " + " | ".join(f"{100 * share:.2f} %" for share in shares) +
              f" | {100 * (four / one - 1):+.0f} % |")


if __name__ == "__main__":
    main()
