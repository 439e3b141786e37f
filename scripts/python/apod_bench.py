"""Results of APOD Bench as data frames.

    import apod_bench
    result = apod_bench.read("r.json")
    result.samples()    # a row a sample, with the axes of its case
    result.cases()      # a row a case with its interval, as `bench show` derives it

    folder = apod_bench.capture(softmax, x, kernel="softmax")   # a launch that softmax(x) makes, as a benchmark
    apod_bench.run(folder)                                      # measures it: a row a case

Frames are pandas', or polars' with read(..., frames="polars") or where only that is installed. Times are seconds.
docs/formats.md says what each field means, docs/your-kernel.md what a capture is."""

import csv
import functools
import importlib
import io
import itertools
import json
import math
import os
import pickle
import runpy
import shutil
import subprocess
import sys
import tempfile

__all__ = ["Result", "capture", "read", "run"]
OF_CASE = ("variant", "backend", "status")


def read(path, frames=None, bench=None):
    """The result in the file. `frames`: "pandas" or "polars"; `bench`: the program, for `cases()`; without it
    APOD_BENCH, `bench` beside Python, or that of the path. Raises ValueError where the file is no result of this program's."""
    with open(path, encoding="utf-8") as file:
        try:
            data = json.load(file)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}: not JSON: {error}") from error
    if not isinstance(data, dict) or "apod_cases" not in data:
        kind = data.get("kind") if isinstance(data, dict) else None
        raise ValueError(f"{path}: not a result of bench" + (f", but a {kind}" if kind else ""))
    result = Result(os.fspath(path), data, frames, bench)
    if result.schema > 3:
        raise ValueError(f"{path}: schema {result.schema}, but this reads up to 3: take the apod_bench of the program that wrote it")
    return result


def rows_of(table):
    """The rows of a table of columns, as a thin result has them: see docs/formats.md."""
    count = table["rows"]

    def cell(column, row):
        if isinstance(column, dict):
            inner = {key: cell(value, row) for key, value in column.items()}
            return {key: value for key, value in inner.items() if value is not None} or None
        if len(column) == count:
            return column[row]
        return column[0] if len(column) == 1 else column[0][column[1][row]]

    def has_each(column):
        if isinstance(column, dict):
            return any(map(has_each, column.values()))
        return count in (len(column), len(column[-1]) if isinstance(column[-1], list) else 1)

    # Else a file of a line could make any number of rows.
    if count > 1 and not has_each(table["columns"]):
        raise LookupError(f"no column has {count} values")
    return [cell(table["columns"], row) or {} for row in range(count)]


def merged(common, own):
    """The members of both, merged within objects too."""
    return {**common, **{key: merged(common[key], value) if isinstance(value, dict) and isinstance(common.get(key), dict)
                         else value for key, value in own.items()}}


def cases_of(data):
    """The cases in the file as `json` reads it."""
    return data["apod_cases"] if isinstance(data["apod_cases"], list) else rows_of(data["apod_cases"])


def process_of(row):
    """What a row of `benchmarks` says of its process, and its `median_s` where it has samples."""
    return {**row["apod"], **({"median_s": row["real_time"] * 1e-9} if row["apod"]["samples_s"] else {})}


def thin_processes_of(data):
    """What the rows of a thin result say of their processes, and their `median_s`."""
    common = {case["index"]: case.get("each_process", {}) for case in cases_of(data)}
    processes = [merged(common[one["case_index"]], one) for one in rows_of(data["apod_processes"])]
    return [{**one, "median_s": one["quantiles"]["median_s"]} for one in processes]


def processes_of(data):
    """What each process of a measured case recorded, in the file as `json` reads it."""
    return thin_processes_of(data) if "apod_processes" in data else [process_of(row) for row in data["benchmarks"]]


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


def placed(method):
    """A missing or wrong member of the file is a ValueError with its place."""
    @functools.wraps(method)
    def checked(self):
        try:
            return method(self)
        except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{self.path}: {self.place}: {what}") from error
    return checked


