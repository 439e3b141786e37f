"""Figures of kept results in running text and in tables written by hand.

Each function below is a page. It yields the sentences of the page that hold figures, made from the files, so that
page and file can't drift apart. A plain string holds figures that nobody measured, such as a setting. docs_test.py
asks that a page has all its sentences, and that no other sentence of it has a figure.
"""

import collections
import math
import re
import statistics

from docs_results import ROOT, mean, read, read_json, span, times
from docs_tables import percent, time_text


def readme(result):
    sums, elements = result("reduction"), result("elementwise")
    groups, planes = result("groupby"), result("bilinear")
    masks, pipeline = result("convolution_masks"), result("pipeline")
    best = "sums/single_pass/size:268435456/accumulator:fp32"
    yield (f"sum of 2^28 values, fp32 | {sums(best)} | {sums(best, 'ceiling')} (memory) | "
           f"CUB {sums('sums/cub/size:268435456/accumulator:fp32')} |")
    best = "limit/batched/size:16777216/arrays:10"
    yield f"squared differences of 10 arrays of 64 MiB | {elements(best)} | {elements(best, 'ceiling')} (memory) |"
    best = "passes/one_pass/size:268435456/groups:1000"
    yield (f"2^28 rows, 1000 groups | {groups(best)} | {groups(best, 'ceiling')} (memory) | "
           f"three passes {groups(best.replace('one_pass', 'three_passes'))} |")
    best = "kernels/strips/direction:bprop/channels:16/size:256x256/batch:64"
    yield (f"gradient, 64 images of 16 x 256 x 256 | {planes(best)} | {planes(best, 'ceiling')} (memory) | "
           f"the tutorial's kernel {planes(best.replace('strips', 'per_pixel'))} |")
    best = "masks/register_tile/size:8192x8192/mask:13"
    yield (f"13 x 13 mask on 8192 x 8192, fp32 | {masks(best)} | {masks(best, 'ceiling')} (FP32) | "
           f"NPP {masks('npp/size:8192x8192/mask:13')}, cuFFT in fp32 {masks('fft_fp32/size:8192x8192/mask:13')} |")
    best = "order/.*/streams:16/order:by_chunk/chunk_launch:graph"
    yield (f"`pipeline.yaml`, 16 streams, graphs | {pipeline(best)} | {pipeline(best, 'ceiling')} (host link) | "
           f"the tutorial's kernels {pipeline('tutorial/.*pinned/streams:8')} |")
    found = read_json("results/judging/nvidia-h200/slowed_10.json")
    yield (f"Of {len(found['cases'])} H200 kernels with 1 % more steps, {found['counts']['regression']} were found, "
           f"at a threshold of {percent(found['options']['threshold'], 1)}")
    evidence = read("docs/judging-evidence.md")
    table = evidence.partition("**Side by side**")[2].partition("<!-- end -->")[0]
    shares = re.findall(r"^\| [\w -]+ \| [\d.]+ \| ([\d.]+) \(", table, re.MULTILINE)
    assert len(shares) == 8, "a line for each noise"
    yield f"side by side raised a false alarm in at most {max(map(float, shares))} % of the suites"


