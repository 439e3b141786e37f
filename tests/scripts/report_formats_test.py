#!/usr/bin/env python3
"""The golden files of reports, read by the programs and parsers that they are made for.

What is not installed here is skipped, with the reason."""

import base64
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "report"
# Where distributions put Google Benchmark's tools; a variable names another place.
COMPARE_PLACES = (os.environ.get("GOOGLE_BENCHMARK_COMPARE", ""), "/usr/share/benchmark/compare.py",
                  "/usr/share/googlebenchmark/tools/compare.py")


class Page(unittest.TestCase):
    """The pages of docs/, which are those that bench writes today: a browser obeys their policy."""

    def test_the_policy_allows_its_own_style_and_script(self):
        pages = list((GOLDEN.parents[2] / "docs" / "pages").glob("*.html"))
        self.assertTrue(pages)
        for page in pages:
            text = page.read_text(encoding="utf-8")
            for tag in ("style", "script"):
                content = re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL).group(1)
                digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
                self.assertIn(f"{tag}-src 'sha256-{digest}'", text, page.name)


class JUnit(unittest.TestCase):
    """What Jenkins' xunit plugin (junit-10.xsd) and GitLab ask of a file."""

    def check(self, name):
        root = ElementTree.parse(GOLDEN / name).getroot()
        self.assertEqual(root.tag, "testsuites")
        (suite,) = root
        self.assertEqual(suite.tag, "testsuite")
        cases = suite.findall("testcase")
        for case in cases:
            self.assertIsNotNone(case.get("name"))
            self.assertEqual(case.get("classname"), "bench.compare")
            self.assertRegex(case.get("time", "0.0"), r"^[0-9]+\.[0-9]+$")
            self.assertEqual(len(case), 1, "one outcome each")
            self.assertIn(case[0].tag, ("failure", "error", "skipped", "system-out"))
            if case[0].tag != "system-out":
                self.assertTrue(case[0].get("message"))
        self.assertEqual(suite.get("tests"), str(len(cases)))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            self.assertEqual(suite.get(attribute), str(sum(case[0].tag == tag for case in cases)), attribute)
        self.assertLessEqual({child.tag for child in suite}, {"properties", "testcase"})
        for entry in suite.find("properties"):
            self.assertEqual(set(entry.attrib), {"name", "value"})
        return cases

    def test_a_report(self):
        names = {case.get("name"): case[0].tag for case in self.check("comparison.xml")}
        self.assertEqual(names["streams/4"], "failure")
        self.assertEqual(names["pinned/1"], "error")
        self.assertEqual(names["streams/32"], "skipped")
        self.assertEqual(names["streams/1"], "system-out")

    def test_hostile_names_survive(self):
        names = {case.get("name") for case in self.check("comparison_hostile.xml")}
        self.assertIn("]]>", names)
        self.assertIn("<![CDATA[ &amp; <b>\"x\"</b> 'y'", names)


class Annotations(unittest.TestCase):
    def test_each_line_is_a_command_that_the_runner_can_split(self):
        lines = (GOLDEN / "annotations.txt").read_text(encoding="utf-8").splitlines()
        self.assertGreater(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r"^::error title=[^:,]+::.+$")
            self.assertEqual(re.findall(r"%(?!25|3A|2C)", line), [], line)


class Export(unittest.TestCase):
    def load(self, name):
        return json.loads((GOLDEN / name).read_text(encoding="utf-8"))

    def test_bmf_follows_its_schema(self):
        cases = self.load("export_bmf.json")
        self.assertTrue(cases)
        for measures in cases.values():
            self.assertEqual(list(measures), ["latency"])
            self.assertIn("value", measures["latency"])
            self.assertLessEqual(set(measures["latency"]), {"value", "lower_value", "upper_value"})
            self.assertTrue(all(isinstance(number, float) for number in measures["latency"].values()))

    def test_smaller_is_better_has_the_types_that_its_action_checks(self):
        rows = self.load("export_smaller_is_better.json")
        self.assertTrue(rows)
        for row in rows:
            self.assertIsInstance(row["value"], float)
            for name in ("name", "unit", "extra"):
                self.assertIsInstance(row[name], str)
            self.assertIsInstance(row.get("range", ""), str)

    def compare(self, *arguments):
        """Runs Google Benchmark's compare.py, which needs SciPy."""
        script = next((place for place in COMPARE_PLACES if place and Path(place).is_file()), None)
        if script is None:
            self.skipTest("compare.py is not here: install libbenchmark-tools or set GOOGLE_BENCHMARK_COMPARE")
        if importlib.util.find_spec("scipy") is None:
            self.skipTest("compare.py needs SciPy, which is not installed")
        return subprocess.run([sys.executable, script, "--no-color", "benchmarks", *arguments], capture_output=True,
                              text=True, check=False)

    def test_google_benchmarks_own_tool_reads_it(self):
        with tempfile.TemporaryDirectory() as folder:
            slower = self.load("export_google.json")
            for row in slower["benchmarks"]:
                row["real_time"] *= 1.5
                row["cpu_time"] *= 1.5
            changed = Path(folder) / "slower.json"
            changed.write_text(json.dumps(slower), encoding="utf-8")
            result = self.compare(str(GOLDEN / "export_google.json"), str(changed))
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("streams/4", "streams/8 pinned", "OVERALL_GEOMEAN"):
            self.assertRegex(result.stdout, re.escape(name) + r" +\+0\.5000 +\+0\.5000 ")

    def test_benchstat_reads_it(self):
        if shutil.which("benchstat") is None:
            self.skipTest("benchstat is not installed")
        file = str(GOLDEN / "export_go.txt")
        result = subprocess.run(["benchstat", file, file], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Streams/4", result.stdout)


if __name__ == "__main__":
    unittest.main()
