"""What .ci/run says at its end, on a machine that is played: what failed, how, and how many."""

import shutil
import tempfile
import unittest
from pathlib import Path

from run_scripts_test import Machine

CI = Path(__file__).resolve().parents[2] / ".ci"
TOOLS = "awk rm seq xargs".split()
CHECKERS = ("clang-format", "shellcheck", "python3")

# Two tests, as CTest shows them and as it logs them. The second one fails where the folder's name says so.
CTEST = """
logs=$2/Testing/Temporary
mkdir -p "$logs"
echo "Internal ctest changing into directory: $2"
printf '1/2 Testing: a/First.Works\\n1/2 Test: a/First.Works\\nOutput:\\nall is well\\nTest Passed.\\n\\n' >"$logs/LastTest.log"
if [[ $2 != *"/${FAILS:-none}" ]]; then
  echo "100% tests passed, 0 tests failed out of 2"
  exit 0
fi
printf '2/2 Testing: a/Second.Fails/1\\n2/2 Test: a/Second.Fails/1  # GetParam() = 7\\nOutput:\\n' >>"$logs/LastTest.log"
for i in $(seq 100); do echo "line $i of what it said"; done >>"$logs/LastTest.log"
printf 'Test time =   0.04 sec\\n2/2 Testing: a/Third\\n' >>"$logs/LastTest.log"
echo "2:a/Second.Fails/1  # GetParam() = 7" >"$logs/LastTestsFailed.log"
printf '50%% tests passed, 1 tests failed out of 2\\n\\nThe following tests FAILED:\\n\\t  2 - a/Second.Fails/1 (Failed)\\n'
exit 8
"""


class CiRunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = Machine(folder.name)
        shutil.copytree(CI, self.machine.root / ".ci")
        for name in TOOLS:
            (self.machine.bin / name).unlink(missing_ok=True)
            (self.machine.bin / name).symlink_to(shutil.which(name))
        for name in CHECKERS:
            self.machine.play(name)
        self.machine.play("ctest", CTEST)

    def run_ci(self, **environment):
        """The status, and the lines from the report of what failed on (all lines where there is none)."""
        done = self.machine.run("../.ci/run", **environment)
        lines = done.stdout.splitlines()
        begin = "== the ends of what failed"
        return done.returncode, lines[lines.index(begin):] if begin in lines else lines

    def test_nothing_failed(self):
        status, lines = self.run_ci()
        self.assertEqual(status, 0, lines)
        self.assertNotIn("failed:", lines)
        # Layers, format and shell are one each; two presets have two tests each.
        self.assertEqual(lines[-1], "7 passed, 0 failed")
        self.assertEqual(list(self.machine.caller.iterdir()), [], "temporary files are left behind")

    def test_a_later_build_leaves_out_what_it_would_only_repeat(self):
        self.machine.play("nvcc")
        status, lines = self.run_ci(CUDACXX=str(self.machine.bin / "nvcc"))
        self.assertEqual(status, 0, lines)
        cuda, sanitizers = self.machine.calls("ctest")
        self.assertNotRegex(cuda, " -[RE] ")
        self.assertIn(" -E ^cli/SideBySideTest", sanitizers)
        self.assertNotIn(" -R ", sanitizers)

    def test_a_failed_test_stands_at_the_end_with_the_end_of_its_output(self):
        status, lines = self.run_ci(FAILS="host-asan")
        self.assertEqual(status, 1)
        self.assertEqual(lines[1:43], ["", "-- tests, sanitizers: a/Second.Fails/1",
                                       *(f"line {i} of what it said" for i in range(62, 101)), "Test time =   0.04 sec"])
        self.assertEqual(lines[43:], ["", "failed:", "  tests, sanitizers: a/Second.Fails/1", "",
                                      "skipped, for want of a GPU or another need: 0", "6 passed, 1 failed"])

    def test_a_failed_build_shows_its_errors(self):
        status, lines = self.run_ci(BROKEN="1")
        self.assertEqual(status, 1)
        self.assertIn("a.cpp:1: error: broken", lines)
        self.assertEqual(lines[lines.index("failed:"):][1:3], ["  tests, host", "  tests, sanitizers"])
        self.assertEqual(lines[-1], "3 passed, 2 failed")

    def test_an_earlier_runs_failures_are_not_this_ones(self):
        self.run_ci(FAILS="host")
        status, lines = self.run_ci(BROKEN="1")
        self.assertEqual(status, 1)
        self.assertFalse([line for line in lines if "Second" in line])

    def test_a_failed_check(self):
        self.machine.play("python3", "echo 'a.cpp:3: an include that points left'; exit 1")
        status, lines = self.run_ci()
        self.assertEqual(status, 1)
        self.assertEqual(lines[1:4], ["", "-- layers", "a.cpp:3: an include that points left"])
        self.assertEqual(lines[-1], "6 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