def streams(result):
    kept, bug, pipeline = result("streams"), result("streams_bug"), result("pipeline")
    yield f"two or more operations ran at once for {kept('pinned/streams:8', 'overlap')} of the time"
    yield f"four real streams measured beside it, which overlapped for {bug('distinct', 'overlap')}"
    yield f"({bug('aliased', 'change')})"
    yield f"({bug('aliased')} against {kept('pinned/streams:1')})"
    yield f"pageable memory takes {times(kept.ratio('pageable/streams:1', 'pinned/streams:1'))} as long as pinned"
    more = kept.numbers("pinned/streams:[248]", "occupancy")
    yield f"It is {kept('pinned/streams:1', 'occupancy')} with one pinned stream and {span(more, percent)} with more"

    up, down = (pipeline.ceilings[f"{way}_pinned_bytes_per_s"] for way in ("h2d", "d2h"))
    least = 4e8 / up + 4e8 / down
    yield f"gave {up / 1e9:.1f} GB/s to the device and {down / 1e9:.1f} GB/s back"
    yield f"Both transfers then take {time_text(least)}"
    graph = "order/.*/streams:{}/order:by_chunk/chunk_launch:graph"
    yield f"{pipeline('ours/.*/streams:48')} at 48 in the experiment `ours`"
    launchers = [pipeline(f"launchers/.*/threads:{n}") for n in (1, 4)]
    yield f"at 32 streams: {launchers[0]} with one, {launchers[1]} with four"
    yield f"One stream takes {pipeline('ours/.*/streams:1')} ({pipeline('ours/.*/streams:1', 'ceiling')})"
    yield (f"take {pipeline('tutorial/.*pinned/streams:1')} with one stream and "
           f"{pipeline('tutorial/.*pinned/streams:8')} with eight, {pipeline('tutorial/.*pinned/streams:8', 'ceiling')}")
    left = pipeline.number(graph.format(16)) - least
    yield f"{left * 1e3:.2f} ms remain"
    yield (f"one stream takes {pipeline('tutorial/.*pageable/streams:1', 'time', 'interval')} here and "
           f"{kept('pageable/streams:1')} in `streams.json`")
    yield "The config expects 95 % of"


def concurrency(result):
    kept = result("concurrency")
    yield f"a thread per stream may pay ({kept('threads/.*size:1000000/.*threads:4', 'change').removesuffix(' ~')})"
    link = "programs_transfer/.*programs:{}"
    yield (f"{kept(link.format(1))} alone, {kept(link.format(2))} with one peer ({kept(link.format(2), 'change')}) and "
           f"{kept(link.format(4))} with three ({kept(link.format(4), 'change')})")
    peer = lambda case: time_text(kept.number(case, "peer_time"))
    yield f"The peers' mean times are {peer(link.format(2))} and {peer(link.format(4))}"
    small, large = "programs/.*size:16384/programs:{}", "programs/.*size:16777216/programs:{}"
    yield (f"A copy of 2^14 values takes {kept(small.format(1))} alone, {kept(small.format(2), 'time', 'interval')} with "
           f"one peer and {kept(small.format(4))} with three; one of 2^24 values {kept(large.format(1))}, "
           f"{kept(large.format(2))} and {kept(large.format(4))}")
    yield (f"{peer(small.format(2))} and {peer(small.format(4))} for a copy of 2^14 values with two and four programs, "
           f"{peer(large.format(2))} and {peer(large.format(4))} for 2^24")


def reduction(result):
    kept = result("reduction")
    name = "sums/{}/size:{}/accumulator:{}"
    both = lambda size, what: [kept(name.format("single_pass", size, kind), what) for kind in ("fp32", "fp64")]
    yield "reaches {} (fp32) and {} (fp64) of the read ceiling".format(*both(2**28, "ceiling"))
    yield f"`read` takes {kept('reads/.*268435456')} for 2^28 values, {kept('reads/.*268435456', 'ceiling')}"
    longer = [times(mean([kept.ratio(name.format("cub", 2**n, kind), name.format("single_pass", 2**n, kind))
                          for n in range(14, 23, 2)])) for kind in ("fp32", "fp64")]
    yield f"`cub` takes {longer[0]} as long as `single_pass` in fp32 and {longer[1]} in fp64 (geometric means)"
    yield f"the change is {kept(name.format('single_pass', 4096, 'fp32'), 'change')}"
    yield (f"at 2^24 it takes {kept(name.format('warp_shuffle', 2**24, 'fp32'))} (fp32) and "
           f"{kept(name.format('warp_shuffle', 2**24, 'fp64'))} (fp64)")
    small = [kept.number(name.format("thrust", 2**n, kind)) for n in range(10, 23, 2) for kind in ("fp32", "fp64")]
    yield f"`thrust` takes {span(small, time_text)} up to 2^22 values"
    worst = {variant: f"{max(kept.numbers(name.format(variant, '[0-9]+', 'fp32'), 'error')):.1e}".replace("e-0", "e-")
             for variant in ("single_pass", "compensated", "cub")}
    yield (f"is {worst['single_pass']} with `single_pass`, {worst['compensated']} with `compensated` and "
           f"{worst['cub']} with `cub`")
    cost = {kind: span([kept.ratio(name.format("compensated", 2**n, kind), name.format("single_pass", 2**n, kind)) - 1
                        for n in range(10, 29, 2)], lambda share: percent(share, 2)) for kind in ("fp32", "fp64")}
    yield f"Compensation costs {cost['fp32']} in fp32 and {cost['fp64']} in fp64"
    yield "asks for 97 %"


