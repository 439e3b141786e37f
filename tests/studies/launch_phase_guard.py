#!/usr/bin/env python3
"""How well configs/launches_before.yaml guards the weighing of phases: does one case take as long behind 0 to 7 launches?

    python3 tests/studies/launch_phase_guard.py BENCH > guard.txt

Runs the case alone and beside the thirteen of configs/yardstick.yaml, in one process and in six, several times each. A
line is HOW|SAMPLES|RUNS|WITHIN|LARGEST: min_samples, the runs, those whose eight times agree within 0.5 %, and the
largest change of all runs, %. Needs a GPU.
"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
WITHIN = 0.005
ROWS = [  # how, beside others, processes, min_samples, runs
    ("alone, one process", False, 1, 24, 6),
    ("alone, one process", False, 1, 160, 6),
    ("alone, one process", False, 1, 480, 6),
    ("alone, one process", False, 1, 800, 6),
    ("alone, one process", False, 1, 1200, 6),
    ("alone, six processes", False, 6, 480, 8),
    ("beside the thirteen cases of yardstick.yaml, one process", True, 1, 800, 6),
    ("beside the thirteen cases of yardstick.yaml, six processes", True, 6, 480, 3),
]


def config(beside):
    """The text of the case's experiment, behind those of the yardstick."""
    case = (CONFIGS / "launches_before.yaml").read_text()
    if not beside:
        return case
    yardstick = (CONFIGS / "yardstick.yaml").read_text()
    head = next(line for line in case.splitlines() if line.startswith("measure:"))
    experiment = case.split("\nexperiments:\n")[1]
    name = "  - name: behind\n"
    assert experiment.startswith(name)
    return yardstick + "\n" + name + f"    {head}\n" + experiment.removeprefix(name)


def changes(bench, file, processes, samples, folder):
    """How the times behind 1 to 7 launches differ from the one behind none."""
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    code = subprocess.run([bench, "--config", str(file), "--processes", str(processes), "--set", f"min_samples={samples}", "--quiet",
                           "--out", str(result)], stdout=subprocess.DEVNULL).returncode
    if code not in (0, 3):  # 3: a rule was missed, which is what is counted here
        sys.exit(f"bench ended with {code}")
    text = subprocess.run([bench, "show", str(result), "--format", "csv"], capture_output=True, text=True, check=True).stdout
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["experiment"] == "behind"]
    times = {row["launches_before"]: float(row["time_s"]) for row in rows}
    return [times[str(k)] / times["0"] - 1 for k in range(1, 8)]


def main(bench):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for beside in (False, True):
            (folder / f"{beside}.yaml").write_text(config(beside))
        for how, beside, processes, samples, runs in ROWS:
            largest = [max(map(abs, changes(bench, folder / f"{beside}.yaml", processes, samples, folder))) for _ in range(runs)]
            within = sum(change <= WITHIN for change in largest)
            print(f"{how}|{samples}|{runs}|{within}|{100 * max(largest):.2f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
