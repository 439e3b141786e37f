"""Tables of the docs that put cases of one result side by side, made from what `bench show --format csv` prints.

    <!-- table results/baselines/nvidia-h100-80gb-hbm3/groupby.json ^passes
    groups
    `three_passes` = variant=three_passes time
    `one_pass` = variant=one_pass time interval
    of the ceiling = variant=one_pass ceiling
    -->

The first line has the file and a filter of case ids, the second the axes that a row stands for. Each other line
is a column: its title, the conditions that choose its case in a row (none: the row has one case), and what
is shown of it, which may be several things.

    <!-- filled results/baselines/nvidia-h100-80gb-hbm3
    | sum | time |
    | --- | ---: |
    | CUB's | {reduction sums/cub/size:1024/accumulator:fp32 time interval} |
    -->

is a table whose lines are written by hand, and whose figures are those of cases: the name of a result of the folder, the
end of a case's id (a regular expression), and what is shown of it.

    <!-- files results/baselines/nvidia-h100-80gb-hbm3 -->
    <!-- comparisons results/judging/nvidia-h200 slowed_10 other_load -->
    <!-- thresholds benchmarks/look/thresholds.hpp -->

have a line for each result of a folder (what made it, at which commit, and how long that took), for each comparison, and
for each threshold of a header.
"""

import json
import math
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "python"))
import apod_bench  # noqa: E402