class Result:
    """`data` is the whole file; the methods make frames of its parts. They raise ValueError, with the place, for what
    is not as docs/formats.md says."""

    def __init__(self, path, data, frames=None, bench=None):
        self.path, self.data, self.bench = path, data, bench
        self.frame = frame_of(frames)
        self.place = ""  # in the file, of what is being read
        self.by_index = self.cases_by_index()

    @placed
    def cases_by_index(self):
        self.place = "apod_cases"
        self.data["apod_cases"] = cases_of(self.data)
        return {case["index"]: case for case in self.items("apod_cases")}

    @property
    @placed
    def schema(self):
        schema, self.place = self.environment["schema"], "context.apod.schema"
        return schema + 0

    @property
    @placed
    def environment(self):
        """Device, program, ceilings and command line: `context.apod`."""
        self.place = "context.apod"
        return self.data["context"]["apod"]

    def cases(self):
        """One row per case: axes, time with its interval, rates, facts, status. `bench` derives them."""
        beside = os.path.join(os.path.dirname(sys.executable), "bench")  # as a wheel installs it
        program = self.bench or os.environ.get("APOD_BENCH") or shutil.which(beside) or shutil.which("bench")
        if not program:
            raise FileNotFoundError("bench is not on the path: read(..., bench=...) or APOD_BENCH names it")
        done = subprocess.run([program, "show", self.path, "--format", "csv"], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip() or f"{self.path}: bench show ended with {done.returncode}")
        rows = [{name: number_or_text(text) for name, text in row.items()}
                for row in csv.DictReader(io.StringIO(done.stdout))]
        return self.made(rows)

    @placed
    def processes(self):
        """A row for each process of a measured case: its median without throttled samples, its facts, its clock."""
        rows = []
        for record in self.records():
            if thin := record.get("quantiles"):
                all_throttled = thin["throttled"] == thin["samples"]
                count = thin["samples"] - (0 if all_throttled else thin["throttled"])
            else:
                count = len([s for s, throttled in self.times(record) if not throttled] or record["samples_s"])
            rows.append({**self.about(record), "median_s": record["median_s"], "samples": count,
                         "sm_mhz": record.get("clock", {}).get("mean_mhz"), "wall_s": record.get("wall_s"),
                         **record.get("facts", {})})
        return self.made(rows)

    @placed
    def samples(self):
        """One row per sample, in the order taken. Raises ValueError for a thin result, which has none."""
        if "apod_processes" in self.data:
            raise ValueError(f"{self.path}: a thin result keeps no samples: processes() has their quantiles")
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

    @placed
    def findings(self):
        """One row per finding: id, severity, what shows it, what to try, and the share of the time it may cost."""
        return self.made([{"case": case["id"], **finding} for case in self.items("apod_cases")
                          for finding in case["findings"]])

    @placed
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

    @placed
    def timeline(self):
        """A row for each span of a traced case: its lane, what ran, and when. A span may contain several events."""
        rows = []
        for name, profile in self.profiles():
            for lane in profile.get("lanes") or []:
                for of, start, length, count in zip(lane["of"], lane["start_ns"], lane["length_ns"], lane["count"]):
                    rows.append({"case": name, "lane": lane["name"], "what": lane["what"], "name": lane["names"][of],
                                 "start_s": start * 1e-9, "length_s": length * 1e-9, "events": count})
        return self.made(rows)

    def processes_in_file(self):
        """What each process of a measured case recorded."""
        if "apod_processes" in self.data:
            self.place = "apod_processes"
            yield from thin_processes_of(self.data)
        else:
            for row in self.items("benchmarks"):
                if not isinstance(row["name"], str):
                    raise TypeError(f"the name {row['name']!r} is not a text")
                yield process_of(row)

    def records(self):
        """The processes that have a time. Raises TypeError for a negative or infinite one."""
        for record in self.processes_in_file():
            if "median_s" not in record:
                continue
            for seconds in (record["median_s"], *record.get("samples_s", ())):
                if not 0 <= seconds < math.inf:
                    raise TypeError(f"{seconds} is no time")
            yield record

    def items(self, member):
        """The items of a list in the file."""
        self.place = member
        for index, item in enumerate(self.data[member]):
            self.place = f"{member}[{index}]"
            yield item

    def profiles(self):
        untimed = self.items("apod_untimed") if "apod_untimed" in self.data else ()
        for record in itertools.chain(self.processes_in_file(), untimed):
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
    """Integers if all values are whole numbers, else floats; texts if any value is a text."""
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


