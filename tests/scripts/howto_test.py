#!/usr/bin/env python3
"""The steps of "getting started" and of the how-to pages work as they are written.

The pages are followed in one folder, from top to bottom: a code block that is named before (`saxpy.cu`:) becomes a file, and
each line of an indented block is run. Programs that the reader brings are played. Without a GPU a kernel is compiled and its
cases are skipped, which ends with 4.

Usage: howto_test.py BENCH. Ends with 77 where no nvcc is installed, or bench was built without CUDA.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("getting-started", "time-my-kernel", "compare-two", "why-slow", "measure-a-program")
BENCH = ""

APP = "#!/bin/sh\nsleep 0.01\necho 'took 12.5 ms'\n"
# A program of Google Benchmark, played.
BENCHMARKS = """#!/bin/sh
for word; do case $word in --benchmark_out=*) out=${word#*=};; esac; done
echo '{"context": {"num_cpus": 2}, "benchmarks": [{"name": "BM_sort/8", "run_type": "iteration", "iterations": 9,
"real_time": 100, "cpu_time": 100, "time_unit": "us"}]}' >"$out"
"""
PROGRAMS = {**dict.fromkeys(("app", "app_old", "app_new", "old", "new"), APP),
            **dict.fromkeys(("old_bench", "new_bench"), BENCHMARKS)}
# What the page leaves out to be short, or what takes longer than a test should.
ADDED = {"bench streams.yaml": " --set size=1e4 --set max_time=20ms --set cache=hot --processes 1 --backend host",
         "bench ./": " --budget 3s",
         "bench compare --config": " --budget 3s --set cache=hot",
         "bench ceilings": " --set max_time=20ms --set cache=hot --processes 1",
         "bench inspect --try": " --rounds 1"}
# Without a GPU, or with programs that leave it alone, these end with 1 and say why.
NEED_GPU = ("bench compare --config", "bench compare before.json", "bench inspect --try")
NOT_HERE = ("scripts/run", "APOD_PRESET=host scripts/run", "export PATH", "bench sass")


def followed(page):
    """What a reader does, in order: ("file", name, text) and ("run", line)."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for match in re.finditer(r"`([\w.]+)`:\n\n```\w+\n(.*?)^```$|^ {4}(\S[^\n]*)$|^```.*?^```$", text, re.DOTALL | re.MULTILINE):
        if match[1]:
            yield "file", match[1], match[2]
        elif match[3]:
            yield "run", re.sub(r"\s+#.*", "", match[3])


class HowToTest(unittest.TestCase):
    def test_each_step(self):
        with tempfile.TemporaryDirectory() as top:
            folder = Path(top) / "work"
            for name in ("", "../bin"):
                (folder / name).resolve().mkdir(parents=True, exist_ok=True)
            for name, text in PROGRAMS.items():
                (folder / name).write_text(text)
                (folder / name).chmod(0o755)
            (folder / "train.py").write_text("print('loss 0.5')\n")
            (Path(top) / "bin" / "bench").symlink_to(BENCH)
            env = {**os.environ, "PATH": f"{top}/bin:{os.environ['PATH']}", "XDG_CACHE_HOME": f"{top}/cache"}
            for page, what, *rest in ((page, *step) for page in PAGES for step in followed(page)):
                if what == "file":
                    (folder / rest[0]).write_text(rest[1])
                    continue
                first, semicolon, after = rest[0].partition(";")
                if first.startswith(NOT_HERE):
                    continue
                with self.subTest(page=page, line=first):
                    first += next((more for start, more in ADDED.items() if first.startswith(start)), "")
                    done = subprocess.run(["bash", "-c", first + semicolon + after], cwd=folder, env=env, text=True,
                                          capture_output=True, timeout=200, check=False)
                    said = done.stdout + done.stderr
                    # 4: nothing was measured for want of a GPU or of --trust, or nothing could be decided.
                    self.assertIn(done.returncode, (0, 1, 4) if first.startswith(NEED_GPU) else (0, 4), said)


class Pages(unittest.TestCase):
    def test_are_short(self):
        for page in (*PAGES[1:], "ci"):
            with self.subTest(page=page):
                self.assertLessEqual(len((DOCS / f"{page}.md").read_text().splitlines()), 60)


if __name__ == "__main__":
    if not shutil.which("nvcc", path=f"{os.environ['PATH']}:/usr/local/cuda/bin"):
        print("skipped: no nvcc")
        sys.exit(77)
    BENCH = str(Path(sys.argv.pop(1)).resolve())
    if not Path(BENCH).with_name("libapodinspect.so").exists():
        print("skipped: this build has no CUDA")
        sys.exit(77)
    unittest.main()
