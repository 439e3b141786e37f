#!/usr/bin/env python3
"""What shards and merging cost at scale: processor time and peak memory.

    python3 tests/studies/merge_scale.py build/host/benchmarks/bench

Plans as many cases as a file may have, takes one shard of them, and merges the files of --nodes nodes: a real result of
a shard, whose cases are multiplied under new names and places."""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path


def run(words, **more):
    """Processor time in seconds, which other work does not lengthen, peak memory in MB, and what was printed."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{words}: {process.returncode}\n{text[-2000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, text


def study(sizes, processes):
    return ("schema: 1\nname: scale\nmeasure: {warmup: 0ms, max_time: 5ms, min_samples: 50, processes: "
            f"{processes}}}\nexperiments:\n  - workload: copy\n    axes: {{variant: host, size: [{sizes}]}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=os.path.abspath)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--cases", type=int, default=10, help="of a node")
    parser.add_argument("--planned", type=int, default=1_000_000)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Sizes in products of two axes, since a file has at most 256 KiB.
        root = int(words.planned ** 0.5) + 1
        sizes = ", ".join(str(1000 + i) for i in range(root))
        counts = ", ".join(str(1 + i) for i in range(words.planned // root))
        (folder / "plan.yaml").write_text(
            "schema: 1\nname: plan\nexperiments:\n  - workload: normalize\n    axes: {variant: host, size: "
            f"[{sizes}], compute_repeats: [{counts}]}}\n")
        for what, more in (("plan", []), ("plan and take one shard of 10000", ["--shard", "77/10000"])):
            seconds, peak, text = run([words.bench, "--config", "plan.yaml", "--backend", "host", "--benchmark_list_tests",
                                    *more], cwd=folder)
            print(f"{what}: {len(text.split())} cases listed, {seconds:.2f} s, {peak:.0f} MB", flush=True)

        (folder / "s.yaml").write_text(study(", ".join(str(1000 + i) for i in range(2 * words.cases)), 3))
        run([words.bench, "--config", "s.yaml", "--backend", "host", "-q", "--out", "s.json", "--shard", "1/2"],
            cwd=folder)
        part = json.loads((folder / "s.1-of-2.json").read_text())
        for row in part["benchmarks"]:  # 20 KB a case
            samples = row["apod"]["samples_s"]
            row["apod"]["samples_s"] = (samples * (300 // len(samples) + 1))[:300]
        own = part["context"]["apod"]["part"]
        own.update(cases=words.nodes * words.cases, shards=words.nodes)
        size = 0
        for node in range(words.nodes):
            own.update(shard=f"{node + 1}/{words.nodes}",
                       positions=[node * words.cases + i for i in range(words.cases)])
            part["context"]["host_name"] = f"node{node}"
            text = json.dumps(part).replace("copy/size:", f"copy/node:{node}/size:")
            size += len(text)
            (folder / f"r.{node + 1}-of-{words.nodes}.json").write_text(text)
        files = [f"r.{node + 1}-of-{words.nodes}.json" for node in range(words.nodes)]
        seconds, peak, text = run([words.bench, "merge", "r.json", *files], cwd=folder)
        print(f"merge {words.nodes} files of {words.cases} cases, {size / 1e6:.0f} MB: {seconds:.1f} s, {peak:.0f} MB; "
              f"{text.strip()} ({(folder / 'r.json').stat().st_size / 1e6:.0f} MB)")


if __name__ == "__main__":
    main()
