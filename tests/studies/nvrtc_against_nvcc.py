#!/usr/bin/env python3
"""The same kernels as NVRTC compiles them when they run, and as nvcc did before: times of the kernels side by side, and
what compiling costs a case. Needs nvcc and a GPU.

    python3 tests/studies/nvrtc_against_nvcc.py BENCH FOLDER [PROCESSES]

FOLDER is made. In the end it holds nvrtc_against_nvcc.json, which `bench show` shows, and compile_times.txt.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

EXPERIMENT = """schema: 1
name: nvrtc_against_nvcc
description: Are kernels that NVRTC compiled as fast as what nvcc made of the same file?
measure: {{precision: 0.3%, max_time: 500ms, processes: {processes}}}
experiments:
  - name: softmax
    kernel: {{file: nvrtc.cu, name: softmax, compiler: nvrtc}}
    axes: {{variant: [nvcc.cubin, nvrtc.cu], rows: 16384, columns: 4096, block: 256}}
    grid: rows
    block: block
    shared: "4 * block"
    args:
      - {{name: y, type: f32, shape: [rows, columns], role: out}}
      - {{name: x, type: f32, shape: [rows, columns], data: normal}}
      - {{name: n, type: i32, value: columns}}
    baseline: {{variant: nvcc.cubin}}

  - name: histogram
    kernel: {{file: nvrtc.cu, name: histogram, compiler: nvrtc}}
    axes: {{variant: [nvcc.cubin, nvrtc.cu], size: 2^28}}
    grid: "ceil(size / 4096)"
    block: 256
    args:
      - {{name: bins, type: u32, shape: 128, role: inout, data: zeros}}
      - {{name: x, type: u8, shape: size}}
      - {{name: n, type: i64, value: size}}
    baseline: {{variant: nvcc.cubin}}

  - name: stencil
    kernel: {{file: nvrtc.cu, name: stencil, compiler: nvrtc}}
    axes: {{variant: [nvcc.cubin, nvrtc.cu], side: 8192}}
    grid: ["ceil(side / 32)", "ceil(side / 8)"]
    block: [32, 8]
    args:
      - {{name: y, type: f32, shape: [side, side], role: out}}
      - {{name: x, type: f32, shape: [side, side]}}
      - {{name: n, type: i32, value: side}}
    baseline: {{variant: nvcc.cubin}}
"""


def architecture():
    said = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], check=True,
                          capture_output=True, text=True).stdout
    return "sm_" + said.splitlines()[0].strip().replace(".", "")


def compile_seconds(file):
    """Of each process that measured, in their order: what it took to have the code of its kernels, loaded."""
    times = {}
    for row in json.loads(file.read_text())["benchmarks"]:
        if row.get("run_type", "iteration") != "iteration":
            continue
        for phase in row["apod"]["phases"]:
            if phase["name"] == "compile":
                name = "nvcc" if "nvcc.cubin" in row["run_name"] else "nvrtc"
                times.setdefault(name, []).append(phase["total_s"])
    return times


def main():
    bench, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    processes = sys.argv[3] if len(sys.argv) > 3 else "5"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "configs/your_kernel.cu", folder / "nvrtc.cu")
    subprocess.run(["nvcc", "-arch=" + architecture(), "-std=c++17", "-cubin", "-o", folder / "nvcc.cubin",
                    folder / "nvrtc.cu"], check=True)
    (folder / "nvrtc_against_nvcc.yaml").write_text(EXPERIMENT.format(processes=processes))
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    environment = dict(os.environ, XDG_CACHE_HOME=str(cache.resolve()))

    def measure(name, *more):
        out = folder / name
        subprocess.run([bench, "--config", folder / "nvrtc_against_nvcc.yaml", "--trust", "--out", out, *more],
                       check=True, env=environment)
        return out

    brief = ("--processes", "1", "--set", "max_time=20ms", "--set", "precision=5%")
    first = compile_seconds(measure("first.json", *brief))
    cached = compile_seconds(measure("cached.json", *brief))
    measure("nvrtc_against_nvcc.json")
    lines = [f"{'code of a case':<34} {'median':>9} {'most':>9}"]
    for what, times in (("compiled by NVRTC", first["nvrtc"]), ("the same from the cache", cached["nvrtc"]),
                        ("a .cubin of nvcc's", cached["nvcc"])):
        lines.append(f"{what:<34} {1e3 * statistics.median(times):6.1f} ms {1e3 * max(times):6.1f} ms")
    (folder / "compile_times.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
