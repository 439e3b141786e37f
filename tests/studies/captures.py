#!/usr/bin/env python3
"""Captures a launch of each of many programs, and measures it: does the replay give the captured answer, and does it
take as long as in the program, where CUPTI times both? Then one kernel of PyTorch is replaced. Needs nvcc, a GPU, and the frameworks; what is not
installed is left out, and said.

    python3 tests/studies/captures.py BENCH FOLDER [NAME...]
    python3 tests/studies/captures.py --table captures.csv... > captures.txt

FOLDER is made. In the end it holds captures.csv and replacement.txt, and for each capture its manifest and its result; NAMEs
choose among the captures. Of several tables' rows of one capture the last one counts.
"""
import csv
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent / "captured"
TORCH = [sys.executable, str(HERE / "torch_ops.py")]


def own(name, launch="first"):
    return (name, name, launch, ["./kinds"])


def python(name, kernel, program, launch="first"):
    return (name, kernel, launch, [sys.executable, str(HERE / program)])


def torch(name, kernel, launch="2"):
    return (f"torch_{name}", kernel, launch, TORCH + [name])


CAPTURES = [
    own("k_constant"), own("k_managed"), own("k_pinned"), own("k_coop"), own("k_cluster"), own("k_struct"), own("k_atomic"),
    own("k_table"), own("k_ticket"), own("k_extra"),
    python("triton", "rms_norm", "triton_ops.py"), python("cupy_fused", "hypotenuse", "cupy_ops.py"),
    python("cupy_sum", "cupy_sum", "cupy_ops.py"), python("numba", "column_sums", "numba_ops.py"),
    python("jax", "fusion", "jax_ops.py", "longest"),
    torch("gelu", "GeluCUDA"), torch("softmax", "SoftMax"), torch("layer_norm", "layer_norm"), torch("sum", "reduce_kernel"),
    torch("cumsum", "scan"), torch("index", "gather|index"), torch("index_add", "indexFuncLargeIndex|index_add|indexFunc"),
    torch("sort", "RadixSortOnesweep|Onesweep"), torch("matmul", "nvjet|gemm"), torch("conv", "conv|gemm|xmma|cudnn"),
    torch("attention", "flash|fmha|sdp"), torch("attention_backward", "bwd|backward|bpro"),
]


