#!/usr/bin/env python3
"""The installed tree: moved to another place, it runs, and another project builds its own bench with it.

Usage: package_test.py BUILD_FOLDER CMAKE_ARGUMENT...: what was built there is installed, and the other
project, tests/outside_project, is configured with the arguments.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from binaries_test import binaries, wrong_with

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "tests" / "outside_project"
BUILD = Path()
ARGUMENTS = []

# Looks for the package and compiles nothing; without a language, so that it takes no time.
LOOK = """cmake_minimum_required(VERSION 3.25)
project(look LANGUAGES NONE)
find_package(apodbench {version} REQUIRED)
"""


def run(*command, cwd=None):
    """The exit status, and everything that was printed."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


class InstalledTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="apodbench-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "elsewhere"
        status, output = run("cmake", "--install", BUILD, "--prefix", cls.folder / "prefix")
        assert status == 0, output
        (cls.folder / "prefix").rename(cls.prefix)

    def good(self, *command, cwd=None):
        status, output = run(*command, cwd=cwd)
        self.assertEqual(status, 0, output)
        return output

    def test_bench_finds_its_own_configs(self):
        bench = self.prefix / "bin" / "bench"
        self.assertIn(str(self.prefix / "share" / "apodbench" / "configs"), self.good(bench, "--list", cwd="/"))
        output = self.good(bench, "--config", "smoke", "--backend", "host", "--dry-run", cwd=self.folder)
        self.assertIn("copy_kernel/host", output)

    def test_what_is_installed_is_protected_as_what_is_built(self):
        found = list(binaries(self.prefix))
        self.assertIn(self.prefix / "bin" / "bench", found)
        self.assertEqual([f"{path}: {what}" for path in found for what in wrong_with(path)], [])

    def test_names_no_place_of_the_build(self):
        for file in self.prefix.rglob("*.cmake"):
            text = file.read_text(encoding="utf-8")
            for place in (str(ROOT), str(BUILD), str(self.folder)):
                self.assertNotIn(place, text, file)

    def test_another_project_measures_its_own_kernel(self):
        build = self.folder / "outside"
        self.good("cmake", "-S", PROJECT, "-B", build, f"-Dapodbench_ROOT={self.prefix}", *ARGUMENTS)
        self.good("cmake", "--build", build)
        result = self.folder / "cube.json"
        self.good(build / "bench", "--config", PROJECT / "cube.yaml", "--backend", "host", "--set",
                  "cache=hot", "--out", result)
        rows = json.loads(result.read_text(encoding="utf-8"))["benchmarks"]
        names = {row["name"] for row in rows}
        # Its own family, and a shipped one.
        for name in ("cube/loop/size:1", "cube/loop/size:1000003", "copy/host"):
            self.assertTrue(any(found.startswith(name) for found in names), names)
        # An axis of one variant is in no other's name.
        strips = {name.split("/process:")[0] for name in names if name.startswith("strips/")}
        self.assertEqual(strips, {"strips/loop/size:1000003", "strips/strips/size:1000003/strip:64",
                                  "strips/strips/size:1000003/strip:1024"})
        self.assertFalse([row for row in rows if row.get("error_occurred")])
        listed = self.good(build / "bench", "--list", "cube")
        self.assertRegex(listed, r"\n +strip +elements at a time \(variant strips\)")
        with_cuda = "set(apodbench_CUDA ON)" in self.config_file()
        self.assertEqual(bool(re.search(r"^ +one_each +cuda ", listed, re.MULTILINE)), with_cuda, listed)

    def config_file(self):
        (file,) = self.prefix.rglob("apodbenchConfig.cmake")
        return file.read_text(encoding="utf-8")

    def look(self, version, *arguments):
        """What CMake says to a project that does not find the package."""
        source = self.folder / "look"
        source.mkdir(exist_ok=True)
        (source / "CMakeLists.txt").write_text(LOOK.format(version=version), encoding="utf-8")
        status, output = run("cmake", "-S", source, "-B", tempfile.mkdtemp(dir=self.folder),
                             f"-Dapodbench_ROOT={self.prefix}", *arguments)
        self.assertNotEqual(status, 0, output)
        return " ".join(output.split())

    def test_another_version_is_refused(self):
        output = self.look("0.9")
        self.assertIn('compatible with requested version "0.9"', output)
        self.assertRegex(output, r"apodbenchConfig\.cmake, version: [0-9.]+")

    def test_a_missing_library_is_named(self):
        output = self.look("", "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON")
        self.assertIn("apodbench links fmt, which was not found: install libfmt-dev", output)


class Documentation(unittest.TestCase):
    def test_shows_the_project_as_it_is(self):
        blocks = re.findall(r"^```\w+\n(.*?)^```$", (ROOT / "docs" / "add-a-kernel.md").read_text(encoding="utf-8"),
                            re.DOTALL | re.MULTILINE)
        for file in sorted(PROJECT.iterdir()):
            self.assertIn(file.read_text(encoding="utf-8"), blocks, f"{file.name} is not in docs/add-a-kernel.md")

    def test_the_project_is_short(self):
        lines = sum(len(file.read_text(encoding="utf-8").splitlines())
                    for file in PROJECT.iterdir() if file.suffix != ".yaml")
        self.assertLess(lines, 65)


if __name__ == "__main__":
    BUILD = Path(sys.argv[1]).resolve()
    ARGUMENTS = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
