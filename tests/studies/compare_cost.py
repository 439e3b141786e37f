#!/usr/bin/env python3
"""What `bench compare` costs on large files: wall time, processor time and peak memory.

    python3 tests/studies/compare_cost.py build/host/benchmarks/bench nvidia-h100-80gb-hbm3/network.json --repeats 5

Each side is one file of --cases cases in three rows each: one pair in Google Benchmark's form, one in
our own, for which the cases of a real result, with samples (of an archive in results/raw) or thin, are
multiplied under new names. The new side's times are a little noisy, and every thousandth case is 20 %
slower."""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = 3  # of a case


def factor(noise, case, is_new):
    slower = 1.2 if is_new and case % 1000 == 0 else 1
    return slower * noise.lognormvariate(0, 0.002)


def write_google(path, cases, is_new):
    noise = random.Random(f"google {is_new}")
    context = {"date": "2026-01-01T00:00:00+00:00", "host_name": "h", "num_cpus": 2,
               "library_build_type": "release", "json_schema_version": 1}
    with open(path, "w", encoding="utf-8") as out:
        out.write('{\n  "context": ' + json.dumps(context) + ',\n  "benchmarks": [\n')
        for case in range(cases):
            for row in range(ROWS):
                ns = 1000 * factor(noise, case, is_new)
                name = f"BM_Some<Type>/{case}/real_time"
                end = "" if case == cases - 1 and row == ROWS - 1 else ","
                out.write(f'    {{\n      "name": "{name}",\n      "family_index": {case},\n'
                          f'      "per_family_instance_index": 0,\n      "run_name": "{name}",\n'
                          f'      "run_type": "iteration",\n      "repetitions": {ROWS},\n'
                          f'      "repetition_index": {row},\n      "threads": 1,\n'
                          f'      "iterations": 69813,\n      "real_time": {ns!r},\n'
                          f'      "cpu_time": {ns!r},\n      "time_unit": "ns"\n    }}{end}\n')
        out.write("  ]\n}\n")


class Template:
    """A JSON value with places for a name, an index and a time, filled without encoding it again."""

    def __init__(self, value, words):
        text = json.dumps(value, separators=(",", ":"))
        self.parts = []
        for word in words:
            before, text = text.split(json.dumps(word), 1)
            self.parts.append(before)
        self.last = text

    def fill(self, words):
        return "".join(part + word for part, word in zip(self.parts, words)) + self.last


class WholeForm:
    """A result of ours with its samples, ready to be multiplied."""

    def __init__(self, path, result):
        self.result = result
        self.cases = []
        for case in self.result["apod_cases"]:
            rows = [row for row in self.result["benchmarks"]
                    if row["apod"]["case_index"] == case["index"]]
            if case["status"] == "measured" and len(rows) >= ROWS:
                self.cases.append((case["id"], *self.templates(case, rows[:ROWS])))
        if not self.cases:
            sys.exit(f"{path}: no case with {ROWS} rows")

    @staticmethod
    def templates(case, rows):
        index = "@index"
        of_rows = []
        for row in rows:
            marked = dict(row, name="@name", run_name="@name", real_time="@time",
                          repetitions=ROWS)
            marked["apod"] = dict(row["apod"], case_index=index)
            of_rows.append((Template(marked, ["@name", "@name", "@time", index]), row["real_time"]))
        return Template(dict(case, index=index, id="@name", baseline=None), [index, "@name"]), of_rows

    def write(self, path, cases, is_new):
        noise = random.Random(f"own {is_new}")
        of_cases = []
        head = {"context": self.result["context"],
                "apod_experiments": self.result["apod_experiments"]}
        with open(path, "w", encoding="utf-8") as out:
            out.write(json.dumps(head)[:-1] + ',\n"benchmarks": [\n')
            for index in range(cases):
                name, of_case, rows = self.cases[index % len(self.cases)]
                name = json.dumps(f"{name}/copy:{index}")
                of_cases.append(of_case.fill([str(index), name]))
                for row, (template, ns) in enumerate(rows):
                    changed = repr(ns * factor(noise, index, is_new))
                    out.write("" if index == row == 0 else ",\n")
                    out.write(template.fill([name, name, changed, str(index)]))
            out.write('\n],\n"apod_cases": [\n' + ",\n".join(of_cases) + "\n]\n}\n")