class Study:
    def __init__(self, bench, folder):
        self.bench, self.folder = bench, folder
        self.rows = []

    def call(self, words, **more):
        return subprocess.run([str(word) for word in words], cwd=self.folder, text=True, capture_output=True, timeout=120,
                              env={**os.environ, "EXTRA_CUBIN": str(self.folder / "kinds.cubin")}, **more)

    def build(self):
        subprocess.run(["nvcc", "-std=c++17", "-O3", "-arch=native", "-o", self.folder / "kinds", HERE / "kinds.cu", "-lcuda"],
                       check=True)
        for source, name in (("kinds.cu", "kinds.cubin"), ("row_sums.cu", "row_sums.cubin")):
            subprocess.run(["nvcc", "-std=c++17", "-arch=native", "-cubin", "-o", self.folder / name, HERE / source], check=True)

    def capture(self, name, kernel, launch, program):
        where = self.folder / name
        end = self.call([self.bench, "capture", "--kernel", kernel, "--launch", launch, "--max-bytes", "1G", "--out", name,
                         "--", *program])
        if end.returncode != 0:
            print(f"{name}: {(end.stderr or end.stdout).strip()[-600:]}", flush=True)
            return None
        return json.loads((where / "manifest.json").read_text(encoding="utf-8"))

    def measured(self, config, result):
        self.call([self.bench, "--config", config, "--trust", "--quiet", "--processes", "3", "--set", "trace=true", "--out",
                   result])
        path = self.folder / result
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def add(self, name, kernel, launch, program):
        manifest = self.capture(name, kernel, launch, program)
        if manifest is None:
            self.rows.append({"capture": name, "frameworks": "", "memory_MiB": "", "disk_MiB": "", "launches": "", "program_us": "",
                              "cold_us": "", "hot_us": "", "hot_traced_us": "", "verified": "failed: not captured"})
            return
        where = self.folder / name
        disk = sum(file.stat().st_blocks * 512 for file in where.iterdir())
        state = sum(window["bytes"] for window in manifest["windows"])
        result = self.measured(where / "experiment.yaml", f"{name}.json")
        row = {"capture": name, "frameworks": manifest["framework"].replace(", ", "+") or "own",
               "memory_MiB": round(state / 2**20, 1), "disk_MiB": round(disk / 2**20, 1),
               "launches": manifest["time"]["launches"], "program_us": round(1e6 * manifest["time"]["most_s" if launch == "longest" else "median_s"], 2)}
        row.update(self.of_result(result))
        self.rows.append(row)
        print(row, flush=True)
        shutil.copy(where / "manifest.json", self.folder / f"{name}.manifest.json")
        for file in where.glob("*.bin"):
            file.unlink()

    @staticmethod
    def of_result(result):
        """The times of cold and hot caches, that of hot ones as traced too, and what the verification said."""
        row = {"cold_us": "", "hot_us": "", "hot_traced_us": "", "verified": "failed"}
        if result is None:
            return row
        names = {case["index"]: case["id"] for case in result["apod_cases"]}
        times, traced = {}, []
        failed = [record["failed"] for record in result["apod_failed"]]
        said = ""
        for record in result["benchmarks"]:
            apod = record.get("apod", {})
            if "samples_s" in apod:
                hot = "_hot/" in names[apod["case_index"]]
                times.setdefault(hot, []).append(statistics.median(apod["samples_s"]))
                said = apod.get("verification", {}).get("measure", "")
                if hot and "kernel_time" in apod.get("facts", {}):
                    traced.append(apod["facts"]["kernel_time"])
        for hot, key in ((False, "cold_us"), (True, "hot_us")):
            if hot in times:
                row[key] = round(1e6 * statistics.median(times[hot]), 2)
        if traced:
            row["hot_traced_us"] = round(1e6 * statistics.median(traced), 2)
        if failed or not said:
            row["verified"] = "failed: " + "; ".join(sorted(set(failed)))[:200]
        else:
            row["verified"] = "all bytes" if said.startswith("bytes that differ") else said.split("replays: ")[-1]
        return row

    def replace(self):
        """row_sums.cu in the place of torch.cumsum's kernel: on captured memory, and in a program."""
        manifest = self.capture("cumsum", "scan", "2", TORCH + ["cumsum"])
        if manifest is None:
            return
        where = self.folder / "cumsum"
        shutil.copy(HERE / "row_sums.cu", where)
        (where / "row_sums.yaml").write_text("""schema: 1
experiments:
  - name: row_sums
    kernel: {capture: ., name: row_sums, args: {y: p0, x: p1}, type: f32}
    axes: {variant: [captured, row_sums.cu]}
    grid: 4096
    block: 512
    shared: "0"
    baseline: {variant: captured}
    tolerance: {absolute: 1e-3, relative: 1e-4}
    measure: {cache: hot}
""", encoding="utf-8")
        result = self.measured(where / "row_sums.yaml", "row_sums.json")
        names = {case["index"]: case["variant"] for case in result["apod_cases"]}
        rows = {}
        for record in result["benchmarks"]:
            if "samples_s" in record.get("apod", {}):
                rows.setdefault(names[record["apod"]["case_index"]], []).append(
                    statistics.median(record["apod"]["samples_s"]))
        captured = {name: 1e6 * statistics.median(times) for name, times in rows.items()}
        self.call([self.bench, "inspect", "--table", "kernels", "--csv", "-c", "kernel,sil", "--out", "program.csv", "--",
                   sys.executable, HERE / "row_sums.py", self.folder / "row_sums.cubin"])
        program = {}
        with open(self.folder / "program.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                name, time = list(row.values())[:2]
                if "scan_innermost_dim" in name or name == "row_sums":
                    program.setdefault("row_sums.cu" if name == "row_sums" else "captured", []).append(float(time) * 1e-3)
        lines = [["kernel", "captured_us", "program_us"]]
        for variant, name in (("captured", "torch.cumsum"), ("row_sums.cu", "row_sums.cu")):
            lines.append([name, f"{captured[variant]:.2f}", f"{statistics.median(program[variant]):.2f}"])
        lines.append(["speedup"] + [f"{float(lines[1][i]) / float(lines[2][i]):.2f}" for i in (1, 2)])
        text = "\n".join("  ".join(cell.ljust(12) if i == 0 else cell.rjust(12) for i, cell in enumerate(line)).rstrip()
                         for line in lines) + "\n"
        (self.folder / "replacement.txt").write_text(text, encoding="utf-8")
        print(text, flush=True)
        for file in where.glob("*.bin"):
            file.unlink()

    def write(self):
        if not self.rows:
            return
        with open(self.folder / "captures.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(self.rows[0]))
            writer.writeheader()
            writer.writerows(self.rows)


def table(files):
    rows = {}
    for name in files:
        with open(name, encoding="utf-8", newline="") as file:
            rows.update({row["capture"]: row for row in csv.DictReader(file)})
    near = 0
    cells = [["capture", "memory", "on disk", "in program", "cold", "hot", "hot, traced", "against program", "verified"]]
    for row in rows.values():
        change = ""
        hot = row.get("hot_traced_us") or row["hot_us"]  # as the program's launches were, where it is known
        if hot:
            share = float(hot) / float(row["program_us"]) - 1
            near += abs(share) <= 0.05
            change = f"{100 * share:+.1f} %"
        cells.append([row["capture"]] + [row[key] + unit if row.get(key) else "" for key, unit in (
                         ("memory_MiB", " MiB"), ("disk_MiB", " MiB"), ("program_us", " us"), ("cold_us", " us"),
                         ("hot_us", " us"), ("hot_traced_us", " us"))]
                     + [change, row["verified"]])
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    for line in cells:
        print("  ".join(cell.ljust(width) if i in (0, 8) else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))).rstrip())
    print(f"\nhot within 5 % of the median in the program: {near} of {len(rows)}")


def main(arguments):
    if arguments[:1] == ["--table"]:
        table(arguments[1:])
        return 0
    if len(arguments) < 2:
        print(__doc__)
        return 2
    bench, folder, names = os.path.abspath(arguments[0]), pathlib.Path(arguments[1]).resolve(), arguments[2:]
    folder.mkdir(parents=True)
    study = Study(bench, folder)
    study.build()
    for one in CAPTURES:
        if not names or one[0] in names:
            study.add(*one)
            study.write()
    if not names or "replacement" in names:
        study.replace()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