TABLE = re.compile(r"(<!-- table (\S+) (\S+)\n(.*?)\n-->\n)(.*?)(<!-- end -->)", re.DOTALL)
FILLED = re.compile(r"(<!-- filled (\S+)\n(.*?)-->\n)(.*?)(<!-- end -->)", re.DOTALL)
LISTED = re.compile(r"(<!-- (files|comparisons|thresholds) (\S+)([^\n]*) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
KINDS = (TABLE, FILLED, LISTED)
FIGURE = re.compile(r"\{(\S+) (\S+) ([^}]*)\}")
ROOT = Path(__file__).resolve().parents[2]
UNITS = (("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))


def digits(value, count=4):
    """With so many significant digits: 247.0, 4.792, 1.642."""
    before = math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{max(0, count - 1 - before)}f}"


def time_text(seconds):
    unit, scale = next((u for u in UNITS if seconds >= u[1]), UNITS[-1])
    return f"{digits(seconds / scale)} {unit}"


def percent(share, count=3):
    return digits(100 * share, count) + " %"


def count_text(text):
    """A count as a config may write it: 2^20, 10^5."""
    if not re.fullmatch(r"\d+", text) or int(text) <= 1000:
        return text
    value = int(text)
    if value & (value - 1) == 0:
        return f"2^{value.bit_length() - 1}"
    return f"10^{len(text) - 1}" if re.fullmatch(r"10+", text) else text


def number(row, name):
    text = row.get(name) or ""
    return float(text) if text else None


def interval(row):
    """± half the width in percent of the time, or both ends where they are unlike; nothing without an interval."""
    low, high = number(row, "time_low_s"), number(row, "time_high_s")
    if low is None or high is None:
        return ""
    time = number(row, "time_s")
    near, far = sorted((time - low, high - time))
    if far > 1.5 * near:
        return f"({time_text(low)} to {time_text(high)})"
    return f"± {percent((high - low) / 2 / time, 2)}"


def change(row):
    value, ends = number(row, "delta"), (number(row, "delta_low"), number(row, "delta_high"))
    if value is None:
        return ""
    if None in ends:
        return f"{100 * value:+.1f} %"
    half = 50 * (ends[1] - ends[0])
    places = 1 if half >= 0.095 else 2
    return f"{100 * value:+.{places}f} % ± {half:.{places}f}" + (" ~" if ends[0] <= 0 <= ends[1] else "")


def energy(row):
    """In J with its interval: 280.1 mJ ± 3.1 %."""
    value, low, high = (number(row, name) for name in ("energy", "energy_low", "energy_high"))
    if value is None:
        return ""
    unit, scale = next((u for u in (("J", 1), ("mJ", 1e-3)) if value >= u[1]), ("uJ", 1e-6))
    return f"{digits(value / scale)} {unit} ± {percent((high - low) / 2 / value, 2)}"


def clocks(row):
    low, high = (f"{number(row, name):.0f}" for name in ("sm_clock_min", "sm_clock_max"))
    return (low if low == high else f"{low} to {high}") + " MHz"


def shown(row, what):
    if what in ("energy", "clocks"):
        return {"energy": energy, "clocks": clocks}[what](row)
    if what in ("power", "flops_per_joule"):
        value = number(row, what)
        if value is None:
            return ""
        return f"{value:.0f} W" if what == "power" else f"{digits(value / 1e9, 3)} GFLOP/J"
    if what == "time":
        return time_text(number(row, "time_s"))
    if what == "tflops":
        value = number(row, "flops_per_s")
        return "" if value is None else f"{digits(value / 1e12, 3)} TFLOP/s"
    if what == "bus_bandwidth":
        return f"({digits(number(row, what) / 1e9, 3)} GB/s)"
    if what in ("peer_time", "device_time"):
        return time_text(number(row, what))
    if what == "interval":
        return interval(row)
    if what == "change":
        return change(row)
    if what == "ceiling":
        share = number(row, "share_of_ceiling")
        return "" if share is None else percent(share)
    if what == "(ceiling)":
        share = number(row, "share_of_ceiling")
        return "" if share is None else f"({percent(share)})"
    if what == "error":
        return f"{number(row, 'error'):.1e}".replace("e-0", "e-")
    value = number(row, what)
    return "" if value is None else percent(value) if value < 1 and value != 0 else f"{value:g}"


def table(text, rows):
    """The Markdown of the table that `text` describes, over these rows of a CSV."""
    first, *columns = text.splitlines()
    axes = [axis.strip() for axis in first.split(",")]
    columns = [re.fullmatch(r"(.*?) = (.*)", column).groups() for column in columns]
    keys = list(dict.fromkeys(tuple(row[axis] for axis in axes) for row in rows))
    lines = [[*axes, *(title for title, _ in columns)], [*("---" for _ in axes), *("---:" for _ in columns)]]
    for key in keys:
        line = [f"`{value}`" if axis == "variant" else count_text(value) for axis, value in zip(axes, key)]
        for _, words in columns:
            chosen = [row for row in rows if tuple(row[axis] for axis in axes) == key]
            *conditions, = (word for word in words.split() if "=" in word)
            for name, _, value in (condition.partition("=") for condition in conditions):
                chosen = [row for row in chosen if row[name] == value]
            assert len(chosen) <= 1, f"{text}: {[row['case'] for row in chosen]}"
            parts = [shown(row, word) for row in chosen for word in words.split() if "=" not in word]
            line.append(" ".join(part for part in parts if part))
        lines.append(line)
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def wall_text(run, words):
    if "--resume" in words:
        return "resumed"  # it covers the last part alone
    wall = run["wall_s"]
    return (f"{wall // 60:.0f} min {wall % 60:.0f} s" if wall >= 60 else f"{wall:.1f} s") + \
        (", cut off" if run["interrupted"] else "")


def filled(folder, text, rows_of):
    """The Markdown of a table with the figures of its cases put in."""
    def figure(match):
        name, case, words = match.groups()
        found = [row for row in rows_of(f"{folder}/{name}.json") if re.search(case + "$", row["case"])]
        assert len(found) == 1, f"{match[0]}: {len(found)} cases"
        return " ".join(part for part in (shown(found[0], word) for word in words.split()) if part)
    return FIGURE.sub(figure, text)


def comparisons(folder, names):
    """The Markdown of what comparisons found."""
    lines = ["| file | cases | regressions | unchanged | inconclusive | changes | least that could be seen |",
             "| --- | ---: | ---: | ---: | ---: | --- | ---: |"]
    for name in names:
        kept = json.loads((ROOT / folder / f"{name}.json").read_text(encoding="utf-8"))
        changes = [100 * case["change"] for case in kept["cases"]]
        counts = kept["counts"]
        lines.append(f"| `{name}.json` | {len(changes)} | {counts['regression']} | {counts['unchanged']} | "
                     f"{counts['inconclusive']} | {min(changes):+.2f} to {max(changes):+.2f} % | "
                     f"{percent(min(case['detectable'] for case in kept['cases']), 2)} |")
    return "\n".join(lines) + "\n"


def thresholds(header):
    """The Markdown of the thresholds that a header defines."""
    limits = dict(re.findall(r"(\w+_ceiling) = ([\d.]+);", (ROOT / "benchmarks/base/roofline.hpp").read_text(encoding="utf-8")))
    threshold = re.compile(r'Threshold \w+\{\s*"(\w+)",\s*(\S+),\s*"(.*?)",\s*((?:"[^"]*"\s*)+)\}')
    lines = ["| threshold | value | source |", "| --- | --- | --- |"]
    for name, value, unit, source in threshold.findall((ROOT / header).read_text(encoding="utf-8")):
        source = "".join(re.findall('"([^"]*)"', source))
        lines.append(f"| `{name}` | {float(limits.get(value, value)):g} {unit} | {source} |")
    return "\n".join(lines) + "\n"


def files(folder):
    """The Markdown of a folder's results."""
    lines = ["| file | command | commit | cache | cases | processes | wall time |",
             "| --- | --- | --- | --- | ---: | ---: | ---: |"]
    for file in sorted((ROOT / folder).glob("*.json")):
        result = json.loads(file.read_text(encoding="utf-8"))
        run = result["context"]["apod"]
        words = [word.removeprefix("configs/") for word in run["command_line"]]
        command = re.sub(r" (-q|--resume|--out \S+)", "", " ".join(words))
        taken = {}
        for process in apod_bench.processes_of(result):
            taken[process["case_index"]] = taken.get(process["case_index"], 0) + 1
        counts = sorted(taken.values())
        processes = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
        caches = {"flushed" if run["schema"] == 1 and mode == "cold" else mode
                  for mode in (one["measure"]["cache"] for one in result["apod_experiments"])}
        lines.append(f"| `{file.name}` | `{command}` | `{run['commit']}` | {', '.join(sorted(caches))} | {len(taken)} | {processes} | "
                     f"{wall_text(run, words)} |")
    return "\n".join(lines) + "\n"


def renewed(text, rows_of):
    """The text with each table made anew. rows_of(file) are the measured cases of a result."""
    def part(match):
        begin, file, condition, words, _, end = match.groups()
        rows = [row for row in rows_of(file) if re.search(condition, row["case"])]
        assert rows, f"{file} {condition}: no case"
        return begin + table(words, rows) + end

    def listed(match):
        begin, kind, path, words, _, end = match.groups()
        lines = {"files": files, "comparisons": lambda it: comparisons(it, words.split()), "thresholds": thresholds}
        return begin + lines[kind](path) + end
    text = FILLED.sub(lambda match: match[1] + filled(match[2], match[3], rows_of) + match[5], text)
    return TABLE.sub(part, LISTED.sub(listed, text))