def program(bench):
    """The program's file. Raises ValueError if there is none."""
    found = bench or os.environ.get("APOD_BENCH") or shutil.which("bench")
    if not found:
        raise ValueError("there is no `bench` in the path: name it with bench=..., or in APOD_BENCH")
    return os.fspath(found)


def capture(function, *args, kernel=None, launch="first", out=None, max_bytes=None, bench=None):
    """Calls function(*args) in a new process of this Python, and captures a launch that it makes, of a kernel whose name
    holds the regular expression `kernel`. Returns the folder; run() measures it. Without `kernel` it prints the kernels
    and returns None. `launch`: a number from 0, "first", "longest" or "each-shape". The process is new because the
    library that captures must be there before CUDA is first used; so function and arguments are pickled: by
    name, or with cloudpickle what has none. Raises ValueError where nothing was captured."""
    command = [program(bench), "capture"]
    if kernel is not None:
        out = os.fspath(out) if out is not None else tempfile.mkdtemp(prefix="capture.") + "/captured"
        command += ["--kernel", kernel, "--launch", str(launch), "--out", out]
        if max_bytes is not None:
            command += ["--max-bytes", str(max_bytes)]
    elif out is not None or launch != "first" or max_bytes is not None:
        raise ValueError("out, launch and max_bytes need a kernel: name it with kernel=...")
    with tempfile.TemporaryDirectory() as folder:
        call = os.path.join(folder, "call.pickle")
        with open(call, "wb") as file:
            write_call(file, function, args)
        end = subprocess.run(command + ["--", sys.executable, os.path.abspath(__file__), call])
    if end.returncode != 0:
        raise ValueError(f"bench capture ended with exit code {end.returncode}: what it said is on standard error")
    return out if kernel is not None else None


def write_call(file, function, args):
    """How a new process imports the function: its module's search path, or the script itself."""
    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None) if function.__module__ == "__main__" else None
    call = None
    if script or function.__module__ != "__main__":
        try:
            call = pickle.dumps((function, args))  # by its name: what it uses need not be pickled
        except (pickle.PicklingError, AttributeError, TypeError):
            pass  # a lambda, perhaps
    if call is None:
        try:
            call = importlib.import_module("cloudpickle").dumps((function, args))  # its code
            script = None
        except ImportError:
            call = pickle.dumps((function, args))
    pickle.dump({"path": sys.path, "script": script and os.path.abspath(script)}, file)
    file.write(call)


def do_call(path):
    """In the new process."""
    with open(path, "rb") as file:
        place = pickle.load(file)
        sys.path[:] = place["path"]
        if place["script"]:
            # As multiprocessing does: what is below `if __name__ == "__main__"` does not run.
            sys.modules["__main__"].__dict__.update(runpy.run_path(place["script"], run_name="__mp_main__"))
        function, args = pickle.load(file)
    function(*args)
    for name, wait in (("torch", lambda torch: torch.cuda.synchronize()),
                       ("cupy", lambda cupy: cupy.cuda.Device().synchronize())):
        if name in sys.modules:
            wait(sys.modules[name])


def run(folder, *flags, frames=None, bench=None):
    """Measures the captured launch in the folder, as `bench --config FOLDER/experiment.yaml --trust` with further flags,
    and returns a frame with a row a case. The folder's machine code runs: trust it. Raises ValueError where it
    can't be measured."""
    config = os.path.join(os.fspath(folder), "experiment.yaml")
    with tempfile.TemporaryDirectory() as place:
        result = os.path.join(place, "result.json")
        end = subprocess.run([program(bench), "--config", config, "--trust", "--out", result, *flags],
                             stdout=subprocess.DEVNULL)
        if not os.path.exists(result):
            raise ValueError(f"{config}: bench ended with exit code {end.returncode}")
        return read(result, frames, program(bench)).cases()


if __name__ == "__main__":
    do_call(sys.argv[1])
