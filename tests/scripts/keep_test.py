#!/usr/bin/env python3
"""scripts/keep packs runs without what tells of the machine's owner, replaces nothing, and refuses what is no run.

Usage: keep_test.py
"""

import json
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


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

    def keep(self, *results):
        files = []
        for number, result in enumerate(results):
            files.append(self.root / f"{number}.json")
            files[-1].write_text(result if isinstance(result, str) else json.dumps(result), encoding="utf-8")
        return subprocess.run([sys.executable, ROOT / "scripts" / "keep", *files, "--root", self.root], check=False,
                              capture_output=True, text=True)

    def kept(self):
        return sorted(self.root.glob("results/judging/*/*"))

    def test_nothing_of_the_owner_is_kept(self):
        self.assertEqual(self.keep(run_of(), run_of()).returncode, 0)
        archive, = self.kept()
        self.assertEqual(archive.relative_to(self.root).as_posix(), "results/judging/nvidia-h200/judging-2026-11-24.tar.xz")
        with tarfile.open(archive) as members:
            self.assertEqual(members.getnames(), ["judging-2026-11-24/1.json", "judging-2026-11-24/2.json"])
            text = members.extractfile("judging-2026-11-24/2.json").read().decode()
        self.assertNotIn("home", text)
        self.assertNotIn('"me"', text)
        self.assertNotIn("0123", text)
        self.assertEqual(json.loads(text)["context"]["apod"]["variables"], {"CUDA_DEVICE_MAX_CONNECTIONS": "32"})

    def test_what_is_kept_stays(self):
        for _ in range(2):
            self.assertEqual(self.keep(run_of()).returncode, 0)
        self.assertEqual([path.name for path in self.kept()],
                         ["judging-2026-11-24-2.tar.xz", "judging-2026-11-24.tar.xz"])

    def test_what_is_no_whole_run_is_refused(self):
        for results in (["no JSON"], ["[]"], ["{}"], [run_of(interrupted=True)], [run_of(), run_of("NVIDIA H100")]):
            with self.subTest(results=results):
                done = self.keep(*results)
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stderr.startswith("scripts/keep: "), done.stderr)
                self.assertEqual(self.kept(), [])


if __name__ == "__main__":
    unittest.main()