def convolution(result):
    kept = result("convolution_masks")
    peak = kept.ceilings["fp32_flops"]
    yield f"FP32 multiply-adds ({peak / 1e12:.1f} TFLOP/s)"
    errors = [f"{kept.number(f'^masks/register_tile/.*mask:{n}', 'error'):.1e}".replace("e-0", "e-") for n in (3, 31)]
    yield f"grow from {errors[0]} at 3 to {errors[1]} at 31"
    rate = kept.number("tensor_cores/tensor/.*mask:31", "flops_per_s")
    yield (f"does the work of {rate / 1e12:.1f} TFLOP/s of FP32, {times(rate / peak)} the measured rate")
    yield "asks for 85 %"


def bilinear(result):
    kept = result("bilinear")
    shares = [percent(max(kept.numbers(f"kernels/per_pixel/direction:{way}.*size:(256x256|1024x1024)/batch:.*",
                                       "share_of_ceiling"))) for way in ("fprop", "bprop")]
    yield f"`per_pixel` reaches {shares[0]} of the ceiling forward and {shares[1]} backward at the large shapes"
    pinned = {(variant, way): kept(f"program/{variant}/.*direction:{way}/host_memory:pinned", "time", "interval")
              for variant in ("per_pixel", "strips") for way in ("fprop", "bprop")}
    yield (f"`per_pixel` takes {pinned['per_pixel', 'fprop']} forward and {pinned['per_pixel', 'bprop']} backward; "
           f"`strips` takes {pinned['strips', 'fprop']} and {pinned['strips', 'bprop']}")
    pageable = kept.numbers("program/.*pageable")
    yield f"With pageable memory all four take {span(pageable, lambda t: f'{t * 1e3:.2f} ms')}"
    yield "(27.6 % in, 22.6 % out)"  # the tutorial's
    yield "should reach 90 % of the ceiling"
    yield "a kernel that moves 1 GB in 10 ms ran at 100 GB/s"


def elementwise(result):
    kept = result("elementwise")
    cases = [f"{kept(f'limit/batched/size:{size}/arrays:{arrays}', 'ceiling')}" for size, arrays in
             ((1048576, 100), (16777216, 10), (1000003, 100))]
    took = [kept(f"limit/batched/size:{size}/.*") for size in (1048576, 16777216, 1000003)]
    yield f"It reaches {cases[0]} for the tutorial's arrays ({took[0]}) and {cases[1]} for 10 of 64 MiB ({took[1]})"
    yield f"For 100 arrays of 1000003 elements it reaches {cases[2]} ({took[2]})"
    yield "to reach 90 % of the memory ceiling"


def groupby(result):
    kept = result("groupby")
    three = [kept.ratio(f"passes/three_passes/.*groups:{n}", f"passes/one_pass/.*groups:{n}") for n in (10, 100, 1000)]
    yield f"Three calls take {span(three, lambda ratio: times(ratio, 2))} as long as one"
    faster = lambda sizes: span(
        [kept.ratio(f"ways/cub_sort/.*groups:{n}/keys:{keys}", f"ways/one_pass/.*groups:{n}/keys:{keys}")
         for n in sizes for keys in ("uniform", "skewed", "sorted")], times)
    yield f"`one_pass` is {faster((10, 1000))} as fast as `cub_sort` up to 1000 groups"
    yield f"and still {faster((100000, 1000000))} at 10^5 and 10^6"
    one = "pipeline/.*streams:1.*accumulator:{}"
    yield (f"one stream takes {kept(one.format('fp32'), 'time', 'interval')} in fp32 and "
           f"{kept(one.format('fp64'), 'time', 'interval')} in fp64, {kept(one.format('fp32'), 'ceiling')} and "
           f"{kept(one.format('fp64'), 'ceiling')} of the link's ceiling")


