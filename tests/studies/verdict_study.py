#!/usr/bin/env python3
"""How often `bench compare` is right on files of real machines, with slow-downs planted into them.

    verdict_study.py BENCH nights FOLDER [--from 0.5] [--every 3]
    verdict_study.py BENCH pairs FOLDER [--from 0.5] [--every 3]
    verdict_study.py BENCH runs FOLDER

`nights` holds one night against the 60 before it, then two such nights in a row; `pairs` one night against the one
before it. Their FOLDER has NAME.csv.xz: date, machine, mhz, then a column of seconds for each case, empty where a
night lacks it. `runs` holds runs of one build against one another, a run against one, three or four others; its FOLDER
has NAME1.json.xz, NAME2.json.xz ... of each experiment NAME, or NAME.tar.xz with all of them. Prints Markdown.
"""
import argparse
import csv
import itertools
import json
import lzma
import math
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

CACHES = {"m1": (32, 32, 512, 32768), "m2": (48, 32, 1280, 49152), "m3": (32, 32, 1024, 32768)}
LEVELS = (("Data", 1), ("Instruction", 1), ("Unified", 2), ("Unified", 3))
BASE_NIGHTS = 60
MOST_SETS = 12


def table(path):
    with lzma.open(path, "rt") as file:
        for row in csv.DictReader(file):
            times = {k: float(v) for k, v in row.items() if v and re.fullmatch(r"c\d+", k)}
            yield {"date": row["date"], "machine": row["machine"], "mhz": int(row["mhz"]), "times": times}


def write_night(night, path, slower=()):
    factors = dict(slower)
    caches = [{"type": kind, "level": level, "size": size * 1024, "num_sharing": 2}
              for (kind, level), size in zip(LEVELS, CACHES[night["machine"]])]
    context = {"date": night["date"], "num_cpus": 4, "mhz_per_cpu": night["mhz"], "caches": caches,
               "library_build_type": "release"}
    rows = [{"name": name, "run_type": "iteration", "iterations": 5, "real_time": time * factors.get(name, 1),
             "cpu_time": time * factors.get(name, 1), "time_unit": "s"} for name, time in night["times"].items()]
    path.write_text(json.dumps({"context": context, "benchmarks": rows}))


def compare(bench, base, new):
    """The verdict of each case, and the exit code."""
    out = Path(new[0]).parent / "comparison.json"
    sides = [word for path in base for word in ("--base", str(path))]
    sides += [word for path in new for word in ("--new", str(path))]
    # Elsewhere than in the project, whose calibrations it would find.
    run = subprocess.run([bench, "compare", "-q", "--out", out, *sides], cwd=out.parent, capture_output=True, text=True,
                         check=False)
    if not out.is_file():
        sys.exit(run.stderr)
    verdicts = {case["name"]: case["verdict"] for case in json.loads(out.read_text())["cases"]}
    out.unlink()
    return verdicts, run.returncode


