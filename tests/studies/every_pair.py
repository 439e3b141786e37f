#!/usr/bin/env python3
"""How often does comparing two results of one build raise a false alarm?

    python3 tests/studies/every_pair.py BENCH PATH...

Every PATH is a result file, an archive of them (.tar.xz), or a folder of these and of folders. Results of one kind of GPU, driver and
way of measuring are held against one another: every two of them, and every half of the first eight with the
other half. Prints what the results are, and how many pairs and halves have a false regression or improvement, as
Markdown; false regressions are named on standard error. No calibration is used, unless it is one of
results/calibrations, which is named. docs/judging-evidence.md shows what it prints of results/judging.
"""

import collections
import itertools
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FEWEST = 2
HALVED = 8
FLAGS = ((), ("--threshold", "3%"))
CALIBRATIONS = sorted((ROOT / "results" / "calibrations").glob("*.json"))


class Run:
    """What a result says of itself, and where it lies."""

    def __init__(self, path):
        self.path = path
        result = json.loads(path.read_text(encoding="utf-8"))
        context = result["context"]
        own = context["apod"]
        device = own["device"]
        self.date = context["date"]
        self.commit = own["commit"]
        self.board = device.get("uuid", "")
        self.cases = len(result["apod_cases"])
        self.processes = max(row["repetitions"] for row in result["benchmarks"])
        clocks = {plan["measure"].get("clocks", "unheld") for plan in result["apod_experiments"]}
        self.group = (device["name"], device.get("driver_version", ""), " and ".join(sorted(clocks)))


def unpacked(path, scratch):
    """The result files that a path stands for."""
    path = Path(path)
    if path.is_dir():
        return [file for each in sorted(path.iterdir()) if each.is_dir() or each.suffix in (".json", ".xz")
                for file in unpacked(each, scratch)]
    if path.suffix != ".xz":
        return [path]
    folder = Path(tempfile.mkdtemp(dir=scratch))
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile():
                (folder / Path(member.name).name).write_bytes(archive.extractfile(member).read())
    return sorted(folder.glob("*.json"))


def is_result(path):
    """Whether a file is a run of ours; a folder may hold comparisons, too."""
    with open(path, encoding="utf-8") as file:
        return '"apod_cases"' in file.read()


def compare(bench, base, new, flags, scratch):
    """The counts of the verdicts of two lists of runs; None where the flags don't fit the files."""
    out = Path(scratch) / "comparison.json"
    out.unlink(missing_ok=True)
    sides = [word for flag, runs in (("--base", base), ("--new", new)) for run in runs
             for word in (flag, str(run.path.resolve()))]
    # Elsewhere than in the project, whose calibrations it would find.
    done = subprocess.run([bench, "compare", *sides, "--out", str(out), *flags], cwd=scratch, check=False,
                          capture_output=True, text=True)
    if not out.exists():
        if "--calibration" in flags:
            return None
        sys.exit(f"compare {base[0].path} {new[0].path}: no result, exit code {done.returncode}\n{done.stderr}")
    comparison = json.loads(out.read_text(encoding="utf-8"))
    for case in comparison["cases"]:
        if case["verdict"] == "regression":
            print(f"{base[0].path.name} -> {new[0].path.name}: {case['name']} {100 * case['change']:+.2f} %",
                  file=sys.stderr)
    return collections.Counter(comparison["counts"])


def halves_of(runs):
    """Every half that holds the first run, with the rest."""
    for others in itertools.combinations(runs[1:], len(runs) // 2 - 1):
        yield [runs[0], *others], [run for run in runs[1:] if run not in others]


def judged(bench, splits, flags, scratch):
    """How many splits have a false alarm, how many there are, and the counts of all cases; None as above."""
    wrong = of_all = 0
    counts = collections.Counter()
    for base, new in splits:
        found = compare(bench, base, new, flags, scratch)
        if found is None:
            return None
        counts += found
        of_all += 1
        wrong += found["regression"] + found["improvement"] > 0
    return wrong, of_all, counts


def text_of(judgement):
    wrong, of_all, counts = judgement
    calm = counts["unchanged"] + counts["within noise"]
    return f"{wrong} of {of_all} | {counts['suspect']} | {calm} | {counts['inconclusive']}"


def print_group(bench, group, runs, scratch):
    boards = {run.board for run in runs}
    first = runs[0]
    print(f"\n**{group[0]}, driver {group[1]}, clocks {group[2]}**: {len(runs)} runs of {first.cases} cases with {first.processes} "
          f"processes, on {len(boards)} {'boards' if len(boards) > 1 else 'board'}\n")
    print("| date | board | commit | runs |\n| --- | --- | --- | ---: |")
    for (day, board, commit), alike in itertools.groupby(runs, lambda run: (run.date[:10], run.board, run.commit)):
        print(f"| {day} | {board} | {commit} | {len(list(alike))} |")
    print("\n| flags" + "".join(f" | false {what} | suspects | calm | inconclusive" for what in ("pairs", "halves")) + " |")
    print("| --- " + "| ---: " * 8 + "|")
    few = runs[:HALVED - HALVED % 2 if len(runs) >= HALVED else len(runs) - len(runs) % 2]
    for flags in (*FLAGS, *(("--calibration", str(file)) for file in CALIBRATIONS)):
        pairs = judged(bench, (([a], [b]) for a, b in itertools.combinations(runs, 2)), flags, scratch)
        if pairs is None:
            continue
        halves = judged(bench, halves_of(few), flags, scratch)
        name = " ".join(flags).replace(f"{ROOT}/", "")
        print(f"| {f'`{name}`' if name else 'none'} | {text_of(pairs)} | {text_of(halves)} |")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bench = str(Path(sys.argv[1]).resolve())
    groups = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        for path in sys.argv[2:]:
            for file in unpacked(path, scratch):
                if is_result(file):
                    run = Run(file)
                    groups[run.group].append(run)
        groups = {group: sorted(runs, key=lambda run: run.date) for group, runs in groups.items() if len(runs) >= FEWEST}
        if not groups:
            sys.exit("two results of one kind are needed")
        for group, runs in sorted(groups.items(), key=lambda one: one[1][0].date):
            print_group(bench, group, runs, scratch)


main()
