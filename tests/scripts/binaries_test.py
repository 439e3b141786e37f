#!/usr/bin/env python3
"""What every program and shared library of a build must have, read by readelf: a search path without a place
that anyone may write to, and the compiler's and linker's protections.

Usage: binaries_test.py BUILD_FOLDER [fortified]: `fortified` in builds that define _FORTIFY_SOURCE.
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path()
FORTIFIED = False


def binaries(folder):
    """The linked ELF files below a folder: no objects."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and "CMakeFiles" not in path.parts:
            with path.open("rb") as file:
                start = file.read(20)
            # ET_EXEC and ET_DYN; a GPU's machine code (EM_CUDA) is such a file too.
            if start[:4] == b"\x7fELF" and start[16] in (2, 3) and start[18] != 190:
                yield path


def wrong_with(path):
    """What is wrong with the search path and the protections of one binary."""
    text = subprocess.run(["readelf", "--wide", "--dynamic", "--program-headers", "--file-header", path],
                          check=True, text=True, capture_output=True).stdout
    for entries in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", text):
        for entry in entries.split(":"):
            if not entry.startswith(("/", "$ORIGIN")):
                yield f"searches '{entry}', relative to the current directory, in [{entries}]"
    if "Type:" in text and not re.search(r"Type: +DYN", text):
        yield "is not position independent"
    if "GNU_RELRO" not in text:
        yield "has no RELRO"
    if not re.search(r"\(FLAGS(_1)?\).*\b(BIND_NOW|NOW)\b", text):
        yield "binds its functions late (no BIND_NOW)"
    if re.search(r"GNU_STACK.* RWE ", text):
        yield "has an executable stack"


def imports(path):
    """The names of the functions that a binary takes from libraries."""
    text = subprocess.run(["readelf", "--wide", "--dyn-syms", path], check=True, text=True, capture_output=True).stdout
    return set(re.findall(r" UND (\w+)", text))


class EveryBinary(unittest.TestCase):
    def test_is_protected(self):
        found = list(binaries(BUILD))
        self.assertIn(BUILD / "benchmarks" / "bench", found)
        self.assertEqual([f"{path}: {what}" for path in found for what in wrong_with(path)], [])

    def test_bench_has_what_the_compiler_adds(self):
        symbols = imports(BUILD / "benchmarks" / "bench")
        self.assertTrue("__stack_chk_fail" in symbols, "no stack protector")
        if FORTIFIED:
            self.assertTrue([name for name in symbols if re.fullmatch(r"__\w+_chk", name)], "no _FORTIFY_SOURCE")


class WhatIsNotAllowed(unittest.TestCase):
    """Binaries that lack one thing each."""

    def wrong(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program"
            good = ["-fPIE", "-pie", "-Wl,-z,relro,-z,now", "-x", "c", "-"]
            subprocess.run(["cc", *good, *options, "-o", path], input="int main(void) { return 0; }", check=True,
                           text=True, capture_output=True)
            self.assertEqual(list(binaries(Path(folder))), [path])
            return list(wrong_with(path))

    def test_each_is_seen(self):
        self.assertEqual(self.wrong(), [])
        self.assertEqual(self.wrong("-Wl,-rpath,$ORIGIN:/usr/lib/x"), [])
        for path in ("$ORIGIN:::", "lib", ":/usr/lib/x"):
            self.assertIn("relative to the current directory", self.wrong(f"-Wl,-rpath,{path}")[0])
        self.assertEqual(self.wrong("-no-pie"), ["is not position independent"])
        self.assertEqual(self.wrong("-Wl,-z,norelro"), ["has no RELRO"])
        self.assertEqual(self.wrong("-Wl,-z,lazy"), ["binds its functions late (no BIND_NOW)"])
        self.assertEqual(self.wrong("-Wl,-z,execstack"), ["has an executable stack"])


if __name__ == "__main__":
    BUILD = Path(sys.argv[1]).resolve()
    FORTIFIED = "fortified" in sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
