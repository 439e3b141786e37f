#!/usr/bin/env python3
"""Runs of bench on a system that fails. Whatever happens, a run ends with a documented exit code and says why, what
was there before stays or is replaced as a whole, and a resumption completes it: every case once in each process,
and each measurement that the journal held as it was.

Usage: campaign.py BENCH FAILING_SYSTEM [--rounds N] [--stride N] [--seed N]
  BENCH           the program
  FAILING_SYSTEM  the library made of tests/faults/failing_system.cpp
  --rounds N      so many kills, and so many damaged journals (default 100)
  --stride N      fail at each N-th call that changes a file (default 1: at every one)
"""

import argparse
import datetime
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

CONFIG = """
schema: 1
measure: {cache: hot, processes: 3, precision: 50%, max_time: 2ms, warmup: 1ms, min_samples: 5}
experiments:
  - {workload: reduction, axes: {variant: host, size: [64, 128]}}
  - {workload: copy, axes: {variant: host, size: [64, 128]}}
"""
MEASUREMENTS = 4 * 3
DOCUMENTED = {0, 1, 3, 4, 130}
BEFORE = '{"this": "was here before"}'


class Round:
    """A folder with an experiment, an earlier file at the place of the result, and runs."""

    def __init__(self, bench, shim):
        self.bench, self.shim = bench, shim
        self.folder = Path(tempfile.mkdtemp(prefix="apod-faults-")).resolve()
        (self.folder / "inside").mkdir()
        (self.folder / "x.yaml").write_text(CONFIG)
        self.result = self.folder / "inside" / "r.json"
        self.journal = self.folder / "inside" / "r.json.journal"
        self.result.write_text(BEFORE)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            shutil.rmtree(self.folder)
        else:
            print(f"left for you to look at: {self.folder}")

    def words(self, *more):
        return [self.bench, "--config", str(self.folder / "x.yaml"), "--out", str(self.result), "--backend", "host",
                "-q", *more]

    def run(self, *more, environment=None, limit=None):
        return subprocess.run(self.words(*more), capture_output=True, text=True, timeout=120, cwd=self.folder,
                              env={**os.environ, **(environment or {})}, preexec_fn=limit, check=False)

    def start(self, *more):
        return subprocess.Popen(self.words(*more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                cwd=self.folder, start_new_session=True)

    def fail_at(self, call, stays):
        count = self.folder / "count"
        count.unlink(missing_ok=True)
        environment = {"LD_PRELOAD": self.shim, "APOD_FAIL_IN": str(self.folder / "inside"),
                       "APOD_FAIL_AT": str(call), "APOD_FAIL_COUNT": str(count)}
        if stays:
            environment["APOD_FAIL_LONG"] = "1"
        ended = self.run(environment=environment)
        return ended, int(count.read_text())

    def samples(self):
        """What the result holds, by case and process."""
        rows = json.loads(self.result.read_text())["benchmarks"]
        found = {(row["name"], row["apod"]["process"]): row["apod"]["samples_s"] for row in rows}
        assert len(found) == len(rows), "a case stands twice in a process"
        return found

    def journaled(self):
        if not self.journal.exists():
            return {}
        kept = {}
        for line in self.journal.read_bytes().split(b"\n")[1:-1]:
            entry = json.loads(line[line.index(b"{"):])
            kept[entry["case_id"], entry["process"]] = entry["samples_s"]
        return kept

    def check_whole(self):
        """The result is the earlier file as it was, or a whole one."""
        if self.result.read_text() != BEFORE:
            self.samples()

    def check_alone(self):
        """No process that knows the folder is left a second later."""
        for _ in range(20):
            left = [path for path in Path("/proc").glob("[0-9]*/cwd") if self.is_ours(path)]
            if not left:
                return
            time.sleep(0.05)
        raise AssertionError(f"still running: {left}")

    def is_ours(self, link):
        try:
            return link.readlink() == self.folder
        except OSError:
            return False

    def resume(self, kept):
        """Completes the run. `kept`: what must not be measured again."""
        more = ["--resume"] if self.journal.exists() else []
        ended = self.run(*more)
        assert ended.returncode == 0, ended.stderr
        after = self.samples()
        assert len(after) == MEASUREMENTS, f"{len(after)} measurements"
        for key, samples in kept.items():
            assert after[key] == samples, f"{key} was measured again, or changed"
        assert not self.journal.exists(), "the journal is still there"
        left = {path.name for path in (self.folder / "inside").iterdir()}
        assert left <= {"r.json", "r.json.old", "r.json.journal.old"}, f"left behind: {left}"
        return after


def check_end(ended):
    assert ended.returncode in DOCUMENTED, f"exit code {ended.returncode}: {ended.stderr}"
    assert ended.returncode == 0 or ended.stderr or ended.stdout, "it failed and said nothing"
    for word in ("std::", "terminate", "internal error"):
        assert word not in ended.stderr, ended.stderr


def failing_calls(round_of, arguments):
    """Every call that changes a file fails, once or from then on."""
    rounds = 0
    for stays in (False, True):
        call = 1
        while True:
            with round_of() as one:
                ended, calls = one.fail_at(call, stays)
                check_end(ended)
                one.check_whole()
                if ended.returncode == 0:
                    assert len(one.samples()) == MEASUREMENTS, "it claims success and lacks measurements"
                    assert not stays or call > calls, f"call {call} failed, and nothing was said"
                    assert calls >= 20, f"{calls} calls: not all of them are seen"
                else:
                    one.resume(one.journaled())
                rounds += 1
                if call > calls:
                    break
            call += arguments.stride
    return f"{rounds} runs, of up to {calls} calls each"


def kills(round_of, arguments):
    """Killed at a random moment; what it had started ends with it."""
    with round_of() as one:
        begin = time.monotonic()
        assert one.run().returncode == 0
        usual = time.monotonic() - begin
    kept = 0
    for _ in range(arguments.rounds):
        with round_of() as one:
            process = one.start()
            time.sleep(random.uniform(0, 1.1 * usual))
            process.kill()
            process.wait()
            one.check_alone()
            one.check_whole()
            before = one.journaled()
            for hidden in list((one.folder / "inside").glob(".apod-*"))[:1]:
                hidden.unlink()  # of a file that was about to take the place of another
            kept += len(before)
            one.resume(before)
    return f"{arguments.rounds} kills, {kept} measurements kept"


def stopped_journal(one):
    """Makes a journal of some measurements."""
    for _ in range(100):
        if len(one.journaled()) >= 3:
            return
        one.journal.unlink(missing_ok=True)
        process = one.start()
        while process.poll() is None and (not one.journal.exists() or one.journal.read_bytes().count(b"\n") < 4):
            time.sleep(0.001)
        process.kill()
        process.wait()
        one.result.write_text(BEFORE)
    raise AssertionError("no run could be stopped in its midst")


def damaged_journals(round_of, arguments):
    """A random bit of a journal is another one: the line is measured again or the journal refused, and no number
    that nobody measured comes into the result."""
    refused = again = 0
    for _ in range(arguments.rounds):
        with round_of() as one:
            stopped_journal(one)
            kept = one.journaled()
            data = bytearray(one.journal.read_bytes())
            bit = random.randrange(8 * len(data))
            data[bit // 8] ^= 1 << bit % 8
            one.journal.write_bytes(data)
            ended = one.run("--resume")
            check_end(ended)
            if ended.returncode != 0:
                refused += 1
                assert one.journal.read_bytes() == data, "a refused journal was changed"
                continue
            after = one.samples()
            assert len(after) == MEASUREMENTS
            changed = [key for key in kept if after[key] != kept[key]]
            assert len(changed) <= 2, f"one bit changed {changed}"
            for key in changed:
                same = sum(a == b for a, b in zip(after[key], kept[key]))
                assert same < len(kept[key]) / 2 or len(kept[key]) < 4, f"{key} was changed, not measured again"
            again += bool(changed)
    return f"{arguments.rounds} damaged bits: {refused} journals refused, in {again} something measured again"


def limits(round_of, arguments):
    """Few descriptors, small files, little memory, few processes."""
    kinds = {resource.RLIMIT_NOFILE: (3, 4, 6, 8, 12, 16, 24), resource.RLIMIT_FSIZE: (0, 1, 512, 4096, 16384),
             resource.RLIMIT_AS: (1 << 26, 1 << 27, 1 << 28)}  # the program's code alone takes more than 1 << 24
    if os.geteuid() != 0:  # whose processes nobody counts
        kinds[resource.RLIMIT_NPROC] = (0, 1, 2)
    rounds = 0
    for kind, values in kinds.items():
        for value in values[::1 if arguments.rounds >= 10 else 3]:
            with round_of() as one:
                ended = one.run(limit=lambda kind=kind, value=value: resource.setrlimit(kind, (value, value)))
                # The loader's own failures come before anything of ours.
                if ended.returncode != 127 and "loading shared libraries" not in ended.stderr:
                    check_end(ended)
                one.check_whole()
                one.resume({})
                rounds += 1
    return f"{rounds} runs"


def pauses(round_of, arguments):
    """Stopped for a while, with all its workers; it goes on."""
    rounds = max(1, arguments.rounds // 10)
    for _ in range(rounds):
        with round_of() as one:
            process = one.start()
            time.sleep(random.uniform(0, 0.3))
            for signal_number in (signal.SIGSTOP, signal.SIGCONT):
                try:
                    os.killpg(process.pid, signal_number)
                except ProcessLookupError:
                    pass
                time.sleep(0.2)
            assert process.wait(60) == 0
            assert len(one.samples()) == MEASUREMENTS
    return f"{rounds} pauses"


def clock_jumps(round_of, arguments):
    """The wall clock jumps back and forth by a day: no time is negative."""
    for jump in (-86400, 86400):
        with round_of() as one:
            ended = one.run(environment={"LD_PRELOAD": one.shim, "APOD_CLOCK_JUMP": str(jump)})
            assert ended.returncode == 0, ended.stderr
            assert all(0 < value < 1 for samples in one.samples().values() for value in samples)
            context = json.loads(one.result.read_text())["context"]
            assert 0 <= context["apod"]["wall_s"] < 60
            off = datetime.datetime.fromisoformat(context["date"]).timestamp() - time.time() - jump
            assert abs(off) < 600, f"the clock did not jump: {context['date']}"
    return "2 runs"


# What a stranger may put where a file is expected: it never ends, never begins, or is larger than any memory.
ODD_FILES = {
    "a pipe": lambda path: os.mkfifo(path),
    "zeros without end": lambda path: path.symlink_to("/dev/zero"),
    "a folder": lambda path: path.mkdir(),
    "3 GiB of nothing": lambda path: (path.touch(), os.truncate(path, 3 << 30)),
    "40 MB of brackets": lambda path: path.write_text("[" * 40_000_000),
}
LONGEST_S = 10
MOST_MB = 1000

# Where a file is named or found, and a command that comes by it.
PLACES = (
    ("odd.yaml", "--config odd.yaml --dry-run --backend host"),
    ("ids", "--config x.yaml --dry-run --backend host --only ids"),
    ("x.npy", "--config data.yaml --dry-run --backend host"),
    ("k.cu", "--config kernel.yaml --dry-run"),
    ("k.cu", "try k.cu"),
    ("odd.json", "show odd.json"),
    ("odd.json", "compare odd.json good.json"),
    ("odd.json", "compare good.json good2.json --calibration odd.json"),
    ("odd.json", "export odd.json --to google --out exported.json"),
    ("odd.json", "merge whole.json odd.json"),
    ("odd.json", "history odd.json good.json"),
    ("odd.json", "calibrate odd.json"),
    ("odd.json", "inspect odd.json"),
    ("odd.sqlite", "inspect odd.sqlite"),
    ("parts/1.0.parts", "inspect parts"),
    ("program", "sass program"),
    ("good.1-of-2.json", "status good.json"),
    ("r.json.journal", "--config x.yaml --backend host -q --out r.json --resume"),
    ("results/calibrations/c.json", "compare good.json good2.json"),
    ("results/ceilings/DEVICE.json", "--config x.yaml --backend host -q --out r.json"),
)
DATA = """
schema: 1
data: {file: x.npy}
experiments: [{workload: convolution, axes: {variant: host}}]
"""
KERNEL = """
schema: 1
experiments:
  - {kernel: {file: k.cu, name: k}, axes: {size: 64}, grid: 1, block: 64,
     args: [{name: y, type: f32, shape: size, role: out}], reference: {expression: "1"}}
"""


def with_variables(variables):
    """The environment with these; without one that is None."""
    return {name: value for name, value in {**os.environ, **variables}.items() if value is not None}


def ended_within_bounds(words, folder, environment=None):
    """What a command came to, which took neither long nor much memory: its exit code, and what it said."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(words, stdout=said, stderr=said, cwd=folder, stdin=subprocess.DEVNULL,
                                   start_new_session=True, env=with_variables(environment or {}))
        begin = time.monotonic()
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                break
            if time.monotonic() - begin > 6 * LONGEST_S:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise AssertionError(f"{words}: no end")
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    seconds = usage.ru_utime + usage.ru_stime
    assert seconds < LONGEST_S, f"{words}: {seconds:.0f} s"
    assert usage.ru_maxrss / 1024 < MOST_MB, f"{words}: {usage.ru_maxrss / 1024:.0f} MB"
    assert len(text) < 100_000, f"{words}: {len(text)} characters"
    return process.returncode, " ".join(text.split())


RESULTS = {}  # of two runs, by name: all rounds begin with the same


def put_results(one):
    """Two results of the experiment in the folder of the round: good.json and good2.json."""
    for name in ("good.json", "good2.json"):
        if name in RESULTS:
            (one.folder / name).write_bytes(RESULTS[name])
            continue
        assert one.run("--out", name).returncode == 0
        RESULTS[name] = (one.folder / name).read_bytes()


def slug_of_device(one):
    device = json.loads((one.folder / "good.json").read_text())["context"]["apod"]["device"]["name"]
    return re.sub("[^a-z0-9.]+", "-", device.lower()).strip("-")


def odd_files(round_of, arguments):
    """Wherever a file is named or found lies something else."""
    rounds = 0
    kinds = list(ODD_FILES.items())
    for number, (name, command) in enumerate(PLACES):
        # The short form takes one kind a place.
        for kind, make in kinds if arguments.rounds >= 10 else [kinds[number % len(kinds)]]:
            with round_of() as one:
                (one.folder / "data.yaml").write_text(DATA)
                (one.folder / "kernel.yaml").write_text(KERNEL)
                put_results(one)
                path = one.folder / name.replace("DEVICE", slug_of_device(one))
                path.parent.mkdir(parents=True, exist_ok=True)
                make(path)
                code, said = ended_within_bounds([one.bench, *command.split()], one.folder)
                assert code in DOCUMENTED, f"{kind}, {command}: exit code {code}: {said}"
                assert code != 0 or "/" in name, f"{kind}, {command}: {said}"  # it was named
                rounds += 1
    return f"{rounds} runs, each below {LONGEST_S} s and {MOST_MB} MB"


EXTREMES = (-2**63, -1, 0, 1, 2**31 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**64 - 1, 5e-324, 1e308)
PART = Path(__file__).resolve().parents[1] / "data/inspect/parts/ranges_window/693.0.parts"


def numbers_in(value):
    """An object or a list and a key in it of each number; of lists the first item stands for all."""
    for key in list(value) if isinstance(value, dict) else range(min(len(value), 1)):
        if isinstance(value[key], (dict, list)):
            yield from numbers_in(value[key])
        elif isinstance(value[key], (int, float)):
            yield value, key


def extreme_parts(round_of, arguments):
    """What a traced process wrote, with each number in turn as far out as it can be."""
    lines = [json.loads(line) for line in PART.read_text().splitlines()]
    runs = 0
    with round_of() as one:
        numbers = [place for line in lines for place in numbers_in(line)]
        for number, ((holder, key), extreme) in enumerate(itertools.product(numbers, EXTREMES)):
            if number % (1 if arguments.rounds >= 10 else 41) != 0:
                continue
            before, holder[key] = holder[key], extreme
            (one.folder / "1.0.parts").write_text("\n".join(map(json.dumps, lines)) + "\n")
            holder[key] = before
            code, said = ended_within_bounds([one.bench, "inspect", "."], one.folder)
            assert code in DOCUMENTED and said, f"{key}: {extreme}: exit code {code}: {said}"
            assert not re.search(r"\b(nan|inf)\b|-\d{9}", said), f"{key}: {extreme}: {said}"
            runs += 1
    return f"{runs} runs, each below {LONGEST_S} s and {MOST_MB} MB"


# Variables that lead elsewhere or nowhere. None: it is not there.
ODD_VARIABLES = (
    {"PATH": ":/usr/bin:/bin"}, {"PATH": "/usr/bin::/bin:"}, {"PATH": "x" * 100_000 + ":/usr/bin"}, {"PATH": ""},
    {"PATH": None}, {"HOME": None}, {"HOME": ""}, {"HOME": "/proc"}, {"HOME": "x.yaml"}, {"HOME": "/nowhere\n"},
    {"HOME": "/" + "x" * 5000}, {"XDG_CACHE_HOME": "/dev/null"}, {"XDG_CACHE_HOME": "PIPE"},
    {"XDG_CACHE_HOME": "relative"}, {"XDG_CACHE_HOME": "/proc/self"}, {"XDG_CACHE_HOME": "/" + "x/" * 2000},
    {"XDG_CONFIG_HOME": "PIPE", "XDG_RUNTIME_DIR": "PIPE", "XDG_DATA_HOME": "PIPE"}, {"TMPDIR": "PIPE"},
    {"TMPDIR": "/proc"}, {"TMPDIR": "relative"}, {"CXX": "ccache g++"}, {"CXX": "'"}, {"CXX": "PIPE"},
    {"CUDA_HOME": "PIPE", "CUDA_PATH": "relative"},
)
COMMAND = "schema: 1\nexperiments: [{workload: {command: ['true']}, measure: {processes: 1}}]\n"


def odd_variables(round_of, arguments):
    """Whatever the environment says, the folder's own programs do not run and nothing is waited for."""
    runs = 0
    for number, variables in enumerate(ODD_VARIABLES):
        if number % (1 if arguments.rounds >= 10 else 5) != 0:
            continue
        with round_of() as one:
            (one.folder / "command.yaml").write_text(COMMAND)
            (one.folder / "kernel.yaml").write_text(KERNEL)
            (one.folder / "k.cu").write_text('extern "C" __global__ void k(float* y) { y[threadIdx.x] = 1; }')
            os.mkfifo(one.folder / "PIPE")
            for name in ("true", "nvcc", "gcc", "g++", "c++", "ccache", "git", "nvidia-smi"):
                (one.folder / name).write_text("#!/bin/sh\n: >RAN\n")
                (one.folder / name).chmod(0o755)
            values = {name: str(one.folder / "PIPE") if value == "PIPE" else value for name, value in variables.items()}
            for command in ("--config x.yaml --backend host -q --out r.json",
                            "--config command.yaml --trust -q --out r.json", "--config kernel.yaml --dry-run"):
                code, said = ended_within_bounds([one.bench, *command.split()], one.folder, values)
                assert code in DOCUMENTED and (code == 0 or said), f"{variables}, {command}: exit code {code}: {said}"
                assert not (one.folder / "RAN").exists(), f"{variables}, {command} ran a program of this folder"
                runs += 1
    return f"{runs} runs, each below {LONGEST_S} s and {MOST_MB} MB"


SOMEBODY = 12345
ACCESS_LIST = "system.posix_acl_access"
# acl(5): user::rwx, user:SOMEBODY:rwx, group::r-x, mask::rwx, other::r-x
SOMEBODY_WRITES = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in (
    (1, 7, -1), (2, 7, SOMEBODY), (4, 5, -1), (16, 7, -1), (32, 5, -1)))


def has_access_lists():
    try:
        with tempfile.NamedTemporaryFile() as file:
            os.setxattr(file.name, ACCESS_LIST, SOMEBODY_WRITES)
        return True
    except OSError:
        return False


def other_users(round_of, _arguments):
    """Links and files of another user lead no write elsewhere, and are not believed."""
    if os.geteuid() != 0:
        return "no runs: only root can make files of another user"
    rounds = 0

    def give(path):
        os.chown(path, SOMEBODY, SOMEBODY, follow_symlinks=False)
        return path

    for name, command in (("r.json", "--config ../x.yaml --backend host -q --out r.json"),
                          ("r.txt", "show ../good.json --out r.txt"), ("r.csv", "export ../good.json --out r.csv"),
                          ("r.json.journal", "--config ../x.yaml --backend host -q --out r.json")):
        for is_link in (True, False):
            with round_of() as one:
                put_results(one)
                shared = one.folder / "shared"
                shared.mkdir()
                shared.chmod(0o1777)
                victim = one.folder / "victim"
                victim.write_text(BEFORE)
                if is_link:
                    (shared / name).symlink_to(victim)
                else:
                    os.mkfifo(shared / name)
                give(shared / name)
                code, said = ended_within_bounds([one.bench, *command.split()], shared)
                assert code == 1 and said, f"{command}: exit code {code}: {said}"
                assert victim.read_text() == BEFORE, f"{command} wrote through a link"
                rounds += 1
    changes = [lambda folder, file: give(file), lambda folder, file: give(folder),
               lambda folder, file: folder.chmod(0o777), lambda folder, file: file.chmod(0o666),
               lambda folder, file: folder.chmod(0o1777),
               lambda folder, file: (os.chown(folder, 0, SOMEBODY), folder.chmod(0o775)),
               lambda folder, file: folder.parent.chmod(0o777)]
    if has_access_lists():
        changes += [lambda folder, file: os.setxattr(file, ACCESS_LIST, SOMEBODY_WRITES),
                    lambda folder, file: os.setxattr(folder, ACCESS_LIST, SOMEBODY_WRITES)]
    for what, command in (("calibrations", "compare good.json good2.json"),
                          ("ceilings", "--config x.yaml --backend host --out r.json")):
        for change in changes:
            with round_of() as one:
                put_results(one)
                folder = one.folder / "results" / what
                folder.mkdir(parents=True)
                file = folder / f"{slug_of_device(one)}.json"
                shutil.copy(one.folder / "good.json", file)
                change(folder, file)
                _, said = ended_within_bounds([one.bench, *command.split()], one.folder)
                assert f"{what} were ignored:" in said and "is not a calibration" not in said, said
                rounds += 1
    for name in ("summary", "folder/summary"):  # a link itself, and one on the way
        with round_of() as one:
            put_results(one)
            (one.folder / "elsewhere").mkdir()
            victim = one.folder / "elsewhere" / "summary"
            victim.write_text(BEFORE)
            shared = one.folder / "shared"
            shared.mkdir()
            shared.chmod(0o1777)
            link = shared / name.split("/")[0]
            link.symlink_to(victim if name == "summary" else victim.parent)
            give(link)
            _, said = ended_within_bounds([one.bench, "compare", "good.json", "good2.json"], one.folder,
                                          {"GITHUB_STEP_SUMMARY": str(shared / name)})
            assert "the summary could not be written" in said and "another user" in said, said
            assert victim.read_text() == BEFORE, "the summary was written through a link"
            rounds += 1
    lists = "" if has_access_lists() else ", none with access lists (this file system has none)"
    return f"{rounds} runs, {primary_members(round_of)} with other users of a group{lists}"


def primary_members(round_of):
    """A group whose other member's entry in passwd(5) alone says so."""
    runs = 0
    for others in ("", f"eve:x:{SOMEBODY}:0::/:/bin/false\n"):
        with round_of() as one:
            put_results(one)
            folder = one.folder / "results" / "calibrations"
            folder.mkdir(parents=True)
            shutil.copy(one.folder / "good.json", folder / "c.json")
            (folder / "c.json").chmod(0o664)
            (one.folder / "passwd").write_text("root:x:0:0::/root:/bin/sh\nbob:x:77:77::/:/bin/sh\n" + others)
            inside = 'mount --bind passwd /etc/passwd || exit 99; exec "$@"'
            code, said = ended_within_bounds(["unshare", "-m", "sh", "-c", inside, "sh", one.bench, "compare", "good.json",
                                              "good2.json"], one.folder)
            if code in (1, 99) and ("unshare" in said or "mount" in said):
                return "none (no mount namespace here)"
            assert ("is not a calibration" in said) != bool(others), said
            runs += 1
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("failing_system")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    print(f"--seed {arguments.seed}", flush=True)

    def round_of():
        return Round(os.path.abspath(arguments.bench), os.path.abspath(arguments.failing_system))

    for part in (failing_calls, kills, damaged_journals, limits, pauses, clock_jumps, odd_files, extreme_parts,
                 odd_variables, other_users):
        begin = time.monotonic()
        print(f"{part.__name__}: ", end="", flush=True)
        print(f"{part(round_of, arguments)}; {time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main()
