"""Every rule of scripts/check-results: a tree that keeps it and one that breaks it."""

import subprocess
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "scripts" / "check-results"
WHOLE = b'{"context": {}, "benchmarks": [], "apod_cases": []}'
THIN = b'{"context": {}, "apod_cases": {}, "apod_processes": {}}'
GOOD = {"baselines/gpu/a.json": THIN, "explained/gpu/a.json": WHOLE, "raw/gpu.tar.xz": b" " * 200_000,
        "notes/a.txt": b" " * 150_000}
BAD = {
    "results/baselines/gpu/b.json: contains samples": {"baselines/gpu/b.json": WHOLE},
    "results/notes/b.txt: 150001 bytes": {"notes/b.txt": b" " * 150_001},
    "results/raw/gpu.tar.xz: 2500001 bytes": {"raw/gpu.tar.xz": b" " * 2_500_001},
    "results: 61": {f"notes/{i}.txt": b" " * 100_000 for i in range(60)},
    "results/raw/gpu: each device may have only one archive": {"raw/gpu/older.tar.xz": b""},
}


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():
            file = Path(folder) / "results" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        (Path(folder) / "results" / "mine.json").write_bytes(WHOLE)  # the user's own
        return subprocess.run([CHECK, folder], capture_output=True, text=True, check=False)


class CheckResults(unittest.TestCase):
    def test_each_rule_is_kept_or_broken(self):
        self.assertEqual(check(GOOD).stdout, "check-results: all is well\n")
        for message, files in BAD.items():
            with self.subTest(message):
                done = check({**GOOD, **files})
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stdout.startswith(message), done.stdout)
                self.assertTrue(done.stdout.endswith("check-results: 1 breaches\n"), done.stdout)


if __name__ == "__main__":
    unittest.main()