def gemm(result):
    kept = result("gemm")
    case = "{}/{}/type:{}/.*n:{}"
    half = case.format("half_in_fp32", "cublas", "fp16", 4096)
    yield f"fp16 at 4096 takes {kept(half)} ({kept(half, 'ceiling')}) in the experiment `half_in_fp32`"
    clock = kept.number(case.format("tensor_cores", "cublas", "fp16", 8192), "sm_clock")
    yield f"At 8192 its mean clock is {clock:.0f} MHz"
    yield (f"The ceilings, {kept.ceilings['tensor_tf32_flops'] / 1e12:.0f} TFLOP/s in TF32 and "
           f"{kept.ceilings['tensor_fp16_flops'] / 1e12:.0f} in fp16")
    odd = {kind: times(kept.ratio(*(case.format("tensor_cores", "cublas", kind, n) for n in (4095, 4096))), 2)
           for kind in ("tf32", "fp16", "bf16")}
    yield f"takes {odd['tf32']} as long as 4096 in TF32, {odd['fp16']} in fp16 and {odd['bf16']} in bf16"
    odd = {name: percent(kept.ratio(*(case.format("^fp32", name, "fp32", n) for n in (4095, 4096))) - 1, 2)
           for name in ("cublas", "tiled")}
    yield f"In fp32 it costs `cublas` {odd['cublas']} and `tiled` {odd['tiled']}"
    slower = [times(kept.ratio(case.format("^fp32", "tiled", "fp32", n), case.format("^fp32", "cublas", "fp32", n)))
              for n in (4096, 1024)]
    yield f"takes {slower[0]} as long as `cublas` at 4096 and {slower[1]} at 1024"
    yield f"{kept(case.format('half_in_fp32', 'tiled', 'fp16', 4096))} in fp16"
    ends = {(name, n): kept(f"end_to_end/{name}/type:fp32/streams:{n}/.*", *what)
            for name in ("tiled", "cublas") for n, what in ((1, ["time"]), (4, ["time", "(ceiling)"]))}
    yield f"`tiled` {ends['tiled', 1]} to {ends['tiled', 4]}, `cublas` {ends['cublas', 1]} to {ends['cublas', 4]}"


def network(result):
    kept = result("network")
    case = "types/cudnn/.*channels:{}/direction:{}/type:tf32"
    gains = {channels: -kept.number(case.format(channels, "fprop"), "delta") for channels in (63, 64)}
    if gains[63] < gains[64]:
        yield "with one channel less than 64 the forward pass gains less"
    else:
        yield "with one channel less than 64 the forward pass gains as much"


def judging_evidence(_):
    for share in (10, 20, 50):
        cases = read_json(f"results/judging/nvidia-h200/slowed_{share}.json")["cases"]
        changes = [100 * case["change"] for case in cases]
        half = max(50 * (case["change_high"] - case["change_low"]) for case in cases)
        found = sum(case["verdict"] == "regression" for case in cases)
        yield (f"| {share // 10} % | {found} of {len(cases)} | {min(changes):+.2f} to {max(changes):+.2f} % | "
               f"{half:.2f} % |")
    cases = read_json("results/judging/nvidia-h200/slowed_10.json")["cases"]
    yield f"kernels of {span([case['base_s'] for case in cases], lambda t: f'{t * 1e6:.0f} us')}"
    yield from ("with 1, 2 and 5 % more steps", "The run with 1 %",
                "5 % more steps (10, 20 and 50 in a thousand)",
                # What the simulation was told, and what its columns are.
                "threshold 0.5 %", "spread by about 0.4 %", "*two modes* 1 % apart",
                "is 10 % slower",
                "Shares have their 95 % interval", "found in 80 % of suites",
                "that are 0.5 %", "five processes to show 1 %")
    same = read_json("results/judging/nvidia-h200/aa_blocks_1.json")
    counts = same["counts"]
    assert counts["regression"] == 0
    yield f"no regression, {counts['unchanged']} cases unchanged, {counts['inconclusive']} inconclusive"
    yield f"{sum(case['base_units'] == 12 for case in same['cases'])} of {len(same['cases'])} cases became candidates"
    load = read_json("results/judging/nvidia-h200/other_load.json")
    yield f"All {load['counts']['inconclusive']} cases are inconclusive, and the report's head says"
    yield "\"{}\" and \"{}\"".format(*load["environment"])


