#!/usr/bin/env python3
"""scripts/keep keeps results without data about the machine's owner, and refuses what is no whole run.

Usage: keep_test.py BENCH
"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests/data/results/kept"
BENCH = ""


def run_of(device="NVIDIA H200", **changes):
    own = {"command_line": ["/home/me/bench", "--config", "/home/me/judging.yaml"],
           "variables": {"CUDA_DEVICE_MAX_CONNECTIONS": "32", "SECRET": "/home/me"},
           "config": {"name": "judging", "path": "/home/me/judging.yaml"},
           "device": {"name": device, "uuid": "GPU-9d594b36-0123"}, "interrupted": False, **changes}
    return {"context": {"date": "2026-11-24T10:00:00+00:00", "host_name": "me", "executable": "/home/me/bench", "apod": own},
            "benchmarks": [], "apod_cases": [{"id": "a"}]}


class Keep(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = Path(self.scratch.name)

    def keep(self, kind, *results):
        files = []
        for number, result in enumerate(results):
            files.append(result if isinstance(result, Path) else self.root / f"{number}.json")
            if not isinstance(result, Path):
                files[-1].write_text(result if isinstance(result, str) else json.dumps(result), encoding="utf-8")
        return subprocess.run([sys.executable, ROOT / "scripts" / "keep", kind, *files, "--root", self.root], check=False,
                              capture_output=True, text=True, env={**os.environ, "APOD_BENCH": BENCH})

    def kept(self):
        return sorted(path.relative_to(self.root).as_posix() for path in self.root.glob("results/*/*/*"))

    def test_nothing_of_the_owner_is_kept(self):
        self.assertEqual(self.keep("runs", run_of(), run_of()).returncode, 0)
        self.assertEqual(self.kept(), ["results/judging/nvidia-h200/judging-2026-11-24.tar.xz"])
        with tarfile.open(self.root / self.kept()[0]) as members:
            self.assertEqual(members.getnames(), ["judging-2026-11-24/1.json", "judging-2026-11-24/2.json"])
            text = members.extractfile("judging-2026-11-24/2.json").read().decode()
        self.assertNotIn("home", text)
        self.assertNotIn('"me"', text)
        self.assertNotIn("0123", text)
        self.assertEqual(json.loads(text)["context"]["apod"]["variables"], {"CUDA_DEVICE_MAX_CONNECTIONS": "32"})

    def test_runs_that_are_kept_stay(self):
        for _ in range(2):
            self.assertEqual(self.keep("runs", run_of()).returncode, 0)
        self.assertEqual([Path(path).name for path in self.kept()],
                         ["judging-2026-11-24-2.tar.xz", "judging-2026-11-24.tar.xz"])

    def test_a_baseline_is_thin_and_its_samples_are_in_the_archive_of_the_device(self):
        for file in ("smoke.json", "streams.json"):
            done = self.keep("baselines", KEPT / file)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.kept(), ["results/baselines/nvidia-h200/smoke.json",
                                       "results/baselines/nvidia-h200/streams.json"])
        thin = json.loads((self.root / self.kept()[1]).read_text(encoding="utf-8"))
        whole = json.loads((KEPT / "streams.json").read_text(encoding="utf-8"))
        self.assertEqual(thin["apod_processes"]["rows"], len(whole["benchmarks"]))
        self.assertNotIn("benchmarks", thin)
        with tarfile.open(self.root / "results/raw/nvidia-h200.tar.xz") as members:
            self.assertEqual(members.getnames(), ["nvidia-h200/smoke.json", "nvidia-h200/streams.json"])
            self.assertEqual(json.load(members.extractfile("nvidia-h200/streams.json"))["benchmarks"], whole["benchmarks"])
        again = self.keep("baselines", self.root / self.kept()[1])
        self.assertIn("is thin already", again.stderr)

    def test_what_is_no_whole_run_is_refused(self):
        for results in (["no JSON"], ["[]"], ["{}"], [run_of(interrupted=True)], [run_of(), run_of("NVIDIA H100")]):
            with self.subTest(results=results):
                done = self.keep("runs", *results)
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stderr.startswith("scripts/keep: "), done.stderr)
                self.assertEqual(self.kept(), [])


if __name__ == "__main__":
    BENCH = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