def chosen_of(night, i):
    names = sorted(night["times"])
    return set(random.Random(i).sample(names, min(10, max(1, len(names) // 3))))


def share(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def with_interval(part, whole):
    """A share and its 95 % interval (Wilson 1927), %."""
    z = 1.96
    middle = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * math.sqrt(part * (whole - part) / whole + z * z / 4)
    return f"{100 * part / whole:.1f} ({100 * max(0, middle - half):.1f} to {100 * (middle + half):.1f})"


class Tally:
    """What became of planted cases and of the others."""

    def __init__(self):
        self.planted = Counter()
        self.others = Counter()
        self.wrong = self.suites = 0
        self.codes = Counter()

    def add(self, verdicts, planted, code):
        for name, verdict in verdicts.items():
            if verdict not in ("missing", "new"):
                (self.planted if name in planted else self.others)[verdict] += 1
        self.wrong += any(v in ("regression", "improvement") for n, v in verdicts.items() if n not in planted)
        self.suites += 1
        self.codes[code] += 1

    def cells(self):
        planted = sum(self.planted.values())
        found = self.planted["regression"] + self.planted["suspect"]
        others = sum(self.others.values())
        return [share(found, planted), share(self.planted["regression"], planted),
                share(self.others["suspect"], others), with_interval(self.wrong, self.suites),
                "-" if planted else share(self.codes[0], self.suites)]


HEAD = "found, % | sure, % | suspects among the others, % | false verdicts, % of comparisons | green, % |"


def study_nights(bench, folder, first, every, in_pairs):
    print("| suite | new side | slower by | " + HEAD)
    print("| --- | --- | ---: " + "| ---: " * 5 + "|")
    for path in sorted(Path(folder).glob("*.csv.xz")):
        name = path.name.split(".")[0]
        series = list(table(path))
        begin = max(BASE_NIGHTS, int(first * len(series)))
        pick = range(begin, len(series) - 1, every)
        for planted_nights, factor in itertools.product((1,) if in_pairs else (1, 2), (1, 1.5, 2, 5)):
            tally = Tally()
            for i in pick:
                chosen = chosen_of(series[i], i) if factor > 1 else set()
                with tempfile.TemporaryDirectory() as work:
                    work = Path(work)
                    (work / "base").mkdir()
                    for j in range(i - 1 if in_pairs else i - BASE_NIGHTS, i):
                        write_night(series[j], work / "base" / f"n{j:04}.json")
                    new = [work / f"new{k}.json" for k in range(planted_nights)]
                    for k, file in enumerate(new):
                        write_night(series[i + k], file, {n: factor for n in chosen}.items())
                    tally.add(*_with(compare(bench, [work / "base"], new), chosen))
            side = "a night" if planted_nights == 1 else "two nights"
            print(f"| {name} | {side} | {factor:g} x | " + " | ".join(tally.cells()) + " |", flush=True)


def _with(compared, chosen):
    verdicts, code = compared
    return verdicts, chosen, code


def times_of(result):
    times = defaultdict(list)
    for row in result["benchmarks"]:
        times[row["name"]].append(row["real_time"])
    return times


def slowed(result, names, factor):
    text = json.loads(json.dumps(result))
    for row in text["benchmarks"]:
        if row["name"] in names:
            row["real_time"] *= factor
            row["cpu_time"] *= factor
            if "apod" in row:
                row["apod"] = _slowed_samples(row["apod"], factor)
    return text


def _slowed_samples(value, factor):
    if isinstance(value, dict):
        return {k: [x * factor for x in v] if k == "samples_s" else v for k, v in value.items()}
    return value


def families_of(folder):
    """The runs of each experiment that the folder has, by its name."""
    families = defaultdict(list)
    for path in sorted(Path(folder).glob("*.json.xz")):
        with lzma.open(path, "rt") as file:
            families[re.sub(r"\d+\.json\.xz$", "", path.name)].append(json.load(file))
    for path in sorted(Path(folder).glob("*.tar.xz")):
        with tarfile.open(path) as archive:
            for member in archive:
                if member.name.endswith(".json"):
                    families[path.name.removesuffix(".tar.xz")].append(json.load(archive.extractfile(member)))
    return families


def study_runs(bench, folder):
    families = families_of(folder)
    print("| experiment | base | unchanged: green | slower by | found, % | sure, % |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for name, runs in families.items():
        steady = steady_cases(runs)
        for base_runs in sorted({1, 3, 4} & set(range(len(runs)))):
            sets = [(b, n) for n in range(len(runs)) for b in itertools.combinations(range(len(runs)), base_runs)
                    if n not in b]
            sets = random.Random(5).sample(sets, min(MOST_SETS, len(sets)))
            green = sum(judged(bench, [runs[b] for b in base], runs[new])[1] == 0 for base, new in sets)
            for factor in (1.05, 1.1):
                tally = Tally()
                for base, new in sets:
                    # A third of the cases at once leaves most of the suite as it was.
                    for part in range(3):
                        chosen = set(steady[part::3])
                        after = slowed(runs[new], chosen, factor)
                        tally.add(*_with(judged(bench, [runs[b] for b in base], after), chosen))
                cells = tally.cells()
                print(f"| {name}, {len(steady)} steady cases | {base_runs} run{'s' * (base_runs > 1)} | "
                      f"{green} of {len(sets)} | {100 * (factor - 1):.0f} % | {cells[0]} | {cells[1]} |", flush=True)


def steady_cases(runs):
    """Those whose runs agree within 2 %."""
    means = [{k: math.exp(sum(map(math.log, v)) / len(v)) for k, v in times_of(run).items()} for run in runs]
    return sorted(n for n in means[0] if all(n in m for m in means)
                  and max(m[n] for m in means) < 1.02 * min(m[n] for m in means))


def judged(bench, base, new):
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        for i, run in enumerate(base):
            (work / f"base{i}.json").write_text(json.dumps(run))
        (work / "new.json").write_text(json.dumps(new))
        return compare(bench, [work / f"base{i}.json" for i in range(len(base))], [work / "new.json"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("study", choices=("nights", "pairs", "runs"))
    parser.add_argument("folder")
    parser.add_argument("--every", type=int, default=3, help="of so many nights one is tried")
    parser.add_argument("--from", dest="first", type=float, default=0.5, help="share of the series that is passed over")
    arguments = parser.parse_args()
    bench = str(Path(arguments.bench).resolve())
    if arguments.study == "runs":
        study_runs(bench, arguments.folder)
    else:
        study_nights(bench, arguments.folder, arguments.first, arguments.every, arguments.study == "pairs")


if __name__ == "__main__":
    main()
