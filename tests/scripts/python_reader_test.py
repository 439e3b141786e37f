#!/usr/bin/env python3
"""The Python reader, scripts/python/apod_bench.py: frames of pandas and, where it is installed, of polars.

Usage: python_reader_test.py BENCH. Ends with 77 where neither pandas nor polars is installed."""

import csv
import functools
import importlib.util
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True  # nothing beside the sources
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import apod_bench  # noqa: E402
from page_samples import samples  # noqa: E402

STREAMS = ROOT / "tests/data/results/kept/streams_explained.json"
SMOKE = ROOT / "tests/data/results/kept/smoke.json"
THIN = ROOT / "tests/data/results/kept/reduction_thin.json"
FRAMES = [name for name in ("pandas", "polars") if importlib.util.find_spec(name)]
BENCH = ""


def rows_of(frame):
    return frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")


class Frames(unittest.TestCase):
    def each(self, path=STREAMS):
        for frames in FRAMES:
            with self.subTest(frames):
                yield apod_bench.read(path, frames=frames, bench=BENCH)

    def test_samples_are_those_of_the_file(self):
        data = json.loads(STREAMS.read_text(encoding="utf-8"))
        for result in self.each():
            frame = result.samples()
            self.assertEqual(type(frame).__module__.split(".")[0], result.frame.__module__.split(".")[0])
            self.assertEqual(sum(frame["time_s"]),
                             sum(s for row in data["benchmarks"] for s in row["apod"]["samples_s"]))
            self.assertEqual(set(frame["streams"]), {1, 2, 4, 8})
            self.assertEqual(set(frame["host_memory"]), {"pinned", "pageable"})

    def test_medians_are_the_rows_of_google_benchmark(self):
        data = json.loads(SMOKE.read_text(encoding="utf-8"))
        wanted = sorted(row["real_time"] * 1e-9 for row in data["benchmarks"])
        for result in self.each(SMOKE):
            for ours, theirs in zip(sorted(result.processes()["median_s"]), wanted, strict=True):
                self.assertAlmostEqual(ours, theirs, delta=1e-9 * theirs)

    def test_a_thin_result_has_processes_and_no_samples(self):
        for result in self.each(THIN):
            rows = rows_of(result.processes())
            self.assertEqual(len(rows), json.loads(THIN.read_text(encoding="utf-8"))["apod_processes"]["rows"])
            self.assertEqual({row["experiment"] for row in rows}, {"sums", "reads"})
            times = [row["median_s"] for row in rows if row["case"] == rows[0]["case"]]
            case = next(row for row in rows_of(result.cases()) if row["case"] == rows[0]["case"])
            self.assertTrue(min(times) <= case["time_s"] <= max(times))
            with self.assertRaisesRegex(ValueError, "keeps no samples"):
                result.samples()

    def test_cases_are_what_bench_shows(self):
        shown = subprocess.run([BENCH, "show", STREAMS, "--format", "csv"], capture_output=True, text=True, check=True)
        wanted = list(csv.DictReader(shown.stdout.splitlines()))
        for result in self.each():
            rows = rows_of(result.cases())
            self.assertEqual([row["case"] for row in rows], [row["case"] for row in wanted])
            self.assertEqual([row["time_s"] for row in rows], [float(row["time_s"]) for row in wanted])

    def test_bench_beside_python_is_found_without_a_path(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(BENCH, Path(folder) / "bench")
            with mock.patch.object(sys, "executable", f"{folder}/python"), mock.patch.dict(os.environ, {"PATH": "/none"}):
                for frames in FRAMES:
                    self.assertEqual(len(apod_bench.read(STREAMS, frames).cases()), 5)

    def test_findings_and_kernels(self):
        for result in self.each():
            self.assertIn("pageable-transfer", set(result.findings()["id"]))
            kernels = rows_of(result.kernels())
            self.assertTrue(all(kernel["time_s"] > 0 and kernel["launches"] > 0 for kernel in kernels))

    def test_a_timeline(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "traced.json"
            path.write_text(json.dumps(samples()["timelines"]), encoding="utf-8")
            for result in self.each(path):
                spans = rows_of(result.timeline())
                self.assertEqual({span["what"] for span in spans}, {"copies", "kernels"})
                self.assertTrue(all(span["length_s"] > 0 for span in spans))

    def test_samples_that_differ_in_axes_have_no_value_for_the_others(self):
        for name, result in samples().items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "r.json"
                path.write_text(json.dumps(result), encoding="utf-8")
                for read in self.each(path):
                    read.samples()
                    read.processes()

    def test_what_is_no_result_is_refused(self):
        for path, why in ((ROOT / "tests/golden/report/comparison.json", "but a comparison"),
                          (ROOT / "README.md", "not JSON"),
                          (ROOT / "tests/data/results/google/repetitions.json", "not a result of bench")):
            with self.assertRaisesRegex(ValueError, why):
                apod_bench.read(path)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.json"
            path.write_text("[" * 200_000, encoding="utf-8")
            with self.assertRaisesRegex(ValueError, "not JSON"):
                apod_bench.read(path)
        with self.assertRaisesRegex(ValueError, "neither pandas nor polars"):
            apod_bench.read(STREAMS, frames="numpy")
        with self.assertRaisesRegex(ValueError, "ended|no case|filter|bench"):
            apod_bench.read(STREAMS, bench="/bin/false").cases()


    def test_what_is_damaged_is_named_with_its_place(self):
        whole = json.loads(STREAMS.read_text(encoding="utf-8"))

        def damaged(change):
            data = json.loads(json.dumps(whole))
            change(data)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "r.json"
                path.write_text(json.dumps(data), encoding="utf-8")
                result = apod_bench.read(path, frames=FRAMES[0])
                for method in (result.samples, result.processes, result.findings, result.kernels, result.timeline):
                    method()

        for change, place in ((lambda data: data["context"].clear(), "context.apod: 'apod' is missing"),
                              (lambda data: data.update(context=[]), "context.apod: "),
                              (lambda data: data["context"]["apod"].update(schema="2"), "context.apod.schema: "),
                              (lambda data: data["apod_cases"][1].clear(), r"apod_cases\[1\]: 'index' is missing"),
                              (lambda data: data.update(apod_cases=7), "apod_cases: "),
                              (lambda data: data.pop("benchmarks"), "benchmarks: 'benchmarks' is missing"),
                              (lambda data: data["benchmarks"][2].update(apod=None), r"benchmarks\[2\]: "),
                              (lambda data: data["benchmarks"][2]["apod"].update(case_index=-5), r"benchmarks\[2\]: "),
                              (lambda data: data["benchmarks"][2].update(name=None), r"benchmarks\[2\]: the name None"),
                              (lambda data: data["benchmarks"][2].update(real_time=-1), r"benchmarks\[2\]: -1e-09 is no time"),
                              (lambda data: data["benchmarks"][2].update(real_time=math.inf), r"benchmarks\[2\]: inf is"),
                              (lambda data: data["benchmarks"][2].update(real_time=None), r"benchmarks\[2\]: ")):
            with self.subTest(place), self.assertRaisesRegex(ValueError, "r.json: " + place):
                damaged(change)

class Hostile(unittest.TestCase):
    """Whatever stands in whatever place of a result: a frame, or a ValueError with the file's name."""

    VALUES = (None, True, -1, 2**63, 10**400, 1e308, math.inf, math.nan, "", "x", [], [[]], {},
              {"rows": 2**40, "columns": {"index": [1], "id": ["x"]}})

    def places(self, value, path=()):
        """Each kind of place once: of lists the first item stands for all."""
        if path:
            yield path
        keys = value if isinstance(value, dict) else range(min(len(value), 1)) if isinstance(value, list) else ()
        for key in list(keys):
            yield from self.places(value[key], path + (key,))

    def read_all(self, data, place):
        begin = time.process_time()
        try:
            result = apod_bench.Result("r.json", dict(data), FRAMES[0])
            for read in (lambda: result.schema, result.samples, result.processes, result.findings, result.kernels,
                         result.timeline):
                try:
                    read()
                except ValueError as error:
                    self.assertTrue(str(error).startswith("r.json: "), f"{place}: {error}")
        except ValueError as error:
            self.assertTrue(str(error).startswith("r.json: "), f"{place}: {error}")
        self.assertLess(time.process_time() - begin, 10, place)

    def each_change(self, path):
        data = json.loads(path.read_text(encoding="utf-8"))
        for *way, last in self.places(data):
            parent = functools.reduce(lambda value, key: value[key], way, data)
            was = parent[last]
            for value in self.VALUES:
                parent[last] = value
                yield data, way + [last, value]
            parent[last] = was

    def test_every_place_of_a_result(self):
        limit = resource.getrlimit(resource.RLIMIT_AS)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, limit)
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, limit[1]))
        for path, step in (STREAMS, 3), (THIN, 17):  # of those deep inside, so that it takes some seconds
            for number, (data, change) in enumerate(self.each_change(path)):
                if number % step == 0 or len(change) == 2:
                    self.read_all(data, f"{path}: {str(change)[:200]}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not FRAMES:
        print("skipped: neither pandas nor polars is installed (Debian: apt install python3-pandas)")
        sys.exit(77)
    BENCH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
