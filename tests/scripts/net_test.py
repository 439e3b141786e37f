"""scripts/net with a bench that is played: what it writes, what differs, and how it ends."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCH = """#!/bin/sh
echo "$*"
case "$*" in *csv*) echo "$SAYS $(cat "${0%/*}/says")" ;; esac
case "$*" in *junit*) exit 3 ;; esac
"""


class Net(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/net", self.root / "scripts")
        (self.root / "tests/golden").mkdir(parents=True)
        (self.root / "tests/scripts").mkdir()
        (self.root / "tests/scripts/docs_test.py").write_text("import sys\nprint('docs:', *sys.argv[1:])\n")
        for file in ("kept/a.json", "ceilings.json"):
            path = self.root / "tests/data/results" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("{}")
        self.bench = self.root / "bench"
        self.bench.write_text(BENCH)
        self.bench.chmod(0o755)
        self.say("one")

    def say(self, text):
        (self.root / "says").write_text(text)

    def net(self, *words):
        done = subprocess.run([self.root / "scripts/net", *words], capture_output=True, text=True, check=False, cwd=self.root,
                              env={**os.environ, "SAYS": "a secret of the environment"})
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_two_sets_are_compared_byte_for_byte(self):
        for name, text in (("before", "one"), ("same", "one"), ("after", "two")):
            self.say(text)
            self.assertEqual(self.net("write", self.bench, name)[0], 0)
        kept = (self.root / "before/show_junit_tests+data+results+kept+a.json").read_text()
        self.assertIn("bench show tests/data/results/kept/a.json --format junit\nexit code 3\n", kept)
        self.assertNotIn("secret", "".join(file.read_text() for file in (self.root / "before").iterdir()))
        self.assertEqual(self.net("compare", "before", "same")[0], 0)
        status, text = self.net("compare", "before", "after")
        self.assertEqual(status, 1)
        self.assertIn("== show_csv_tests+data+results+kept+a.json\n@@ ", text)
        self.assertIn("\n- one\n+ two\n", text)

    def test_digests_are_renewed_and_name_what_differs(self):
        self.assertEqual(self.net("check", self.bench)[0], 1, "there are none yet")
        status, text = self.net("renew", self.bench)
        self.assertEqual(status, 0)
        self.assertIn(f"docs: {self.bench} --write\n", text)
        self.assertIn("tests/golden/report is not renewed: build test_benchmarks_show first", text)
        self.assertEqual(self.net("check", self.bench)[0], 0)
        self.say("two")
        status, text = self.net("check", self.bench)
        self.assertEqual(status, 1)
        self.assertIn("differs: bench show results/kept/a.json --format csv\n", text)
        self.assertNotIn("junit", text)


if __name__ == "__main__":
    unittest.main()
