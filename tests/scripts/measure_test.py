"""scripts/measure with a bench that is played: what is done, what is done again, and how it ends."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

# Notes each call, and writes what bench would. $FAILS and $MISSES are configs that end with 1 and with 3.
BENCH = r"""#!/usr/bin/env bash
if [[ $1 == --version ]]; then echo "bench 0.1.0 ($COMMIT)"; exit; fi
echo "$*" >>calls
while [[ $1 != --out ]]; do shift; done
name=$(basename "$2" .json)
cat >"$2" <<END
{
  "context": {
    "apod": {
      "commit": "$COMMIT",
      "variables": {"seen": "${NVIDIA_TF32_OVERRIDE-}"},
      "interrupted": false
    }
  },
  "benchmarks": []
}
END
rm -f "$2.journal"
[[ $name != "$FAILS" ]] || exit 1
[[ $name != "$MISSES" ]] || exit 3
"""


class MeasureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copytree(SCRIPTS, self.root / "scripts")
        self.bench = self.root / "bench"
        self.bench.write_text(BENCH)
        self.bench.chmod(0o755)

    def measure(self, *words, commit="abc", **environment):
        """The status, what was said, and the calls of bench since the last time."""
        calls = self.root / "calls"
        calls.unlink(missing_ok=True)
        done = subprocess.run([self.root / "scripts/measure", *words, "out"], capture_output=True, text=True,
                              check=False, cwd=self.root,
                              env={**os.environ, "APOD_BENCH": str(self.bench), "COMMIT": commit, **environment})
        return done.returncode, done.stderr, calls.read_text().splitlines() if calls.exists() else []

    def test_what_is_there_at_this_commit_is_kept(self):
        status, said, calls = self.measure()
        self.assertEqual(status, 0)
        self.assertIn("scripts/keep baselines out/*.json", said)
        self.assertTrue(calls[0].startswith("ceilings"))
        self.assertGreater(len(calls), 15)
        self.assertIn("--config configs/cold.yaml -q --out out/cold.json --counters", calls)
        (self.root / "out/cold.json").unlink()
        (self.root / "out/gemm.json").write_text('  "commit": "older",\n  "interrupted": false\n')
        (self.root / "out/best.json").write_text('  "commit": "abc",\n  "interrupted": true\n')
        (self.root / "out/best.json.journal").touch()
        status, _, calls = self.measure()
        self.assertEqual([call.split()[1] for call in calls],
                         ["configs/cold.yaml", "configs/gemm.yaml", "configs/best.yaml"])
        self.assertTrue(calls[-1].endswith("--resume"))

    def test_what_a_container_sets_is_not_measured_with(self):
        self.measure(NVIDIA_TF32_OVERRIDE="1")
        self.assertIn('"variables": {"seen": ""}', (self.root / "out/cold.json").read_text())

    def test_ends_with_1_where_a_config_failed_and_0_where_a_rule_was_missed(self):
        status, said, calls = self.measure(FAILS="cold", MISSES="streams_bug")
        self.assertEqual(status, 1)
        self.assertIn("cold: ended with 1", said)
        self.assertIn("streams_bug: a rule is not met", said)
        self.assertTrue(calls[-1].startswith("--config configs/best.yaml"), "the others go on")

    def test_takes_no_build_of_uncommitted_changes(self):
        status, said, calls = self.measure(commit="abc-dirty")
        self.assertEqual((status, calls), (1, []))
        self.assertIn("commit your changes", said)

    def test_ends_with_the_time(self):
        self.bench.write_text(BENCH.replace('echo "$*" >>calls', 'echo "$*" >>calls; sleep 3'))
        status, _, calls = self.measure("--for", "1")
        self.assertEqual(status, 130)
        self.assertLessEqual(len(calls), 1, "a busy machine may have spent the second before the first")


if __name__ == "__main__":
    unittest.main()
