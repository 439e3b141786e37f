"""Results that make pages difficult: none, one and a thousand cases, long and hostile names, values of 15 decades."""

import copy
import statistics

HOSTILE = ['<script>document.title = "gone"</script>', '"]]> -->', "javascript:alert(1)", "' onclick='alert(1)",
           "</title></style></svg><img src=x onerror=alert(1)>", "\u05d0\u05d1\u05d2 \u0627\u0644\u0639", "\u202egnirts",
           "n" * 200, "\u4e2d\u6587" * 30, "a\nb\tc\u0000d", "%s${x}{{y}}"]


def result(cases, description="Does it pay?", text="name: sample\n", interrupted=False,
           date="2026-03-01T12:00:00+00:00", commit="1a2b3c4d5e"):
    """A result file. A case is a dict: `params`, and if they are not as usual `time` (s), `times`, `failed`, `status`,
    `variant`, `flops`, `bytes`, `baseline`, `throttled`, `facts`, `lanes`, `mhz`."""
    device = {"backend": "cuda", "index": 0, "name": "A GPU", "uuid": "GPU-1", "driver_version": "580.95.05",
              "runtime_version": "13.0", "power_limit_w": 700.0, "ecc": True, "mig": False, "notes": [],
              "peak_memory_bytes_per_s": 4.8e12, "peak_fp32_flops": 6e13}
    rows, failed, listed = [], [], []
    for index, case in enumerate(cases):
        params = case.get("params", {"size": 1024})
        variant = case.get("variant", "plain")
        name = "sum/" + variant + "".join(f"/{axis}:{value}" for axis, value in params.items())
        status = case.get("status", "failed" if "failed" in case else "measured")
        listed.append({"index": index, "experiment": 0, "id": name, "variant": variant, "params": params,
                       "backend": "cuda", "baseline": case.get("baseline"), "status": status,
                       "reason": case.get("failed", "no such device" if status == "skipped" else ""), "findings": []})
        time = case.get("time", 1e-3)
        for process in range(3) if status in ("measured", "failed") else ():
            samples = case.get("times") or [time * (1 + 0.001 * ((7 * k + 3 * process + index) % 11)) for k in range(9)]
            median = statistics.median([s for s, t in zip(samples, case.get("throttled") or [0] * 9) if not t])
            record = {"case_index": index, "process": process, "samples_s": samples, "launch": "stream",
                      "failed": case.get("failed", ""), "throttled": case.get("throttled", []),
                      "traffic": {"bytes_read": case.get("bytes", 4096.0), "bytes_written": 4.0,
                                  "flops_fp32": case.get("flops", 1024.0)}, "facts": case.get("facts", {})}
            if "mhz" in case:
                record["clock"] = {"min_mhz": min(case["mhz"]), "mean_mhz": statistics.mean(case["mhz"]),
                                   "max_mhz": max(case["mhz"]), "readings": len(samples), "reasons": [],
                                   "sample_mhz": case["mhz"]}
            if "lanes" in case and process == 0:
                record["profile"] = profile_of(case["lanes"])
            if "failed" in case:
                failed.append(record | {"case_id": name, "samples_s": []})
            else:
                rows.append({"name": name, "run_name": name, "run_type": "iteration", "iterations": len(samples),
                             "real_time": median * 1e9, "cpu_time": median * 1e9, "time_unit": "ns", "apod": record})
    axes = list(dict.fromkeys(axis for case in cases for axis in case.get("params", {"size": 1024})))
    return {
        "context": {"date": date, "host_name": "lab-7", "executable": "bench", "num_cpus": 16,
                    "mhz_per_cpu": 2400, "cpu_scaling_enabled": False, "caches": [], "load_avg": [],
                    "library_build_type": "release", "json_schema_version": 1,
                    "apod": {"schema": 2, "version": "0.1.0", "commit": commit, "compiler": "GNU 12.2.0",
                             "cuda_compiler": "13.0.88", "os": "Linux 6.1", "cpu_model": "A CPU", "cpu_mhz": 2400.0,
                             "device": device, "variables": {}, "command_line": ["bench", "--config", "sample.yaml"],
                             "order_seed": 1, "interrupted": interrupted, "wall_s": 3.5,
                             "config": {"name": "sample", "description": description, "path": "sample.yaml",
                                        "text": text}}},
        "benchmarks": rows, "apod_untimed": [], "apod_failed": failed,
        "apod_experiments": [{"name": "sum", "workload": "reduction", "scope": "kernel",
                              "data": {"kind": "uniform", "seed": 42, "file": ""},
                              "measure": {"precision": 0.01, "cache": "cold", "launch": "stream", "processes": 3},
                              "swept": ["variant", *axes]}],
        "apod_cases": listed, "apod_skipped": [], "apod_expectations": []}


def profile_of(lanes):
    """A traced case with these lanes: (name, what, names, [(start, length) in us])."""
    kernel = {"name": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "registers_per_thread": 8, "static_shared_bytes": 0,
              "dynamic_shared_bytes": 0, "local_bytes": 0, "resident_blocks": 1, "limiter": "blocks",
              "time": {"count": 1, "total_s": 1e-3, "min_s": 1e-3, "max_s": 1e-3}}
    return {"kernels": [kernel], "copies": [], "calls": [], "ranges": [], "overheads": {},
            "lanes": [{"name": name, "what": what, "names": names, "of": [i % len(names) for i in range(len(spans))],
                       "start_ns": [start * 1000 for start, _ in spans],
                       "length_ns": [length * 1000 for _, length in spans], "count": [1] * len(spans)}
                      for name, what, names, spans in lanes]}


