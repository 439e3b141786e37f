#!/usr/bin/env python3
"""Whether the tests notice when the program, a script or a kept table is wrong.

    python3 tests/studies/mutants.py BUILD [--only scripts|programs] [--root CHECKOUT]

Each mutant below is one wrong line. It is put into the checkout, what holds it is built and run, and the line is put back.
A mutant dies where a test fails. The table is printed as Markdown. BUILD is a configured build folder of the checkout.
"""

import argparse
import subprocess
import sys
from pathlib import Path

# The place, its line, what stands there instead, and the tests: a program with a filter, or a script of tests/scripts.
MUTANTS = [
    ("benchmarks/base/estimator.cpp", "if (processes < fewest_processes_for_interval)",
     "if (processes + 1 < fewest_processes_for_interval)", "test_benchmarks_base"),
    ("benchmarks/base/stats/means.cpp", "return std::midpoint(*std::max_element", "return std::max(*std::max_element",
     "test_benchmarks_base_stats"),
    ("benchmarks/base/summary.cpp", "std::ranges::equal(processes, base, {}, process, process)", "!base.empty()",
     "test_benchmarks_base"),
    ("benchmarks/base/result.cpp", "measurement.clock.sample_mhz.clear();", "", "test_benchmarks_files:ThinResult.*"),
    ("benchmarks/files/columns.cpp", "if (!is_common) continue;", "", "test_benchmarks_files:Columns.*:ThinResult.*"),
    ("benchmarks/files/apod_reader.cpp", "if (!measurement.verification.passed)", "if (false)",
     "test_benchmarks_files:ReadResult.*"),
    ("benchmarks/files/merge_results.cpp", "before.failed.empty() && measurement.failed.empty() &&", "false &&",
     "test_benchmarks_files:Merg*"),
    ("benchmarks/show/to_csv.cpp", "quoted += c == '\"' ? \"\\\"\\\"\"", "quoted += c == '\"' ? \"\\\"\"",
     "test_benchmarks_show"),
    ("benchmarks/show/run_result.cpp", "++group.count;", ";", "test_benchmarks_show"),
    ("benchmarks/look/stream_rules.cpp", "return all > 0 ? 1 - least / all : 0;", "return all > 0 ? least / all : 0;",
     "test_benchmarks_look"),
    ("benchmarks/plan/where.cpp", "if (holds_here) is_met_[m][c] = true;", "", "test_benchmarks_plan"),
    ("benchmarks/run/spot_checks.cpp", "2 * mhz.size() > samples.size()", "mhz.size() > samples.size()",
     "test_benchmarks_run"),
    ("scripts/check-layers", "if lines > BUDGETS[room]:", "if lines > 2 * BUDGETS[room]:", "check_layers"),
    ("scripts/check-layers", "RANKS[target] < RANKS[layer]", "RANKS[target] <= RANKS[layer]", "check_layers"),
    ("scripts/check-layers", "(match := call.search(line))", "(match := call.match(line))", "check_layers"),
    ("scripts/lib.sh", "| sort -V |", "| sort |", "run_scripts"),
    ("scripts/lib.sh", "runuser -u", "env SUDO=", "run_scripts"),
    (".ci/run", "failed=$((failed + failures))", "failed=$((failures))", "ci_run"),
    (".ci/run", "sed -n 's/^< /before: /p; s/^> /after:  /p'", "sed -n 's/^< /before: /p'", "ci_run"),
    ("scripts/keep", 'own["device"]["uuid"] = own["device"].get("uuid", "")[:ID_LENGTH]', "pass", "keep"),
    ("scripts/measure", "[[ -f $out.journal ]] && resume=--resume", ":", "measure"),
]


def command(build, root, tests):
    if tests.startswith("test_"):
        program, _, chosen = tests.partition(":")
        return [str(build / "tests" / program), f"--gtest_filter={chosen or '*'}", "--gtest_brief=1"]
    bench = [str(build / "benchmarks" / "bench")] if tests == "keep" else []
    return [sys.executable, str(root / "tests" / "scripts" / f"{tests}_test.py"), *bench]


def dies(build, root, tests):
    """Whether the tests fail, or no longer compile."""
    if tests.startswith("test_"):
        done = subprocess.run(["ninja", "-C", build, tests.partition(":")[0]], capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout.decode()[-2000:])
    return subprocess.run(command(build, root, tests), cwd=root, capture_output=True, check=False).returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", choices=("scripts", "programs"))
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    words = parser.parse_args()
    build, root = words.build.resolve(), words.root.resolve()
    chosen = [one for one in MUTANTS if not words.only or (words.only == "programs") == one[3].startswith("test_")]
    for tests in sorted({tests for *_, tests in chosen}):
        if dies(build, root, tests):
            sys.exit(f"{tests}: fails without a mutant")
    print("| place | what is wrong | tests | |\n| --- | --- | --- | --- |")
    for file, line, wrong, tests in chosen:
        path = root / file
        text = path.read_text(encoding="utf-8")
        if text.count(line) != 1:
            sys.exit(f"{file}: '{line}' is there {text.count(line)} times")
        path.write_text(text.replace(line, wrong), encoding="utf-8")
        try:
            verdict = "dies" if dies(build, root, tests) else "lives"
        finally:
            path.write_text(text, encoding="utf-8")
        print(f"| `{file}` | `{wrong.strip() or '(the line is gone: ' + line + ')'}` | `{tests}` | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
