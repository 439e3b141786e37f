#!/usr/bin/env python3
"""How often the whole program finds the right commit: `bench bisect` in repositories of git that are made for it.

    python3 tests/studies/bisect_runs.py BENCH [RUNS [SEED]]

Each run has a repository of its own with 64 commits after the good one, one of which makes a program slower by 5 %. The
program's time comes from a formula: the level of its commit, and gaussian noise of 0.4 % from process to process. It is
read as Google Benchmark's. Prints Markdown; docs/judging-evidence.md shows a run.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMITS = 64
STEP = 0.05
LEVEL = 2000000  # ps

# Twelve uniform numbers make a gaussian one; no other process is started.
PROGRAM = r"""#!/bin/bash
for word; do
  case $word in --benchmark_out=*) out=${word#*=} ;; esac
done
sum=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sum=$((sum + RANDOM)); done
read -r level <level
ps=$((level + level * 4 / 1000 * (sum - 196602) / 32767))
row="\"name\":\"BM_a\",\"run_type\":\"iteration\",\"iterations\":1,\"time_unit\":\"ns\""
printf '{"context":{"host_name":"h"},"benchmarks":[{%s,"real_time":%d.%03d,"cpu_time":1}]}\n' "$row" \
  $((ps / 1000)) $((ps % 1000)) >"$out"
"""


def make_repository(folder, at):
    """Commit 0 is the good end; from commit `at` on the program is slower."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    lines = []
    for i in range(COMMITS + 1):
        level = str(round(LEVEL * (1 + STEP)) if i >= at else LEVEL) + "\n"
        message = f"commit {i}"
        lines += ["commit refs/heads/study", f"mark :{i + 1}", f"committer A <a@example.org> {1000000000 + i} +0000",
                  f"data {len(message)}", message]
        if i:
            lines.append(f"from :{i}")
        else:
            lines += ["M 100755 inline program", f"data {len(PROGRAM)}", PROGRAM]
        lines += ["M 100644 inline level", f"data {len(level)}", level]
    subprocess.run(["git", "-C", folder, "fast-import", "--quiet"], input="\n".join(lines) + "\n", text=True, check=True)


def search(bench, folder, seed):
    """The subject of the commit that was found, the blocks of the search and the seconds that it took."""
    begin = time.monotonic()
    run = subprocess.run(
        [bench, "bisect", "--good", f"study~{COMMITS}", "--bad", "study", "--cmd", "./program", "--read", "google",
         "--seed", str(seed), "-q", "--format", "json"], cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.monotonic() - begin
    if run.returncode not in (0, 4):
        sys.exit(f"bench bisect ended with {run.returncode}")
    notes = json.loads(run.stdout)["notes"]
    found = next((note.rpartition(": ")[2] for note in notes if note.startswith("commit ")), "")
    blocks = next(int(note.split()[0]) for note in notes if "guided the search" in note)
    return found, blocks, seconds


def main(arguments):
    if not 1 <= len(arguments) <= 3:
        sys.exit(__doc__)
    bench = os.path.abspath(arguments[0])
    runs = int(arguments[1]) if len(arguments) > 1 else 100
    generator = random.Random(int(arguments[2]) if len(arguments) > 2 else 1)
    right = all_blocks = all_seconds = 0
    for _ in range(runs):
        at = generator.randint(1, COMMITS)
        with tempfile.TemporaryDirectory() as folder:
            make_repository(folder, at)
            found, blocks, seconds = search(bench, folder, generator.getrandbits(32))
        right += found == f"commit {at}"
        all_blocks += blocks
        all_seconds += seconds
        print(f"{at} {found} {blocks} {seconds:.1f}", file=sys.stderr)
    print("| runs | right | blocks of the search | seconds |\n| --: | --: | --: | --: |")
    print(f"| {runs} | {right} | {all_blocks / runs:.1f} | {all_seconds / runs:.0f} |")


if __name__ == "__main__":
    main(sys.argv[1:])
