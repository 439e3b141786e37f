#!/usr/bin/env python3
"""The median of each column over all kinds of noise, with the least and the most, from tables of compare_simulation.

Prints Markdown; docs/judging-evidence.md shows it. Usage: simulation_ranges.py tools|files FILE.
"""

import re
import statistics
import sys
from pathlib import Path


def number(cell):
    return float(cell.split()[0])


def spread(values):
    middle = f"{statistics.median(values):.1f}"
    return middle if min(values) == max(values) else f"{middle} ({min(values):.1f} to {max(values):.1f})"


def tables(text):
    """Each table's title, its head, and its rows of cells."""
    for title, table in re.findall(r"^#+ ([^\n]*)\n(?:(?!^[#|]).*\n)*?((?:\|.*\n)+)", text, re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]
        yield title, lines[0], lines[2:]


def printed(head, groups):
    print("| " + " | ".join(head) + " |\n| --- |" + " ---: |" * (len(head) - 1))
    for name, rows in groups:
        print(f"| {name} | " + " | ".join(spread([number(row[i]) for row in rows]) for i in range(len(head) - 1)) + " |")


def main(kind, file):
    found = list(tables(Path(file).read_text(encoding="utf-8")))
    if kind == "tools":
        _, head, rows = found[0]
        names = list(dict.fromkeys(row[0] for row in rows))
        printed([head[0], *head[2:]], [(name, [row[2:] for row in rows if row[0] == name]) for name in names])
    else:
        printed(["new side and base", *found[1][1][1:]], [(title, [row[1:] for row in rows]) for title, _, rows in found[1:]])


if __name__ == "__main__":
    main(*sys.argv[1:])
