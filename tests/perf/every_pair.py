"""How often does comparing two results of one build raise a false alarm?

    python3 tests/perf/every_pair.py BENCH FOLDER [FLAGS...]

Compares every two result files of FOLDER (*.json, in the order of their names) with `BENCH compare A B FLAGS...`, and
every half of them (up to eight files) with the other half, and prints how many pairs and halves have a false
regression or improvement, and the verdicts of all cases. docs/judging-evidence.md shows runs.
"""

import collections
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile


def compare(bench, base, new, flags, out):
    """The comparison of two lists of files as JSON, and the exit code."""
    out.unlink(missing_ok=True)
    sides = [word for flag, files in (("--base", base), ("--new", new)) for file in files for word in (flag, str(file))]
    done = subprocess.run([bench, "compare", *sides, "--out", str(out), *flags], capture_output=True, text=True)
    if not out.exists():
        sys.exit(f"compare {base} {new}: no result, exit code {done.returncode}\n{done.stderr}")
    return json.loads(out.read_text()), done.returncode


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bench, folder, *flags = sys.argv[1:]
    files = sorted(pathlib.Path(folder).glob("*.json"))
    if len(files) < 2:
        sys.exit(f"{folder}: two result files are needed")
    verdicts = collections.Counter()
    codes = collections.Counter()
    wrong = collections.Counter()
    neighbours = 0
    with tempfile.TemporaryDirectory() as scratch:
        for (i, base), (j, new) in itertools.combinations(enumerate(files), 2):
            comparison, code = compare(bench, [base], [new], flags, pathlib.Path(scratch) / "c.json")
            counts = comparison["counts"]
            verdicts.update(counts)
            codes[code] += 1
            neighbours += j == i + 1 and counts["regression"] > 0
            for kind in ("regression", "improvement"):
                wrong[kind] += counts[kind] > 0
            for case in comparison["cases"]:
                if case["verdict"] == "regression":
                    print(f"{base.name} -> {new.name}: {case['name']} {100 * case['change']:+.2f} %")
        halves = halves_of(files[:8])
        wrong_halves = 0
        of_halves = collections.Counter()
        for half in halves:
            rest = [file for file in files[:8] if file not in half]
            counts = compare(bench, half, rest, flags, pathlib.Path(scratch) / "c.json")[0]["counts"]
            wrong_halves += counts["regression"] + counts["improvement"] > 0
            of_halves.update(counts)
    pairs = len(files) * (len(files) - 1) // 2
    print(f"{len(files)} files, {pairs} pairs: {wrong['regression']} with a false regression "
          f"({neighbours} of them neighbours), {wrong['improvement']} with a false improvement")
    print("cases: " + ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items()) if count))
    print("exit codes: " + ", ".join(f"{code} in {count}" for code, count in sorted(codes.items())))
    print(f"{len(halves)} halves: {wrong_halves} with a false regression or improvement; cases: "
          + ", ".join(f"{count} {name}" for name, count in sorted(of_halves.items()) if count))


def halves_of(files):
    """Every half that holds the first file, as lists."""
    return [[files[0], *others] for others in itertools.combinations(files[1:], len(files) // 2 - 1)]


main()
