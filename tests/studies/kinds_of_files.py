#!/usr/bin/env python3
"""Tries the kernel files of tests/data/kernels as a user does, and runs each once under compute-sanitizer's memcheck.

    python3 tests/studies/kinds_of_files.py BENCH FOLDER     # FOLDER is made: of each file what `bench try` and --check said
    python3 tests/studies/kinds_of_files.py --table FOLDER   # a row for each file

Needs a GPU and nvcc.
"""
import pathlib
import re
import subprocess
import sys

FILES = pathlib.Path(__file__).resolve().parents[1] / "data" / "kernels"
NAMES = ["softmax", "scan", "cluster", "bitonic", "gemm", "histogram", "spmv", "convolution", "nbody", "dequantize", "texture",
         "inner/transpose"]


def run(words, out):
    end = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=FILES,
                         timeout=120)
    out.write_text(end.stdout + f"exit code {end.returncode}\n", encoding="utf-8")


def measure(bench, folder):
    folder.mkdir(parents=True)
    for name in NAMES:
        said = folder / pathlib.Path(name).name
        run([bench, "try", f"{name}.cu", "--processes", "1"], said.with_suffix(".txt"))
        experiment = subprocess.run([bench, "try", f"{name}.cu", "--dry-run"], capture_output=True, text=True, cwd=FILES, check=True)
        config = FILES / "kinds_of_files.yaml"  # sources are named from the experiment's folder
        config.write_text(experiment.stdout, encoding="utf-8")
        run([bench, "--config", config, "--trust", "--quiet", "--check", "memory"], said.with_suffix(".check.txt"))
        config.unlink()


def table(folder):
    rows = [["file", "time", "sample spread", "rate", "under memcheck"]]
    for name in NAMES:
        said = folder / pathlib.Path(name).name
        text = said.with_suffix(".txt").read_text(encoding="utf-8")
        heads = re.search(r"^ *(?:\S+ +)*time  .*$", text, re.MULTILINE)
        checked = said.with_suffix(".check.txt").read_text(encoding="utf-8")
        check = "clean" if checked.rstrip().endswith("exit code 0") else "failed"
        if not heads:
            rows.append([f"{name}.cu", "failed", "", "", check])
            continue
        lines = text[heads.start():].splitlines()
        begins = [match.start() for match in re.finditer(r"─+", lines[1])]
        ends = [match.end() for match in re.finditer(r"─+", lines[1])]
        cells = {lines[0][a:b].strip(): lines[2][a:b].strip() for a, b in zip(begins, ends)}
        rows.append([f"{name}.cu", cells["time"], cells["sample spread"], cells["rate"], check])
        machine = re.search(r"^(NVIDIA.*), apod-bench", text, re.MULTILINE).group(1)
        commit = re.search(r"apod-bench \S+ \(([0-9a-f]+\S*)\)", text).group(1)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    print(f"# {machine}; bench {commit}")
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] != "--table":
        measure(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    table(pathlib.Path(sys.argv[2]))
