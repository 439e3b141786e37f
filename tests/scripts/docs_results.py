"""Kept results, read as the sentences of the docs need them."""

import json
import math
import re
from pathlib import Path

from docs_tables import digits, shown

ROOT = Path(__file__).resolve().parents[2]
H200 = "results/baselines/nvidia-h200"


class Result:
    """The measured cases of a result, by the end of their ids (a regular expression)."""

    def __init__(self, file, rows):
        self.ceilings = read_json(file)["context"]["apod"].get("ceilings")
        self.rows = rows

    def all(self, case):
        found = [row for row in self.rows if re.search(case + "$", row["case"])]
        assert found, f"no case {case}"
        return found

    def __call__(self, case, *what):
        """What is shown of the one case: its time, or what is named."""
        row, = self.all(case)
        return " ".join(shown(row, word) for word in what or ["time"])

    def number(self, case, column="time_s"):
        row, = self.all(case)
        return float(row[column])

    def numbers(self, case, column="time_s"):
        return [float(row[column]) for row in self.all(case) if row[column]]

    def ratio(self, case, other, column="time_s"):
        return self.number(case, column) / self.number(other, column)


def span(numbers, text):
    """From the least to the greatest, with the unit once: 41.1 to 43.9 %."""
    low, high = text(min(numbers)), text(max(numbers))
    value, _, unit = low.partition(" ")
    return low if low == high else f"{value if high.endswith(' ' + unit) else low} to {high}"


def times(ratio, count=3):
    return digits(ratio, count) + " times"


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def read(file):
    return (ROOT / file).read_text(encoding="utf-8")


def read_json(file):
    return json.loads(read(file))
