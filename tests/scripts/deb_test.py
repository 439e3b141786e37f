#!/usr/bin/env python3
"""The Debian package that cpack makes: what is in it, and that it installs in a fresh Debian, runs there and leaves
nothing when it is purged.

Usage: deb_test.py BUILD_FOLDER. Ends with 77 where there is no cpack or dpkg-deb. The fresh Debian takes debootstrap,
root and a mirror, and some minutes; without them that part is skipped. APOD_MIRROR names another mirror."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path()
MIRROR = os.environ.get("APOD_MIRROR", "").split()  # none: debootstrap's own


def run(*command, timeout=900, **options):
    done = subprocess.run([str(word) for word in command], text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=timeout, **options)
    return done.returncode, done.stdout


def codename():
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    found = re.search(r'^VERSION_CODENAME="?(\w+)', text, re.MULTILINE)
    return found[1] if found and re.search(r"^ID=debian$", text, re.MULTILINE) else ""


def why_no_root():
    if os.geteuid() != 0:
        return "it takes root"
    if not shutil.which("debootstrap"):
        return "debootstrap is not installed"
    return "" if codename() else "the libraries of this system are not Debian's"


class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="apod-deb-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        status, output = run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder / "out",
                             cwd=cls.folder)
        found = list((cls.folder / "out").glob("*.deb"))
        if status != 0 or len(found) != 1:
            raise AssertionError(f"cpack: {output}")
        cls.package = found[0]

    def test_what_is_in_it(self):
        _, listed = run("dpkg-deb", "--contents", self.package)
        for name in ("usr/bin/bench", "usr/share/apodbench/configs/smoke.yaml", "usr/share/man/man1/bench.1",
                     "usr/share/bash-completion/completions/bench", "usr/share/apodbench/experiment.schema.json"):
            self.assertIn(f"./{name}\n", listed)
        self.assertNotIn(".a\n", listed)
        self.assertNotIn("/include/", listed)
        _, fields = run("dpkg-deb", "--field", self.package)
        self.assertRegex(fields, r"Package: apod-bench\n")
        self.assertRegex(fields, r"Depends: .*libc6")
        self.assertLess(self.package.stat().st_size, 60e6)

    def test_a_fresh_debian(self):
        why = why_no_root()
        if why:
            self.skipTest(why)
        root = self.folder / "root"
        status, output = run("debootstrap", "--variant=minbase", codename(), root, *MIRROR)
        if status != 0:
            self.skipTest(f"debootstrap: {output[-300:]}")
        shutil.copy(self.package, root / "bench.deb")
        for name in ("/etc/resolv.conf", *Path("/etc/apt/apt.conf.d").glob("*proxy*")):
            shutil.copy(name, str(root) + str(name))
        self.inside(root, "apt-get", "update", "-q")
        _, fields = run("dpkg-deb", "--field", self.package, "Depends")
        needed = [re.split(r"[ (|]", part.strip())[0] for part in fields.split(",")]
        self.inside(root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-q", *needed)
        before = self.files(root)
        self.inside(root, "dpkg", "--install", "/bench.deb")
        self.assertIn("bench 0.", self.inside(root, "bench", "--version"))
        self.assertIn("smoke.yaml", self.inside(root, "bench", "--list"))
        output = self.inside(root, "env", "-C", "/tmp", "bench", "--config", "smoke", "--backend", "host", "--set",
                             "cache=hot", "--filter", "copy", "--out", "/tmp/r.json")
        self.assertIn("measured", output)
        self.inside(root, "bench", "report", "/tmp/r.json", "--out", "/tmp/page.html")
        self.assertIn("<main", (root / "tmp/page.html").read_text(encoding="utf-8"))
        self.inside(root, "dpkg", "--purge", "apod-bench")
        self.assertEqual(self.files(root) - before, set())
        self.assertEqual(before - self.files(root), set())

    def inside(self, root, *command):
        """Runs it in a root of its own, with its own /proc, which goes with it."""
        script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
        status, output = run("unshare", "--mount", "--pid", "--fork", "sh", "-c", script, root, *command)
        self.assertEqual(status, 0, f"{command}: {output}")
        return output

    @staticmethod
    def files(root):
        """All but what dpkg and apt remember, and what the runs wrote."""
        passed = ("var/lib/dpkg", "var/lib/apt", "var/log", "var/cache", "tmp", "proc", "root")
        return {path for path in (str(path.relative_to(root)) for path in root.rglob("*"))
                if not path.startswith(passed)}


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not shutil.which("cpack") or not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
        print("skipped: cpack, dpkg-deb or dpkg-shlibdeps is not installed (Debian: cmake, dpkg-dev)")
        sys.exit(77)
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
