"""Results of APOD Bench as data frames.

    import apod_bench
    result = apod_bench.read("r.json")
    result.samples()    # a row a sample, with the axes of its case
    result.cases()      # a row a case with its interval, as `bench show` derives it

Frames are pandas', or polars' with read(..., frames="polars") or where only that is installed. Times are seconds.
docs/result-format.md says what each field means."""

import csv
import importlib
import io
import json
import os
import shutil
import subprocess

__all__ = ["Result", "read"]
OF_CASE = ("variant", "backend", "status")


def read(path, frames=None, bench=None):
    """The result in the file. `frames`: "pandas" or "polars"; `bench`: the program, for `cases()`; without it
    APOD_BENCH, or `bench` of the path. Raises ValueError where the file is no result of this program's."""
    with open(path, encoding="utf-8") as file:
        try:
            data = json.load(file)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}: not JSON: {error}") from error
    if not isinstance(data, dict) or "apod_cases" not in data:
        kind = data.get("kind") if isinstance(data, dict) else None
        raise ValueError(f"{path}: not a result of bench" + (f", but a {kind}" if kind else ""))
    schema = data["context"]["apod"]["schema"]
    if schema > 2:
        raise ValueError(f"{path}: schema {schema}, and this reads up to 2: take the apod_bench of its program")
    return Result(os.fspath(path), data, frames, bench)


def frame_of(frames):
    """The class of data frames that was asked for, or the first that is installed."""
    for name in (frames,) if frames else ("pandas", "polars"):
        if name not in ("pandas", "polars"):
            raise ValueError(f"frames: {name!r} is neither pandas nor polars")
        try:
            return importlib.import_module(name).DataFrame
        except ImportError:
            if frames:
                raise
    raise ImportError("neither pandas nor polars is installed: pip install pandas")


class Result:
    """`data` is the whole file; the methods make frames of its parts."""

    def __init__(self, path, data, frames=None, bench=None):
        self.path, self.data, self.bench = path, data, bench
        self.frame = frame_of(frames)
        self.by_index = {case["index"]: case for case in data["apod_cases"]}

    @property
    def environment(self):
        """Device, program, ceilings and command line: `context.apod`."""
        return self.data["context"]["apod"]

    def cases(self):
        """A row a case: axes, time with its interval, rates, facts, status. `bench` derives them."""
        program = self.bench or os.environ.get("APOD_BENCH") or shutil.which("bench")
        if not program:
            raise FileNotFoundError("bench is not on the path: read(..., bench=...) or APOD_BENCH names it")
        done = subprocess.run([program, "show", self.path, "--format", "csv"], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"bench show ended with {done.returncode}")
        rows = [{name: number_or_text(text) for name, text in row.items()}
                for row in csv.DictReader(io.StringIO(done.stdout))]
        return self.made(rows)

    def processes(self):
        """A row for each process of a measured case: its median without throttled samples, its facts, its clock."""
        rows = []
        for record in self.records():
            kept = [s for s, throttled in self.times(record) if not throttled] or record["samples_s"]
            rows.append({**self.about(record), "median_s": record["median_s"], "samples": len(kept),
                         "sm_mhz": record.get("clock", {}).get("mean_mhz"), "wall_s": record.get("wall_s"),
                         **record.get("facts", {})})
        return self.made(rows)

    def samples(self):
        """A row a sample, in the order taken."""
        rows = []
        for record in self.records():
            clocks = record.get("clock", {}).get("sample_mhz") or []
            device = record.get("device_samples_s") or []
            phases = record.get("launch_phases") or []
            for i, (seconds, throttled) in enumerate(self.times(record)):
                rows.append({**self.about(record), "sample": i, "time_s": seconds, "throttled": throttled,
                             "device_s": device[i] if i < len(device) else None,
                             "launch_phase": phases[i] if i < len(phases) else None,
                             "sm_mhz": clocks[i] if i < len(clocks) else None})
        return self.made(rows)

    def findings(self):
        """A row a finding: id, severity, what shows it, what to try, and the share of the time it may cost."""
        return self.made([{"case": case["id"], **finding} for case in self.data["apod_cases"]
                          for finding in case["findings"]])

    def kernels(self):
        """A row for each kernel of a traced case, with its time, launches, resources and counters."""
        rows = []
        for name, profile in self.profiles():
            for kernel in profile["kernels"]:
                time = kernel["time"]
                rows.append({"case": name, "kernel": kernel["name"], "launches": time["count"],
                             "time_s": time["total_s"], "shortest_s": time["min_s"], "longest_s": time["max_s"],
                             "grid": "x".join(map(str, kernel["grid"])), "block": "x".join(map(str, kernel["block"])),
                             "registers": kernel["registers_per_thread"], **(kernel.get("counters") or {})})
        return self.made(rows)

    def timeline(self):
        """A row for each span of a traced case: its lane, what ran, and when. Spans of several events are one."""
        rows = []
        for name, profile in self.profiles():
            for lane in profile.get("lanes") or []:
                for of, start, length, count in zip(lane["of"], lane["start_ns"], lane["length_ns"], lane["count"]):
                    rows.append({"case": name, "lane": lane["name"], "what": lane["what"], "name": lane["names"][of],
                                 "start_s": start * 1e-9, "length_s": length * 1e-9, "events": count})
        return self.made(rows)

    def records(self):
        """What each process of a measured case recorded."""
        return [{**row["apod"], "median_s": row["real_time"] * 1e-9} for row in self.data["benchmarks"]
                if row["apod"]["samples_s"]]

    def profiles(self):
        records = [row["apod"] for row in self.data["benchmarks"]] + self.data.get("apod_untimed", [])
        for record in records:
            record = record.get("apod", record)
            if record.get("profile"):
                yield self.by_index[record["case_index"]]["id"], record["profile"]

    @staticmethod
    def times(record):
        marks = record.get("throttled") or [0] * len(record["samples_s"])
        return [(seconds, bool(mark)) for seconds, mark in zip(record["samples_s"], marks)]

    def about(self, record):
        """What each row says of its case."""
        case = self.by_index[record["case_index"]]
        experiment = self.data["apod_experiments"][case["experiment"]]["name"]
        return {"case": case["id"], "experiment": experiment, **{key: case[key] for key in OF_CASE},
                **{key: value for key, value in case["params"].items() if key != "variant"},
                "process": record["process"]}

    def made(self, rows):
        """A frame; every row has every column, None where it has no value."""
        columns = list(dict.fromkeys(key for row in rows for key in row))
        return self.frame({column: of_one_type([row.get(column) for row in rows]) for column in columns})


def of_one_type(values):
    """Whole numbers as such where all are, else as floats; where a value is text, all are."""
    types = {type(value) for value in values} - {type(None)}
    if len(types) < 2:
        return values
    kind = float if types <= {int, float, bool} else str
    return [None if value is None else kind(value) for value in values]


def number_or_text(text):
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
