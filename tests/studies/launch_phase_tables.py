#!/usr/bin/env python3
"""What launch_phase.cu and launch_phase_timers.py found, as a table in Markdown.

    python3 tests/studies/launch_phase_tables.py loops|timers|counts|places FOLDER

FOLDER holds what the two wrote on one GPU: loops.txt, counts.txt and places.txt (`launch_phase loops`, and so on; places
of several processes, one behind the other) and timers.txt.
"""
import collections
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


def loops(folder):
    """The first process of each loop."""
    seen = {}
    for words, medians in rows_of(folder / "loops.txt"):
        seen.setdefault(words, medians)
    shown = ("one kernel", "two kernels", "three kernels", "own sum of 2^20", "CUB's sum of 2^20")
    seen = {words: medians for words, medians in seen.items() if words[1] in shown}
    heads = ["loop", "work"] + [f"+{j}" for j in range(8)] + ["apart"]
    table(heads, [[*words, *(f"{value:.2f}" for value in medians), apart(medians)] for words, medians in seen.items()])


def timers(folder):
    seen = {}
    for words, medians in rows_of(folder / "timers.txt"):
        seen.setdefault(words, medians)
    table(["timer", "work", "least", "most", "apart"],
          [[*words, f"{min(medians):.2f} us", f"{max(medians):.2f} us", apart(medians)]
           for words, medians in seen.items()])


def counts(folder):
    table(["between sessions"] + [f"+{j}" for j in range(8)],
          [[words[0], *(f"{value:.2f}" for value in medians)] for words, medians in rows_of(folder / "counts.txt")])


def spread(groups):
    """Within groups: the standard deviation of the logarithms, %."""
    squares = [statistics.variance([math.log(value) for value in values]) for values in groups]
    return 100 * math.sqrt(statistics.mean(squares))


def places(folder):
    kinds = ["again", "streams", "memory", "swept memory", "contexts"]
    found = collections.defaultdict(list)
    for (work, kind), values in rows_of(folder / "places.txt"):
        found[work, kind].append(values)
    works = list(dict.fromkeys(work for work, _ in found))
    rows = []
    for work in works:
        firsts = [values[0] for values in found[work, "again"]]
        cells = [f"{spread(found[work, kind]):.2f} %" for kind in kinds]
        rows.append([work, f"{statistics.mean(firsts):.2f} us", *cells, f"{spread([firsts]):.2f} %"])
    table(["work", "time", "nothing changed", "another stream", "its memory", "the swept memory", "another context",
           "another process"], rows)


if __name__ == "__main__":
    {"loops": loops, "timers": timers, "counts": counts, "places": places}[sys.argv[1]](pathlib.Path(sys.argv[2]))
