"""scripts/run and scripts/test on machines of every kind, played by small programs on a PATH of its own:
nothing here is installed, configured or built in earnest."""

import os
import pty
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
BASIC_TOOLS = ("awk bash cat chmod cut dirname env flock getent grep head mkdir mktemp nproc readlink rm rmdir sed "
               "sort stat tail tee uniq").split()

# Each player writes its command line to the log, then does just what the scripts need of it.
PLAYER = '#!/bin/bash\necho "{name} $*" >>"$LOG"\n{body}\n'
CMAKE = """
case "$1" in
  --version) echo "cmake version ${CMAKE_VERSION:-3.25.1}" ;;
  --fresh) [[ $5 != nope ]] || exit 1
    mkdir -p "$3/build/$5" && : >"$3/build/$5/build.ninja" ;;
  --build)
    echo "[1/2] Building CXX object a.o"
    if [[ -n ${BROKEN:-} ]]; then echo "a.cpp:1: error: broken" && exit 1; fi
    mkdir -p "$2/benchmarks"
    printf '#!/bin/bash\\necho "bench in $PWD:$(printf " <%%s>" "$@")"\\nexit 7\\n' >"$2/benchmarks/bench"
    chmod +x "$2/benchmarks/bench" ;;
esac
"""
# The compiler is asked which headers it lacks; the test answers for it.
COMPILER = 'cat >/dev/null; echo "${MISSING_LIBRARIES:-}"'