def multiplied(column, rows, copies):
    """A column of as many rows (one value of all, a value each, or values and each row's index), copied."""
    if isinstance(column, dict):
        return {key: multiplied(value, rows, copies) for key, value in column.items()}
    if len(column) == rows:
        return column * copies
    return [column[0], column[1] * copies] if len(column) == 2 else column


def of_each_row(column, rows):
    """A column as a value of each row."""
    if len(column) == 2 and isinstance(column[0], list):
        return [column[0][i] for i in column[1]]
    return column * rows if len(column) == 1 else column


class ThinForm:
    """A thin result of ours, whose cases are multiplied."""

    def __init__(self, path, result):
        self.result = result
        rows = self.result["apod_processes"]["rows"]
        process = self.result["apod_processes"]["columns"]["process"]
        if not any(p >= ROWS for p in process) and rows == ROWS * self.result["apod_cases"]["rows"]:
            return
        sys.exit(f"{path}: not {ROWS} processes of each case")

    def write(self, path, cases, is_new):
        noise = random.Random(f"own {is_new}")
        each = self.result["apod_cases"]["rows"]
        rows = self.result["apod_processes"]["rows"]
        copies = cases // each
        of_cases = multiplied(self.result["apod_cases"]["columns"], each, copies)
        of_cases["index"] = list(range(each * copies))
        of_cases["id"] = [f"{name}/copy:{i // each}" for i, name in enumerate(of_cases["id"])]
        of_cases.pop("baseline", None)
        processes = multiplied(self.result["apod_processes"]["columns"], rows, copies)
        processes["case_index"] = [case + each * (i // rows) for i, case in enumerate(processes["case_index"])]
        factors = [factor(noise, case, is_new) for case in processes["case_index"]]
        for key, column in processes["quantiles"].items():
            if key.endswith("_s"):
                processes["quantiles"][key] = [None if time is None else time * f
                                               for time, f in zip(of_each_row(column, len(factors)), factors)]
        result = dict(self.result, apod_expectations=[],
                      apod_cases={"rows": each * copies, "columns": of_cases},
                      apod_processes={"rows": rows * copies, "columns": processes})
        Path(path).write_text(json.dumps(result), encoding="utf-8")


# A process of its own, and small: what starts a program counts in the program's peak.
METER = """import json, resource, subprocess, sys, time
begin = time.monotonic()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6]))"""


def run(command):
    """Wall time and processor time in seconds, and the peak of resident memory in MB."""
    meter = subprocess.run([sys.executable, "-c", METER, *command], stdout=subprocess.PIPE, check=True)
    code, *numbers = json.loads(meter.stdout)
    if code not in (0, 3, 4):
        sys.exit(f"{command[0]}: exit code {code}")
    return numbers


def measure(title, files, command, repeats):
    size = sum(os.path.getsize(file) for file in files) / 1e6
    print(f"{title}, {size:.0f} MB in two files, {repeats} runs: median (range)")
    runs = [run(command) for _ in range(repeats)]
    for name, unit, values in zip(("wall", "processor", "peak memory"), ("s", "s", "MB"),
                                  zip(*runs)):
        digits = 0 if unit == "MB" else 2
        print(f"  {name:<12}{statistics.median(values):8.{digits}f} {unit}  "
              f"({min(values):.{digits}f} to {max(values):.{digits}f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", help="the program")
    parser.add_argument("result", help="a result of ours, whose cases are multiplied")
    parser.add_argument("--cases", type=int, default=100_000, help="a side (default 100000)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each pair (default 5)")
    parser.add_argument("--folder", help="where the files, up to 6 GB, are made and deleted")
    words = parser.parse_args()
    result = json.loads(Path(words.result).read_text(encoding="utf-8"))
    own = (ThinForm if "apod_processes" in result else WholeForm)(words.result, result)
    for title, write in (("Google Benchmark", write_google), ("our own", own.write)):
        with tempfile.TemporaryDirectory(dir=words.folder) as folder:
            files = [os.path.join(folder, name) for name in ("base.json", "new.json")]
            for file in files:
                write(file, words.cases, file.endswith("new.json"))
            measure(f"{title}: {words.cases} cases a side", files, [words.bench, "compare", *files], words.repeats)


if __name__ == "__main__":
    main()
