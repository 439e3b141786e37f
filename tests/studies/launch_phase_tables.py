#!/usr/bin/env python3
"""What launch_phase.cu and launch_phase_timers.py found, as a table in Markdown.

    python3 tests/studies/launch_phase_tables.py loops|own_loops|timers|counts|places|births|guard|behind FOLDER

FOLDER holds what the two wrote on one GPU: loops.txt, counts.txt, places.txt and births.txt (`launch_phase loops`, and so on;
places of several processes, one behind the other), timers.txt, guard.txt of launch_phase_guard.py, and behind.csv (`bench show
--format csv` of what behind.yaml measured).
"""
import collections
import csv
import math
import pathlib
import statistics
import sys


def rows_of(file):
    """Its lines: the words before the values, and the values, us."""
    for line in file.read_text().splitlines():
        *words, values = line.split("|")
        yield tuple(words), [float(value) for value in values.split()]


def table(heads, rows):
    print("| " + " | ".join(heads) + " |")
    print("| " + " | ".join("---" if i == 0 else "---:" for i in range(len(heads))) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def apart(values):
    return f"{100 * (max(values) / min(values) - 1):.1f} %"


def all_of(file):
    """Row -> its medians in each process."""
    seen = collections.defaultdict(list)
    for words, medians in rows_of(file):
        seen[words].append(medians)
    return seen


def apart_in_each(processes):
    return ", ".join(apart(medians).removesuffix(" %") for medians in processes) + " %"


def loops(folder):
    """Of the loops with eight launches a sample: all works behind a read, and what differs behind the other two."""
    table(["caches", "work"] + [f"+{j}" for j in range(8)] + ["apart, in each process"],
          [[loop, work, *(f"{value:.2f}" for value in processes[0]), apart_in_each(processes)]
           for (loop, work, launches), processes in sorted(all_of(folder / "loops.txt").items(), key=by_loop)
           if launches == "8" and (loop == "reads twice the L2" or work in ("one kernel", "two kernels", "CUB's sum of 2^20")
                                   or loop == "hot" and work == "three kernels")])


def by_loop(row):
    """By loop, works as they came."""
    order = ["reads twice the L2", "sets the L2", "hot"]
    loop = row[0][0].removesuffix(", nothing added")
    return order.index(loop)


def own_loops(folder):
    """Of the loops without empty launches: how many launches a sample has, and how far medians are apart."""
    rows = {}
    for (loop, work, launches), processes in all_of(folder / "loops.txt").items():
        if loop.endswith(", nothing added"):
            rows.setdefault(work, []).extend([launches, apart_in_each(processes)])
    table(["work", "reads twice the L2: launches", "apart", "sets the L2: launches", "apart", "hot: launches", "apart"],
          [[work, *cells] for work, cells in rows.items()])


def behind(folder):
    """What bench measures after 0 to 7 launches: a row a case."""
    seen = collections.defaultdict(dict)
    with (folder / "behind.csv").open() as file:
        for row in csv.DictReader(file):
            size, launches = row.get("size"), row.get("launches")
            of = f"{launches} launches" if launches else f"2^{math.log2(int(size)):.0f} values"
            case = f"{row['variant'].removesuffix('_behind')}, {of}"
            seen[case][int(row["launches_before"])] = 1e6 * float(row["time_s"])
    table(["work"] + [f"+{j}" for j in range(8)] + ["apart"],
          [[case, *(f"{times[j]:.2f}" for j in range(8)), apart(times.values())] for case, times in seen.items()])


def timers(folder):
    """Each process for itself: processes differ, too."""
    seen = all_of(folder / "timers.txt")
    count = max(map(len, seen.values()))
    heads = [head for i in range(count) for head in (f"process {i + 1}", "apart")]
    table(["timer", "work", *heads],
          [[*words, *(cell for medians in of for cell in (f"{min(medians):.2f} to {max(medians):.2f} us", apart(medians)))]
           for words, of in seen.items()])


def births(folder):
    rows = [(words[0], values) for words, values in rows_of(folder / "births.txt")]
    table(["", "median", "least", "most"],
          [[what, *(f"{value:.0f} ms" for value in (statistics.median(values), min(values), max(values)))]
           for what, values in rows])


def counts(folder):
    table(["between sessions"] + [f"+{j}" for j in range(8)],
          [[words[0], *(f"{value:.2f}" for value in medians)] for words, medians in rows_of(folder / "counts.txt")])


def spread(groups):
    """Within groups: the standard deviation of the logarithms, %."""
    squares = [statistics.variance([math.log(value) for value in values]) for values in groups]
    return 100 * math.sqrt(statistics.mean(squares))


def guard(folder):
    rows = [line.split("|") for line in (folder / "guard.txt").read_text().splitlines()]
    table(["the case was measured", "samples of each", "runs", "within 0.5 %", "largest change"],
          [[where, f"at least {samples}", runs, held, f"{largest} %"]
           for where, samples, runs, held, largest in rows])


KINDS = {"again": "nothing changed", "streams": "another stream", "memory": "its memory", "swept memory": "the swept memory",
         "code": "the address of its code", "order": "other work before", "contexts": "another context"}


def places_of(folder):
    """(Work, kind) -> the times of each process; and the works."""
    found = collections.defaultdict(list)
    for (work, kind), values in rows_of(folder / "places.txt"):
        found[work, kind].append(values)
    return found, list(dict.fromkeys(work for work, _ in found))


def places(folder):
    found, works = places_of(folder)
    rows = []
    for work in works:
        firsts = [values[0] for values in found[work, "again"]]
        cells = [f"{spread(found[work, kind]):.2f} %" if (work, kind) in found else "" for kind in KINDS]
        clocks = f"{spread(found[work, 'clocks']):.2f} %"
        rows.append([work, f"{statistics.mean(firsts):.2f} us", *cells, f"{spread([firsts]):.2f} %", clocks])
    table(["work", "time", *KINDS.values(), "another process", "the clock of contexts"], rows)


if __name__ == "__main__":
    what = {"loops": loops, "own_loops": own_loops, "timers": timers, "counts": counts, "places": places, "births": births,
            "guard": guard, "behind": behind}
    what[sys.argv[1]](pathlib.Path(sys.argv[2]))
