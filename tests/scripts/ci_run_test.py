"""What .ci/run says at its end, on a machine that is played: what failed, how, and how many."""

import shutil
import tempfile
import unittest
from pathlib import Path

from run_scripts_test import Machine

CI = Path(__file__).resolve().parents[2] / ".ci"
TOOLS = "diff ln touch find seq xargs".split()
CHECKERS = ("clang-format", "shellcheck", "python3", "slurmctld", "slurmd", "sbatch", "mpirun.openmpi", "mpirun.mpich")

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
        self.machine.link(*TOOLS)
        for name in CHECKERS:
            self.machine.play(name)
        self.machine.play("ctest", CTEST)
        # The system that the tests may not change.
        self.system = Path(folder.name) / "system"
        self.system.mkdir()
        for name in ("written", "replaced", "removed", "opened", "untouched"):
            (self.system / name).write_text("a tool")

    def run_ci(self, **environment):
        """The status, and the lines from the report of what failed on (all lines where there is none)."""
        guarded = f"{self.system}:{self.machine.home}"
        done = self.machine.run("../.ci/run", **{"APOD_CI_GUARDED": guarded, **environment})
        lines = done.stdout.splitlines()
        begin = "== the ends of what failed"
        return done.returncode, lines[lines.index(begin):] if begin in lines else lines

    def test_nothing_failed(self):
        status, lines = self.run_ci()
        self.assertEqual(status, 0, lines)
        self.assertNotIn("failed:", lines)
        # Layers, results, format, shell, the build and the system's files are one each; CTest has two tests.
        self.assertEqual(lines[-1], "8 passed, 0 failed")
        self.assertEqual(list(self.machine.caller.iterdir()), [], "temporary files are left behind")

    def test_a_failed_test_stands_at_the_end_with_the_end_of_its_output(self):
        status, lines = self.run_ci(FAILS="host")
        self.assertEqual(status, 1)
        self.assertEqual(lines[1:43], ["", "-- tests, host: a/Second.Fails/1",
                                       *(f"line {i} of what it said" for i in range(62, 101)), "Test time =   0.04 sec"])
        self.assertEqual(lines[43:], ["", "failed:", "  tests, host: a/Second.Fails/1", "",
                                      "skipped, for want of a GPU or another need: 0", "7 passed, 1 failed"])

    def test_a_failed_build_shows_its_errors(self):
        status, lines = self.run_ci(BROKEN="1")
        self.assertEqual(status, 1)
        self.assertIn("a.cpp:1: error: broken", lines)
        self.assertEqual(lines[lines.index("failed:"):][1:3], ["  build, host", "  tests, host"])
        self.assertEqual(lines[-1], "5 passed, 2 failed")

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
        self.assertEqual(lines[-1], "6 passed, 2 failed")

    def test_what_changes_the_system_fails_and_is_named(self):
        home = self.machine.home
        self.machine.play("ctest", CTEST.replace("exit 0", f"""
            cd {self.system}
            echo 'not a tool' >written
            touch -r untouched time; rm replaced; ln -s untouched replaced; touch -h -r time replaced; rm time
            rm -f removed; chmod 4755 opened; mkdir -p folder; echo >added; echo >{home}/.bashrc
            mkdir -p {home}/.cache; echo >{home}/.cache/anything
            exit 0"""))
        status, lines = self.run_ci()
        self.assertEqual(status, 1, lines)
        named = {line.split()[1].removeprefix(f"{self.system}/") for line in lines
                 if line.startswith(("before: ", "after: "))}
        self.assertEqual(named, {"written", "replaced", "removed", "opened", "folder", "added", f"{home}/.bashrc"})
        self.assertIn("these files are not what they were before the tests:", lines)
        self.assertEqual(lines[-1], "7 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
