#!/usr/bin/env python3
"""Makes a recorded profile for the tests of inspect/ from an nsys export: what the rules see of it.

Usage: make_profiles.py EXPORT.sqlite > NAME.json
"""

import json
import sqlite3
import sys

NS = 1e-9
HOST_KINDS = {0: "pageable", 1: "pinned", 2: "device"}
COPY_NAMES = {1: "HtoD", 2: "DtoH", 8: "DtoD"}


def tally(durations):
    seconds = [d * NS for d in durations]
    return {"count": len(seconds), "total_s": sum(seconds), "min_s": min(seconds), "max_s": max(seconds)}


def grouped(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return sorted(groups.items(), key=lambda group: -sum(r["end"] - r["start"] for r in group[1]))


def time_of(rows):
    return tally([r["end"] - r["start"] for r in rows])


def shares(operations):
    """Shares of the span with something running, and with two operations of different streams."""
    edges = sorted([(o["start"], 1) for o in operations] + [(o["end"], -1) for o in operations])
    running, busy, overlap, now = 0, 0, 0, edges[0][0]
    for time, sign in edges:
        busy += (time - now) if running > 0 else 0
        overlap += (time - now) if running > 1 else 0
        running, now = running + sign, time
    span = edges[-1][0] - edges[0][0]
    return span, busy / span, overlap / span


def main(path):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    base.row_factory = sqlite3.Row
    def rows(query):
        return base.execute(query).fetchall()
    name = "select *, (select value from StringIds where id = {}) as text from {}"
    kernels = rows(name.format("demangledName", "CUPTI_ACTIVITY_KIND_KERNEL"))
    copies = rows("select * from CUPTI_ACTIVITY_KIND_MEMCPY")
    calls = rows(name.format("nameId", "CUPTI_ACTIVITY_KIND_RUNTIME"))
    waits = {c["correlationId"] for c in calls if "emcpy" in c["text"] and "Async" not in c["text"]}
    profile = {"kernels": [], "copies": [], "calls": [], "ranges": [], "overheads": {}}
    shape = ["gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"]
    for key, group in grouped(kernels, lambda k: (k["text"], *[k[s] for s in shape])):
        first = group[0]
        profile["kernels"].append({
            "name": key[0], "grid": key[1:4], "block": key[4:7],
            "registers_per_thread": first["registersPerThread"],
            "static_shared_bytes": first["staticSharedMemory"],
            "dynamic_shared_bytes": first["dynamicSharedMemory"],
            "local_bytes": first["localMemoryPerThread"], "resident_blocks": 0, "limiter": "unknown",
            "time": time_of(group), "instructions": None, "counters": {}})
    for key, group in grouped(copies, lambda c: (c["copyKind"], c["srcKind"], c["dstKind"])):
        profile["copies"].append({
            "name": COPY_NAMES[key[0]], "source": HOST_KINDS[key[1]], "target": HOST_KINDS[key[2]],
            "bytes": sum(c["bytes"] for c in group),
            "synchronous": sum(c["correlationId"] in waits for c in group), "time": time_of(group)})
    for key, group in grouped(calls, lambda c: c["text"]):
        profile["calls"].append({"name": key.split("_v")[0], "driver": key.startswith("cu")
                                 and not key.startswith("cuda"), "time": time_of(group)})
    operations = list(kernels) + list(copies)
    span, busy, overlap = shares(operations)
    facts = {"span": span * NS, "busy": busy, "idle": 1 - busy, "overlap": overlap,
             "traced_streams": len({o["streamId"] for o in operations}),
             "kernels": len(kernels), "copies": len(copies)}
    gpu = rows("select * from TARGET_INFO_GPU")[0]
    device = {"name": gpu["name"], "multiprocessors": gpu["smCount"],
              "max_threads_per_multiprocessor": gpu["maxWarpsPerSm"] * gpu["threadsPerWarp"]}
    print(json.dumps({"profile": profile, "facts": facts, "device": device}, indent=1))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
