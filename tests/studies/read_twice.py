#!/usr/bin/env python3
"""Draws what results/read_twice.txt counts: ten pages of README.md and docs/, and 100 messages of the sources, at random.

Pages come without code, generated parts and outputs, a sentence a line. A message is a string of benchmarks/, kernels/ or
scripts/ with six words or more, its adjacent parts joined. A reader reads each once, aloud, and counts those that had to be
read twice.

Usage: read_twice.py SEED pages|messages
"""

import random
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Marks of code in a string.
CODE = ("::", "SELECT ", "__", ";\\n", "}\\n", '=\\"', '{\\"', "\\w", ".row.", "/cold/", "{path", "{name")


def sentences(page):
    text = re.sub(r"<!-- .*?-->.*?<!-- end -->|<!--.*?-->|^```.*?^```$|^ {4}.*?$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for block in re.split(r"\n\s*\n|\n(?=[-#|]|\d\.)", text):
        block = " ".join(block.split())
        if block and not re.fullmatch(r"[|:\- ]*", block):
            yield from re.split(r"(?<=[.!?:;]) (?=[A-Z`*])", block)


def messages():
    for top, ends in (("benchmarks", (".cpp", ".hpp")), ("kernels", (".cpp", ".hpp", ".cu")), ("scripts", ("",))):
        for file in sorted(path for path in (ROOT / top).rglob("*") if path.is_file() and path.suffix in ends):
            text = re.sub(r"^\s*(?://|#).*$", "", file.read_text(errors="replace"), flags=re.MULTILINE)
            for literal in re.findall(r'R"\((.*?)\)"|((?:"(?:[^"\\\n]|\\.)*"\s*)+)', text, re.DOTALL):
                whole = literal[0] or "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literal[1]))
                is_code = any(mark in whole for mark in CODE)
                if not literal[0] and not is_code and len(re.findall(r"[A-Za-z']{2,}", whole)) >= 6:
                    yield f"{whole}   [{file.relative_to(ROOT)}]"


if __name__ == "__main__":
    draw = random.Random(int(sys.argv[1]))
    if sys.argv[2] == "pages":
        others = sorted(page for page in (ROOT / "docs").glob("*.md") if page.name not in ("README.md", "changes.md"))
        for page in [ROOT / "README.md", *draw.sample(others, 9)]:
            print(f"== {page.relative_to(ROOT)}")
            print("\n".join(sentences(page)))
    else:
        print("\n".join(draw.sample(sorted(set(messages())), 100)))
