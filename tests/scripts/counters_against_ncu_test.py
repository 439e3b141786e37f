#!/usr/bin/env python3
"""tests/studies/counters_against_ncu.py with a bench and an ncu that are played: what it takes for equal, and what not."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "studies" / "counters_against_ncu.py"

# One kernel, whose counters are those of the variable COUNTED.
BENCH = """#!{python}
import json, os, sys
if "--dry-run" in sys.argv:
    print("  sums/a  [kernel]")
    sys.exit()
kernel = {{"name": "k(int)", "grid": [4, 1, 1], "block": [32, 1, 1], "counters": json.loads(os.environ["COUNTED"])}}
row = {{"name": "sums/a", "apod": {{"notes": [], "profile": {{"kernels": [kernel]}}}}}}
result = {{"context": {{"apod": {{"device": {{"l2_bytes": 1000}}}}}}, "benchmarks": [row]}}
open(sys.argv[sys.argv.index("--out") + 1], "w").write(json.dumps(result))
"""

# Knows the metrics of the variable KNOWN and counts 64 of each that it is asked for and knows.
NCU = """#!{python}
import os, sys
known = os.environ["KNOWN"].split()
if "--query-metrics" in sys.argv:
    print("Device H200\\n" + "-" * 20)
    for name in known:
        print(f"{{name:<40}} Counter  # of something")
    sys.exit()
asked = [name for name in sys.argv[sys.argv.index("--metrics") + 1].split(",") if name.split(".")[0] in known]
def line(cells):
    print(",".join(f'"{{cell}}"' for cell in cells))
line(["ID", "Kernel Name", "Grid Size", "Block Size", "Range", *asked])
for launch in range(int(sys.argv[sys.argv.index("--profile-runs") + 1])):
    line([launch, "_Z1ki", "(4, 1, 1)", "(32, 1, 1)", "1:apod:sums/a:none:", *["64"] * len(asked)])
"""

FADD = "smsp__sass_thread_inst_executed_op_fadd_pred_on"


@unittest.skipUnless(shutil.which("c++filt"), "no c++filt")
class CountersAgainstNcu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("bench", BENCH), ("ncu", NCU)):
            (self.folder / name).write_text(text.format(python=sys.executable))
            (self.folder / name).chmod(0o755)

    def compare(self, counted, *known):
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "COUNTED": counted,
                       "KNOWN": " ".join(known)}
        return subprocess.run([sys.executable, SCRIPT, self.folder / "bench", "any.yaml", "--rounds", "2"],
                              env=environment, text=True, capture_output=True)

    def test_equal_counters_agree(self):
        done = self.compare('{"fadd": 64}', FADD)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 counters judged in 1 cases, medians of 2: 0 off", done.stdout)
        self.assertRegex(done.stdout, "dadd +neither has it")

    def test_other_counters_are_off(self):
        done = self.compare('{"fadd": 80}', FADD)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(": 1 off", done.stdout)

    def test_what_only_one_has_is_off(self):
        for counted, known, who in (('{"fadd": 64, "fmul": 64}', [FADD], "bench"),
                                    ('{"fadd": 64}', [FADD, FADD.replace("fadd", "fmul")], "ncu")):
            done = self.compare(counted, *known)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stdout, f"fmul +only {who} has it +OFF")
            self.assertIn("2 counters judged in 1 cases, medians of 2: 1 off", done.stdout)

    def test_a_chip_is_asked_by_the_names_that_it_knows(self):
        for name in ("dram__bytes_read", "dram__bytes_op_read"):
            done = self.compare('{"dram_bytes_read": 64}', name)
            self.assertIn("0 off", done.stdout, done.stderr)
            self.assertRegex(done.stdout, "dram_bytes_read +64 +64 ")


if __name__ == "__main__":
    unittest.main()