def harness_cost(_):
    kept = read_json("results/judging/nvidia-h200/annotations.json")
    cases = kept["cases"]
    yield f"all {kept['counts']['inconclusive']} cases are inconclusive"
    assert all(case["change_low"] < 0 < case["change_high"] for case in cases)
    yield (f"nothing under {100 * min(case['detectable'] for case in cases):.0f} % could be seen, and 1 % would take "
           f"{min(case['units_needed'] for case in cases)} blocks or more")
    shortest = min(case["base_s"] for case in cases)
    yield f"far below 1 % of the shortest case, a launch of {time_text(shortest)}"
    yield "costs less than 1 %"


def explaining(_):
    lines = read("results/explained/nvidia-h200/times_against_nsys.txt").splitlines()
    number = r"([\d.]+)"
    row = re.compile(rf"  (.*?) +\d+ .*? {number} +{number}% +{number}%")
    found = [match.groups() for match in map(row.match, lines) if match]
    for title, name in (("`partial_reduce`, 800 launches", "partial_reduce"), ("`divide_by`, 16 launches", "divide_by"),
                        ("`single_thread_sum`, 800 launches", "single_thread_sum"),
                        ("rate of copies to and from pinned memory", r"copy.*pinned.*,\d+ B"),
                        ("rate of copies to and from pageable memory", r"copy.*pageable.*,\d+ B")):
        ratios, ours, nsys = zip(*(map(float, values) for what, *values in found if re.search(name, what)))
        yield (f"| {title} | {min(ratios):.3f} to {max(ratios):.3f} | {min(ours):.1f} to {max(ours):.1f} % | "
               f"{min(nsys):.1f} to {max(nsys):.1f} % |")
    kernels = [float(ratio) for what, ratio, *_ in found if not what.startswith("copy")]
    yield f"{sum(abs(ratio - 1) < 0.02 for ratio in kernels)} of the {len(kernels)} kernel times are within 2 %"


def counters(_):
    text = read("results/explained/nvidia-h200/counters_against_ncu.txt")
    for judged, missed in re.findall(r"^(\d+) counters .*: (\d+) off;", text, re.MULTILINE):
        yield f"| {int(judged) - int(missed)} of {judged} |"
    yield "waits at most 20 s"
    tolerance = re.search(r"^TOLERANCE = (.*)$", read("tests/perf/counters_against_ncu.py"), re.M)[1]
    yield f"within {percent(float(tolerance), 1)} for counts and durations"


def findings(_):
    limits = dict(re.findall(r"(\w+_ceiling) = ([\d.]+);", read("benchmarks/base/roofline.hpp")))
    threshold = re.compile(r'Threshold \w+\{\s*"(\w+)",\s*(\S+),\s*"(.*?)",\s*((?:"[^"]*"\s*)+)\}')
    header = read("benchmarks/look/thresholds.hpp")
    for name, value, unit, source in threshold.findall(header):
        source = "".join(re.findall('"([^"]*)"', source))
        yield f"| `{name}` | {float(limits.get(value, value)):g} {unit} | {source} |"
    near, above = (float(limits[name]) for name in ("near_ceiling", "above_ceiling"))
    near = percent(near, 2)
    yield f"From {near}"
    yield f"a unit at {near} of its peak or more binds"
    yield f"below {near} of the nearest ceiling"
    yield f"The case reaches {near} or more of the measured rate of device memory"
    yield f"works at {near} of its peak or more"
    yield f"the measured rate of device memory by more than {percent(above - 1, 1)}"
    yield "FP32 work that runs 20 % faster than the measured FP32 rate"


def calibrating(_):
    file, = (ROOT / "results/calibrations").glob("*.json")
    floors = [case["floor"] for case in read_json(file)["cases"]]
    yield f"None of the {len(floors)} floors is below {math.floor(100 * min(floors))} %"
    yield "0.01 is 1 %"
    yield "shown with 1 %"