def chunks(streams):
    """The timeline of an array that is split over streams: copy, kernel, copy."""
    lanes = [("HtoD", "copies", ["HtoD"], [(40 + 1600 // streams * s, 1600 // streams) for s in range(streams)])]
    for s in range(streams):
        begin, part = 40 + 1600 // streams * s, 1600 // streams
        lanes.append((f"stream {s + 7}", "copies", ["HtoD", "DtoH"], [(begin, part), (begin + 2 * part, part)]))
        lanes.append((f"stream {s + 7}", "kernels", ["sum", "divide"],
                      [(begin + part, part // 2), (begin + part + part // 2, part // 2)]))
    return lanes


def recordings(kept):
    """Name -> recording, made of a kept one: of a program that failed before anything ran, and with hostile names."""
    nothing = copy.deepcopy(kept) | {"exit_code": 3, "command": "./app '" + HOSTILE[0] + "' " + "x" * 200}
    for table in nothing["trace"].values():
        for column in table.values() if isinstance(table, dict) else ():
            column.clear()
    nothing["trace"]["notes"] = [HOSTILE[4]]
    hostile = copy.deepcopy(kept) | {"command": HOSTILE[1], "programs": HOSTILE, "producer": HOSTILE[2]}
    hostile["trace"]["texts"] = [HOSTILE[i % len(HOSTILE)] + str(i) for i in range(len(kept["trace"]["texts"]))]
    return {"nothing_ran": nothing, "hostile_recording": hostile}


def nights(count):
    """Results of one study, night after night: one case steps up by 8 %, one wanders, one fails twice."""
    return [result([{"params": {"size": size},
                     "time": 1e-3 * (1 + 0.08 * (size == 4096 and night > count // 2) + 0.002 * ((night * size) % 7)),
                     **({"failed": "verify: wrong"} if size == 1024 and night % 9 == 4 else {})}
                    for size in (1024, 2048, 4096, 8192)],
                   date=f"2026-03-{night + 1:02}T01:00:00+00:00", commit=f"{night + 10:02}f0e1d2c3b4")
            for night in range(count)]


def sweep(variants, sizes):
    """Every variant at every size."""
    return [{"variant": f"variant_{v}", "params": {"size": 1024 << (s % 24), "streams": 1 + s // 24},
             "time": 1e-6 * (1 + v) * (1.4 ** (s % 24)), "bytes": 4.0 * (1024 << (s % 24))}
            for v in range(variants) for s in range(sizes)]


def samples():
    """Name -> result."""
    decades = [{"params": {"size": 4 ** k}, "time": 10.0 ** (k - 9), "bytes": 4.0 ** k} for k in range(16)]
    return {
        "one": result([{}]),
        "none": result([], interrupted=True),
        "skipped": result([{"status": "skipped", "params": {"size": size}} for size in (1, 2, 3)]),
        "all_failed": result([{"failed": "verify: the sum is 3, not 4", "params": {"size": size}} for size in (1, 2, 4)]),
        "interrupted": result([{"params": {"size": 8}}, {"params": {"size": 16}, "status": "not_run"}],
                              interrupted=True),
        "throttled": result([{"params": {"size": size}, "throttled": [0, 1] * 4 + [0]} for size in (8, 16)]),
        "two_clocks": result([{"params": {"size": size}, "mhz": [1980, 1980, 1980, 1980, 1620, 1620, 1620, 1980, 1620],
                               "times": [1e-3 * (1 + 0.2 * (k in (4, 5, 6, 8)) + 0.001 * k) for k in range(9)]}
                              for size in (8, 16)]),
        "timelines": result([{"params": {"streams": streams}, "time": 1e-3 * (3 + 2 / streams), "lanes": chunks(streams)}
                             for streams in (1, 2, 4, 8)]),
        "hostile_timeline": result([{"lanes": [(name, "kernels", [name], [(10, 300)]) for name in HOSTILE]},
                                    {"params": {"size": 8}, "lanes": [("x", "nothing known", ["y"], [(0, 1)])]}]),
        "hostile": result([{"variant": name, "params": {"word": name, "size": 8 << k}, "time": 1e-3 * (k + 1)}
                           for k, name in enumerate(HOSTILE)], description=HOSTILE[0] + HOSTILE[4],
                          text="\n".join(HOSTILE)),
        "failed_hostile": result([{"failed": name, "params": {"word": name}} for name in HOSTILE]),
        "decades": result(decades),
        "odd_facts": result([{"params": {"size": 2 ** k}, "facts": {"registers": None if k % 2 else 1e300}}
                             for k in range(6)]),
        "words": result([{"params": {"mask": f"{k}x{k}"}, "time": 1e-4 * k} for k in range(1, 12)]),
        "long_words": result([{"params": {"word": f"{k}" + "w" * 199}, "time": 1e-4 * (k + 1)} for k in range(8)]),
        "forty_series": result(sweep(40, 6)),
        "hundred": result(sweep(10, 10)),
        "thousand": result(sweep(20, 50)),
    }