class Machine:
    """A checkout with the scripts in it, and a PATH with only what this machine has.

    The PATH is two folders, so that nothing is ever written through a link to the real system: players
    come first, and links to the real tools, which are only read, stand in the other one."""

    def __init__(self, folder, players=("cmake", "ninja", "c++", "git", "ctest")):
        self.root = Path(folder) / "checkout"
        self.players = Path(folder) / "players"
        self.tools = Path(folder) / "tools"
        self.path = f"{self.players}:{self.tools}"
        self.log = Path(folder) / "log"
        self.caller = Path(folder) / "caller"
        self.home = Path(folder) / "home"
        shutil.copytree(SCRIPTS, self.root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        for made in (self.players, self.tools, self.caller, self.home):
            made.mkdir()
        self.log.write_text("")
        self.link(*BASIC_TOOLS)
        for name in players:
            self.play(name, {"cmake": CMAKE, "c++": COMPILER}.get(name, ""))
        for path in (Path(folder), *Path(folder).rglob("*")):
            if not path.is_symlink():
                path.chmod(0o777)

    def link(self, *names):
        """Gives this machine real tools."""
        for name in names:
            (self.tools / name).symlink_to(shutil.which(name))

    def play(self, name, body=""):
        """Writes a player, in the place of an earlier one; never through a link or over what is there."""
        path = self.players / name
        path.unlink(missing_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o755)
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(PLAYER.format(name=name, body=body))
        path.chmod(0o755)

    def run(self, script, *arguments, user=None, **environment):
        environment = {"PATH": self.path, "LOG": str(self.log), "CUDACXX": "/nonexistent/nvcc",
                       "TMPDIR": str(self.caller), "HOME": str(self.home), **environment}
        return subprocess.run([self.tools / "bash", self.root / "scripts" / script, *arguments], user=user,
                              env=environment, cwd=self.caller, capture_output=True, text=True)

    def run_at_a_terminal(self, script, typed, *arguments, **environment):
        """What a person sees who types this."""
        environment = {"PATH": self.path, "LOG": str(self.log), "CUDACXX": "/nonexistent/nvcc",
                       "TMPDIR": str(self.caller), "HOME": str(self.home), **environment}
        theirs, ours = pty.openpty()
        process = subprocess.Popen([self.tools / "bash", self.root / "scripts" / script, *arguments], env=environment,
                                   cwd=self.caller, stdin=ours, stdout=ours, stderr=ours, start_new_session=True)
        os.close(ours)
        os.write(theirs, typed.encode())
        said = b""
        while True:
            try:
                said += os.read(theirs, 4096)
            except OSError:  # the terminal's last user has left
                break
        process.wait()
        os.close(theirs)
        return said.decode()

    def calls(self, name):
        return [line for line in self.log.read_text().splitlines() if line.split()[0] == name]


class RunScriptsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # Some steps depend on who asks. Root can play anyone; anyone else plays only themselves.
        self.is_root = os.geteuid() == 0
        self.nobody = 65534 if self.is_root else None

    def need_nobody(self):
        """Skips where root can't play: a container without that user, temporary files that are root's alone."""
        try:
            subprocess.run(["test", "-w", self.folder], user=self.nobody, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            self.skipTest(f"nobody can't work in {self.folder}: {error}")

    def test_run_builds_once_and_runs_in_the_callers_folder(self):
        machine = Machine(self.folder)
        first = machine.run("run", "--config", "a b.yaml")
        self.assertEqual(first.returncode, 7, first.stderr)
        self.assertEqual(first.stdout, f"bench in {machine.caller}: <--config> <a b.yaml>\n")
        self.assertIn("host only, because no nvcc was found", first.stderr)
        self.assertIn("bench takes 5 minutes, and all tests 6 more", first.stderr)
        self.assertEqual(machine.calls("cmake"), [
            "cmake --version",
            f"cmake --fresh -S {machine.root} --preset host",
            f"cmake --build {machine.root}/build/host --target bench"])
        machine.log.write_text("")
        second = machine.run("run")
        self.assertEqual(machine.calls("cmake"), [f"cmake --build {machine.root}/build/host --target bench"])
        self.assertEqual(second.stderr, "")
        self.assertEqual(list(machine.caller.iterdir()), [], "temporary files are left behind")

    def test_the_preset(self):
        machine = Machine(self.folder)
        machine.play("nvcc")
        done = machine.run("run", CUDACXX="nvcc")
        self.assertIn(f"cmake --fresh -S {machine.root} --preset cuda", machine.calls("cmake"))
        self.assertIn("host and CUDA", done.stderr)
        self.assertIn("bench takes over 5 minutes (5 with APOD_PRESET=host)", done.stderr)
        machine.run("run", CUDACXX="nvcc", APOD_PRESET="host-asan")
        self.assertIn(f"cmake --fresh -S {machine.root} --preset host-asan", machine.calls("cmake"))

    def test_a_preset_that_is_none_leaves_no_folder(self):
        machine = Machine(self.folder)
        done = machine.run("run", APOD_PRESET="nope")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("cmake failed", done.stderr)
        self.assertFalse((machine.root / "build" / "nope").exists())

    def test_test_passes_its_arguments_to_ctest(self):
        machine = Machine(self.folder)
        machine.play("ctest", """mkdir -p "$2/Testing/Temporary"
printf 'a.cpp:7: Skipped\\nno GPU\\nskipped: no zsh\\n' >"$2/Testing/Temporary/LastTest.log"
printf '      Start  1: a/B.c\\n 1/2 Test #1: a/B.c ...   Passed    0.02 sec\\n 2/2 Test #2: a/B.d ...***Failed\\n'
exit 8""")
        done = machine.run("test", "-L", "host")
        self.assertEqual(done.returncode, 8, done.stderr)
        self.assertNotIn("B.c", done.stdout)
        self.assertIn("Test #2: a/B.d ...***Failed", done.stdout)
        self.assertRegex(done.stdout, r"skipped, by reason:\n +1 no (GPU|zsh)\n +1 no (GPU|zsh)\n$")
        self.assertIn(f"cmake --build {machine.root}/build/host --target all", machine.calls("cmake"))
        self.assertEqual(len(machine.calls("ctest")), 1)
        self.assertIn(f"--test-dir {machine.root}/build/host ", machine.calls("ctest")[0])
        self.assertTrue(machine.calls("ctest")[0].endswith(" -L host"))

    def test_a_failed_build_shows_its_output_and_runs_nothing(self):
        machine = Machine(self.folder)
        for script in ("run", "test"):
            done = machine.run(script, BROKEN="1")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("a.cpp:1: error: broken", done.stderr)
            self.assertNotIn("[1/2]", done.stderr)
        self.assertEqual(machine.calls("ctest"), [])

    def test_quick_leaves_out_whole_programs(self):
        machine = Machine(self.folder)
        machine.run("test", "--quick", "-R", "report")
        self.assertTrue(machine.calls("ctest")[0].endswith(" -L ^host$ -E ^(cli|scripts|faults|cluster)/ -R report"))

    def test_a_person_is_asked_before_anything_is_installed(self):
        machine = Machine(self.folder)
        machine.play("apt-get")
        if not self.is_root:
            machine.play("sudo", '"$@"')
        install = "apt-get install --yes --no-install-recommends libfmt-dev"
        for script in ("run", "test"):
            for answer, words, asks, installs in (("n\n", (), True, False), ("\n", (), True, True), ("y\n", (), True, True),
                                                  ("\4", (), True, False), ("n\n", ("--yes",), False, True)):
                machine.log.write_text("")
                said = machine.run_at_a_terminal(script, answer, *words, MISSING_LIBRARIES="libfmt-dev")
                self.assertEqual("install them now" in said, asks, said)
                self.assertEqual(install in machine.calls("apt-get"), installs, said)
                self.assertEqual("nothing was installed; run that line when you are ready" in said, not installs, said)
                self.assertEqual(len(machine.calls("cmake")) > 0, installs, said)

    def test_an_old_cmake(self):
        machine = Machine(self.folder)
        done = machine.run("run", CMAKE_VERSION="3.9.6")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cmake 3.25 or later is needed", done.stderr)
        self.assertIn("3.9.6", done.stderr)
        self.assertEqual(machine.calls("cmake"), ["cmake --version"])
        self.assertEqual(machine.run("run", CMAKE_VERSION="4.0.1").returncode, 7)

    def test_without_apt_it_lists_what_is_missing(self):
        machine = Machine(self.folder, players=("cmake", "c++", "git"))
        done = machine.run("run", MISSING_LIBRARIES="libfmt-dev")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ninja-build libfmt-dev\n", done.stderr)
        self.assertIn("no apt-get", done.stderr)
        self.assertEqual(machine.calls("cmake"), [])

    def test_not_root_and_no_sudo(self):
        machine = Machine(self.folder)
        self.need_nobody()
        machine.play("apt-get")
        done = machine.run("run", user=self.nobody, MISSING_LIBRARIES="libfmt-dev")
        self.assertEqual(done.returncode, 1)
        self.assertIn("run as root: apt-get install --yes --no-install-recommends libfmt-dev", done.stderr)
        self.assertEqual(machine.calls("apt-get"), [])

    def test_not_root_with_sudo(self):
        machine = Machine(self.folder)
        self.need_nobody()
        machine.play("apt-get")
        machine.play("sudo", '"$@"')
        done = machine.run("run", user=self.nobody, MISSING_LIBRARIES="libfmt-dev")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("packages are missing; this installs them: sudo apt-get install", done.stderr)
        self.assertEqual(machine.calls("sudo")[0], "sudo env DEBIAN_FRONTEND=noninteractive apt-get update")
        self.assertEqual(machine.calls("apt-get")[1], "apt-get install --yes --no-install-recommends libfmt-dev")

    def test_sudo_builds_as_the_owner_of_the_checkout(self):
        if not self.is_root:
            self.skipTest("needs root")
        machine = Machine(self.folder)
        machine.play("runuser", 'shift 3; exec "$@"')
        machine.play("getent", "echo nobody:x:65534:65534::/home/nobody:/bin/sh")
        machine.run("run", SUDO_UID="65534", SUDO_USER="nobody")
        self.assertEqual(machine.calls("runuser"), [], "the checkout is root's own")
        os.chown(machine.root, 65534, 65534)
        machine.run("run", SUDO_UID="65534", SUDO_USER="nobody")
        self.assertIn(f"runuser -u nobody -- cmake --build {machine.root}/build/host --target bench",
                      machine.calls("runuser"))


if __name__ == "__main__":
    unittest.main()
