#!/usr/bin/env python3
"""The JSON Schema of experiment files takes every file that bench takes, and refuses what it refuses by its keys, axes,
variants and units.

Usage: schema_test.py BENCH. Ends with 77 where jsonschema or PyYAML is not installed (Debian: python3-jsonschema
python3-yaml)."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: {error.name} is not installed (Debian: apt install python3-jsonschema python3-yaml)")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
BENCH = ""


class Yaml12(yaml.SafeLoader):
    """Scalars as YAML 1.2 has them, and editors: 1e6 is a number, and `no` a word."""


Yaml12.yaml_implicit_resolvers = {}
for kind, pattern, first in (("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
                             ("int", r"[-+]?[0-9]+", "-+0123456789"),
                             ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
                             ("null", r"~|null|", "~n\0")):
    Yaml12.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(f"^(?:{pattern})$"), [*first, ""])
Yaml12.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))
Yaml12.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))

HEAD = "schema: 1\nexperiments:\n"
# What is wrong -> a file that has it.
REFUSED = {
    "no schema": "experiments:\n  - workload: reduction\n",
    "another schema": "schema: 2\nexperiments:\n  - workload: reduction\n",
    "no experiments": "schema: 1\n",
    "an empty list": "schema: 1\nexperiments: []\n",
    "an unknown key of the file": HEAD + "  - workload: reduction\nmeasures: {}\n",
    "no workload": HEAD + "  - name: x\n",
    "an unknown workload": HEAD + "  - workload: reductoin\n",
    "an unknown key of an experiment": HEAD + "  - {workload: reduction, axs: {size: 1}}\n",
    "an unknown axis": HEAD + "  - {workload: reduction, axes: {sizes: 1}}\n",
    "an axis of another workload": HEAD + "  - {workload: reduction, axes: {mask: 3x3}}\n",
    "an axis of the other scope": HEAD + "  - {workload: reduction, axes: {streams: 2}}\n",
    "an unknown variant": HEAD + "  - {workload: reduction, axes: {variant: [cub, cubb]}}\n",
    "a size in bytes": HEAD + "  - {workload: reduction, axes: {size: 64MiB}}\n",
    "an empty list of values": HEAD + "  - {workload: reduction, axes: {size: []}}\n",
    "a range without a step": HEAD + "  - {workload: reduction, axes: {size: {from: 1, to: 8}}}\n",
    "a range of words": HEAD + "  - {workload: reduction, axes: {accumulator: {from: a, to: b, step: \"+1\"}}}\n",
    "an unknown scope": HEAD + "  - {workload: reduction, scope: kernels}\n",
    "a baseline of no axis": HEAD + "  - {workload: reduction, baseline: {sise: 1}}\n",
    "an exclusion that is no list": HEAD + "  - {workload: reduction, exclude: {size: 1}}\n",
    "an exclusion of nothing": HEAD + "  - {workload: reduction, exclude: [{}]}\n",
    "an unknown fact": HEAD + "  - {workload: reduction, expect: [{tiem: < 1ms}]}\n",
    "an unknown finding": HEAD + "  - {workload: reduction, expect: [{findings: slow}]}\n",
    "a rule of an unknown axis": HEAD + "  - {workload: reduction, expect: [{where: {sise: 1}, time: < 1ms}]}\n",
    "an unknown key of measure": HEAD + "  - {workload: reduction, measure: {precison: 1%}}\n",
    "an unknown cache": HEAD + "  - {workload: reduction, measure: {cache: warm}}\n",
    "a flag that is none": HEAD + "  - {workload: reduction, measure: {trace: 1}}\n",
    "a share without a sign": HEAD + "  - {workload: reduction, measure: {precision: 0.01}}\n",
    "a time without a unit": HEAD + "  - {workload: reduction, measure: {max_time: 5}}\n",
    "a time in an unknown unit": HEAD + "  - {workload: reduction, measure: {max_time: 5 parsecs}}\n",
    "an unknown kind of data": HEAD + "  - {workload: reduction, data: gauss}\n",
    "data of no array file": HEAD + "  - {workload: reduction, data: {file: x.csv}}\n",
    "a name with a slash": HEAD + "  - {workload: reduction, name: a/b}\n",
    "a command without one": HEAD + "  - workload: {env: {A: 1}}\n",
    "an unknown key of a command": HEAD + "  - workload: {command: [/bin/true], shell: true}\n",
    "an unknown reader": HEAD + "  - workload: {command: [/bin/true], read: perf}\n",
    "a workload and a kernel": HEAD + "  - {workload: reduction, kernel: {file: a.cu, name: a}, grid: 1, block: 1}\n",
    "an unknown key of host": HEAD + "  - {workload: reduction, host: {workload: copy}}\n",
    "an unknown axis of host": HEAD + "  - {workload: reduction, host: {axes: {sise: 1}}}\n",
}


# Every form that a value may have.
TAKEN = [
    "  - {workload: reduction, axes: {size: [1000, 2_000, 1e4, 2^14, 64Ki], variant: host}}\n",
    "  - {workload: reduction, axes: {size: {from: 2^10, to: 2^12, step: \"*2\"}, variant: host}}\n",
    "  - {workload: reduction, axes: {size: 1024, variant: host}, data: {uniform: {seed: 7}}}\n",
    "  - {workload: reduction, axes: {size: 1024, variant: host}, data: {kind: normal, seed: 7}}\n",
    "  - {workload: reduction, axes: {variant: host}, zip: [{size: [8, 16], accumulator: [fp32, fp64]}]}\n",
    "  - {workload: reduction, axes: {size: [8, 16], variant: host}, exclude: [{size: \"> 8\"}], include: [{size: 32}]}\n",
    "  - {workload: reduction, axes: {size: [8, 16], variant: host}, baseline: {size: 8}, "
    "expect: [{where: {size: [8, 16]}, speedup: \"> 0\"}, {time: < 1min}]}\n",
    "  - {workload: reduction, axes: {size: 8, variant: host}, measure: {trace: true, processes: auto, precision: 1%, "
    "warmup: 0s, budget: 1.5min, launch: stream, cache: hot}, expect: [{findings: none}, {findings: \"!= idle-gaps\"}]}\n",
    "  - {workload: normalize, scope: end_to_end, axes: {size: 1e4, variant: host, streams: [1, 2]}}\n",
    "  - {workload: normalize, axes: {size: 1e4}, host: {scope: end_to_end, axes: {variant: host, streams: 2}}}\n",
    "  - {workload: convolution, axes: {size: [200x300, 64], mask: 3, variant: host}}\n",
    "  - {workload: {command: [/bin/echo, \"{n}\"], env: {A: 1}, success: {exit: [0, 1], match: \".\"}}, axes: {n: [1, 2]}}\n",
    "  - {workload: {command: [/bin/echo, 3 ms], read: {regex: {time: {match: \"([0-9]+) ms\", unit: ms}}}}}\n",
    "  - {workload: {command: [/bin/echo, x], read: google}, where: [\"1 < 2\"]}\n",
]


def schema():
    done = subprocess.run([BENCH, "schema"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = schema()
        jsonschema.Draft7Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft7Validator(cls.schema)

    def problems(self, text):
        return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
                for error in self.validator.iter_errors(yaml.load(text, Yaml12))]

    def accepted(self, path):
        """Whether bench takes the file; on the host, as a test machine may have no GPU."""
        done = subprocess.run([BENCH, "--config", path, "--backend", "host", "--trust", "--dry-run"],
                              capture_output=True, text=True, check=False)
        return done.returncode == 0 and f"{path}:" not in done.stderr

    def accepted_text(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.yaml"
            path.write_text(text, encoding="utf-8")
            return self.accepted(path)

    def test_every_shipped_config_is_valid(self):
        for path in sorted((ROOT / "configs").glob("*.yaml")):
            with self.subTest(path.name):
                self.assertEqual(self.problems(path.read_text(encoding="utf-8")), [])

    def test_every_form_that_bench_takes_is_valid(self):
        for text in TAKEN:
            with self.subTest(text):
                self.assertTrue(self.accepted_text(HEAD + text))
                self.assertEqual(self.problems(HEAD + text), [])

    def test_every_whole_file_of_the_docs_is_valid(self):
        found = 0
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            for text in re.findall(r"^```yaml\n(schema: 1\n.*?)^```$", page.read_text(encoding="utf-8"),
                                   re.DOTALL | re.MULTILINE):
                if not self.accepted_text(text):
                    continue  # it has "..." in it, or a workload or file that is not here
                found += 1
                with self.subTest(f"{page.name}, {text[:40]!r}"):
                    self.assertEqual(self.problems(text), [])
        self.assertGreater(found, 0)

    def test_what_is_wrong_is_refused_by_both(self):
        for what, text in REFUSED.items():
            with self.subTest(what):
                self.assertNotEqual(self.problems(text), [])
                self.assertFalse(self.accepted_text(text))

    def test_an_editor_completes_axes_and_variants(self):
        axes = self.schema["definitions"]["reduction kernel"]["properties"]["axes"]["properties"]
        self.assertIn("cub", json.dumps(axes["variant"]))
        self.assertIn("default", axes["size"]["description"])

    def test_it_is_small(self):
        self.assertLess(len(json.dumps(self.schema)), 300_000)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BENCH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
