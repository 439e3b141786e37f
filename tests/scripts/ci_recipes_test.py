#!/usr/bin/env python3
"""The commands of docs/ci.md for files and programs of others find what the page says that they find.

Each command is taken from the page, and run in a folder that has what it names: results of twelve cases with a noise of
1 %, into one of which a slow-down is planted.

Usage: ci_recipes_test.py BENCH.
"""

import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ci.md"
BENCH = ""

# A program of Google Benchmark, played.
PROGRAM = """#!{python}
import json, os, random, sys
with open(sys.argv[0] + ".starts", "a+") as starts:  # each start has noise of its own, the same in every test
    starts.write("x")
    random.seed(os.path.dirname(os.path.abspath(sys.argv[0])).split("/")[-1] + str(starts.tell()))
out = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--benchmark_out="))
rows = [{{"name": f"case{{i}}", "run_type": "iteration", "iterations": 9, "time_unit": "us",
         "real_time": 100 * (i + 1) * ({factor} if i == 3 else 1) * random.lognormvariate(0, 0.003)}} for i in range(12)]
for row in rows:
    row["cpu_time"] = row["real_time"]
json.dump({{"context": {{"num_cpus": 4, "library_build_type": "release"}}, "benchmarks": rows}}, open(out, "w"))
"""

# The time of a process is as noisy as this machine. So the job's program is recognised as one of Google Benchmark.
APP = PROGRAM + "# benchmark_list_tests\n"
CMAKE = """cmake_minimum_required(VERSION 3.22)
project(job NONE)
add_custom_target(app ALL COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/program ${CMAKE_BINARY_DIR}/app)
"""


class CiRecipesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "job"
        for path in ("job/runs", "base"):
            (Path(folder.name) / path).mkdir(parents=True)
        self.random = random.Random(7)
        self.env = {**os.environ, "PATH": f"{Path(BENCH).parent}:{os.environ['PATH']}"}

    def write(self, path, day, factor=1.0, noise=0.01):
        shared = self.random.lognormvariate(0, noise)
        rows = []
        for i in range(12):
            time = 100 * (i + 1) * (factor if i == 3 else 1) * shared * self.random.lognormvariate(0, noise)
            rows.append({"name": f"case{i}", "run_type": "iteration", "iterations": 9, "real_time": time,
                         "cpu_time": time, "time_unit": "us"})
        context = {"date": f"2026-11-{day:02}T02:00:00+00:00", "num_cpus": 4, "library_build_type": "release"}
        (self.folder / path).write_text(json.dumps({"context": context, "benchmarks": rows}))

    def follow(self, *words):
        """The exit code of the page's one command with these words."""
        lines = [line.strip() for line in PAGE.read_text().splitlines() if line.startswith("    bench compare ")]
        found = [line for line in lines if all(word in line for word in words)]
        self.assertEqual(len(found), 1, f"{words} in docs/ci.md: {found}")
        # Twenty minutes are for programs that take their time; these say at once what they took.
        command = shlex.split(found[0].split("#")[0].replace("20m", "5s"))
        done = subprocess.run([BENCH, *command[1:]], cwd=self.folder, capture_output=True, text=True, check=False)
        self.said = done.stdout + done.stderr
        return done.returncode

    def test_a_night_against_those_before(self):
        for day in range(1, 11):
            self.write(f"runs/2026-11-{day:02}.json", day)
        for factor, code in ((1, 0), (1.05, 0), (1.3, 4), (2, 4)):
            self.write("new.json", 11, factor)
            self.assertEqual(self.follow("--base runs/"), code, f"{factor}\n{self.said}")
        for factor, code in ((1.3, 4), (2, 3)):
            self.write("runs/2026-11-11.json", 11, factor)
            self.write("new.json", 12, factor)
            self.assertEqual(self.follow("--base runs/"), code, f"{factor}, the second night in a row\n{self.said}")

    def test_what_ten_noisy_nights_show(self):
        found = {1: 0, 1.3: 0, 1.5: 0}
        for _ in range(10):
            for day in range(1, 11):
                self.write(f"runs/2026-11-{day:02}.json", day, noise=0.02)
            for factor in found:
                self.write("new.json", 11, factor, noise=0.02)
                found[factor] += self.follow("--base runs/") != 0
        self.assertEqual(found[1], 0)
        self.assertLessEqual(found[1.3], 7, "some")
        self.assertGreaterEqual(found[1.5], 8, "most")

    def test_two_files(self):
        self.write("base.json", 1)
        for factor, code in ((1, 0), (1.05, 0), (1.3, 0), (1.6, 4), (0.5, 0), (5, 3)):
            self.write("new.json", 2, factor)
            self.assertEqual(self.follow("base.json new.json", "--metric"), code, f"{factor}\n{self.said}")

    def test_both_programs_side_by_side(self):
        for factor, code in ((1, 0), (1.05, 3), (1.3, 3)):
            for path, of_side in (("../base/my_benchmarks", 1), ("my_benchmarks", factor)):
                program = self.folder / path
                program.write_text(PROGRAM.format(python=sys.executable, factor=of_side))
                program.chmod(0o755)
            self.assertEqual(self.follow("--base-cmd", "--read google"), code, f"{factor}\n{self.said}")

    def test_nights_of_a_program(self):
        program = self.folder / "app"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        lines = re.findall(r"^    ((?:bench|mkdir) .*?)(?: {2,}#.*)?$", PAGE.read_text(), re.MULTILINE)
        first = next(i for i, line in enumerate(lines) if line.startswith("bench time"))
        once, *each = lines[first : first + 4]
        self.assertEqual(self.in_shell(once), 0, self.said)
        for night, codes in ((1, (1,)), (2, (0, 4))):
            code = self.in_shell("set -e; date() { echo night%d; }\n%s" % (night, "\n".join(each)))
            self.assertIn(code, codes, f"night {night}\n{self.said}")
            self.assertEqual(len(list((self.folder / "runs").iterdir())), night, "each night is kept, whatever its verdict")

    def in_shell(self, script):
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.env, capture_output=True, text=True, check=False)
        self.said = done.stdout + done.stderr
        return done.returncode

    def commit(self, factor):
        program = self.folder / "program"
        program.write_text(APP.format(python=sys.executable, factor=factor))
        program.chmod(0o755)
        who = ("-c", "user.name=a", "-c", "user.email=a@b.org")
        for words in (("add", "-A"), ("commit", "-q", "--allow-empty", "-m", f"{factor}")):
            subprocess.run(["git", *who, *words], cwd=self.folder, check=True)
        return subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=self.folder, text=True).strip()

    def test_the_job_that_builds_both_commits(self):
        job = re.search(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL).group(1)
        steps = re.findall(r"^( *)run: ([|>])\n((?:\1 +.*\n)+)", job, re.MULTILINE)
        self.assertEqual([kind for _, kind, _ in steps], ["|", ">"], "a script that builds, and a command")
        subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)
        (self.folder / ".gitignore").write_text("build\ncomparison.*\n")
        (self.folder / "CMakeLists.txt").write_text(CMAKE)
        for factor, code in ((1, 0), (1.05, 3), (1.3, 3)):
            base = self.commit(1)
            self.commit(factor)
            for _, kind, script in steps:
                script = script.replace("${{ github.event.pull_request.base.sha }}", base).replace("20m", "5s")
                command = script if kind == "|" else " ".join(script.split())
                done = subprocess.run(
                    ["bash", "-ec", command], cwd=self.folder, env=self.env, capture_output=True, text=True, check=False
                )
                if kind == "|":
                    self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.returncode, code, f"{factor}\n{done.stdout}{done.stderr}")
            self.assertTrue((self.folder / "comparison.html").exists())
            for path in ("../base/build/app", "build/app"):
                self.assertTrue((self.folder / (path + ".starts")).exists(), path)
            subprocess.run(["git", "worktree", "remove", "--force", "../base"], cwd=self.folder, check=True)


if __name__ == "__main__":
    BENCH = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
