"""Tables of the docs that put cases of one result side by side, made from what `bench show --format csv` prints.

    <!-- table results/baselines/nvidia-h200/groupby.json ^passes
    groups
    `three_passes` = variant=three_passes time
    `one_pass` = variant=one_pass time interval
    of the ceiling = variant=one_pass ceiling
    -->

The first line has the file and a filter of case ids, the second the axes that a row stands for. Each other line
is a column: its title, the conditions that choose its case in a row (none: the row has one case), and what
is shown of it, which may be several things.

    <!-- files results/baselines/nvidia-h200 -->

has a line for each result of a folder: what made it, at which commit, and how long that took.
"""

import json
import math
import re
from pathlib import Path

TABLE = re.compile(r"(<!-- table (\S+) (\S+)\n(.*?)\n-->\n)(.*?)(<!-- end -->)", re.DOTALL)
FILES = re.compile(r"(<!-- files (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
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
        for row in result["benchmarks"]:
            taken[row["run_name"]] = taken.get(row["run_name"], 0) + 1
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
    text = FILES.sub(lambda match: match[1] + files(match[2]) + match[4], text)
    return TABLE.sub(part, text)