def kept_results(_):
    """Its figures are between marks."""
    yield from ()


def your_kernel(_):
    rows = read_json("results/kernel_files/nvidia-h200/your_kernel.json")["benchmarks"]
    seconds = [phase["total_s"] for row in rows for phase in row.get("apod", {}).get("phases", []) if phase["name"] == "compile"]
    cached = statistics.median(seconds)  # most processes find it there
    first = [one for one in seconds if one > 5 * cached]
    assert 5 <= len(first) < len(seconds) / 4, "one for each kernel and its template arguments"
    yield f"the first process that needs a kernel waits {span(first, time_text)} for NVRTC, and one that finds it in the cache {time_text(cached)}"
    yield "may be 25 % and 2 us longer"
    yield "end to end 50 % and 20 us"
    yield "compared with, within 5 %"


def cluster(result):
    folder = "results/several_gpus/nvidia-h100-80gb-hbm3"

    def seconds(name):
        """Of measuring, of each machine."""
        sums = collections.Counter()
        for row in read_json(f"{folder}/{name}.json")["benchmarks"]:
            if "apod" in row:
                sums[row["apod"].get("machine")] += row["apod"]["wall_s"]
        return sorted(sums.values(), reverse=True)

    (one,), two = seconds("reduction_serial"), seconds("reduction_spread")
    yield f"take {one:.1f} s in sum"
    yield f"those of two take {' and '.join(f'{some:.1f}' for some in two)} s, at the same time"

    def verdicts(rows):
        ends = {row["case"]: (float(row["delta_low"]), float(row["delta_high"])) for row in rows if row["delta_low"]}
        return {case: (low > 0) - (high < 0) for case, (low, high) in ends.items()}

    serial, spread = (result(f"{folder}/reduction_{name}") for name in ("serial", "spread"))
    before, after = verdicts(serial.rows), verdicts(spread.rows)
    assert before.keys() == after.keys()
    (other,) = (case for case in before if before[case] != after[case])
    yield f"Of {len(before)} sums that are compared with CUB's, {len(before) - 1} have the same verdict"

    def text(found):
        row, = found.all(re.escape(other))
        return f"{100 * float(row['delta']):.2f} % ± {50 * (float(row['delta_high']) - float(row['delta_low'])):.2f}"
    yield f"The other is {text(serial)} on one GPU and {text(spread)} with two"

    beside = result(f"{folder}/beside")
    changes = {}
    for row in beside.rows:
        if "_beside/" in row["case"]:
            alone, = beside.all(re.escape(row["case"].replace("_beside/", "_alone/")))
            ends = [float(one[f"time_{end}_s"]) for one in (row, alone) for end in ("low", "high")]
            assert ends[0] < ends[3] and ends[2] < ends[1], "the intervals overlap"
            kind = "pinned" if "pinned" in row["case"] else "pageable" if "pageable" in row["case"] else "kernel"
            changes.setdefault(kind, []).append(float(row["time_s"]) / float(alone["time_s"]) - 1)
    yield f"at most {100 * max(map(abs, changes['kernel'])):.1f} %, which is within their intervals"
    low, high = (100 * end(changes["pinned"]) for end in (min, max))
    yield f"take {low:.1f} to {high:.1f} % longer"
    pageable = changes["pageable"]
    yield f"pageable memory change by {100 * min(pageable):.0f} to +{100 * max(pageable):.0f} %"


PAGES = {"README.md": readme, "results/README.md": kept_results,
         "docs/cluster.md": cluster, "docs/your-kernel.md": your_kernel,
         "docs/streams.md": streams, "docs/concurrency.md": concurrency,
         "docs/reduction.md": reduction, "docs/convolution.md": convolution, "docs/bilinear.md": bilinear,
         "docs/elementwise.md": elementwise, "docs/groupby.md": groupby, "docs/gemm.md": gemm,
         "docs/network.md": network, "docs/judging-evidence.md": judging_evidence,
         "docs/harness-cost.md": harness_cost, "docs/explaining.md": explaining,
         "docs/counters.md": counters, "docs/findings.md": findings,
         "docs/calibrating.md": calibrating}
