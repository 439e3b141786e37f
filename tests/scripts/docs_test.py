#!/usr/bin/env python3
"""README.md and docs/ are true: links and anchors resolve, commands use flags and configs that exist, and what
stands between the marks of a command is what that command prints.

A marked part is

    <!-- bench show results/x.json --format markdown: begin -->
    ...
    <!-- end -->

where ... is the output, as it is or in a code fence; `cat FILE` shows a file, and `some of it` in place of `begin`
allows to leave lines out. A comment `picture: bench plot ... --out docs/pictures/NAME.svg` tells what draws a picture,
`page: bench report ... --out docs/pages/NAME.html` what makes a page. docs_tables.py makes tables that put cases side by
side. What programs of tests/studies print takes too long to be printed again, so there it is only checked that the
program exists. Figures that were measured stand in such parts alone: a sentence would have to be written anew whenever
results are.

Usage: docs_test.py BENCH. With --write it replaces the marked parts instead.
"""

import csv
import functools
import io
import os
import re
import shlex
import subprocess
import sys
import unittest
from pathlib import Path
from urllib.parse import unquote

sys.dont_write_bytecode = True  # nothing beside the sources
import docs_tables

ROOT = Path(__file__).resolve().parents[2]
BENCH = ""
PAGES = sorted((ROOT / "docs").glob("*.md"))
INDEX = ROOT / "docs" / "README.md"
README = ROOT / "README.md"
ALL = [README, ROOT / "results" / "README.md", *PAGES]
MARK = re.compile(r"(<!-- ((?:bench|cat|python3 tests/studies/(?:against_others|control_variate|every_pair|kept_precision|launch_phase_tables|places|simulation_ranges).py) [^\n]*): begin -->\n)(.*?)(<!-- end -->)", re.DOTALL)
SOME = re.compile(r"<!-- (bench [^\n]*): some of it -->\n(.*?)<!-- end -->", re.DOTALL)
PICTURE = re.compile(r"<!-- (?:picture|page): (bench (?:plot|report) [^\n]*) --out (docs/(?:pictures|pages)/[\w.-]+\.(?:svg|html)) -->")
SLOW = re.compile(r"<!-- (?:python3 )?(?:tests/studies|build/\w+/tests/studies)/(?!against_others|control_variate|every_pair|kept_precision|launch_phase_tables|places|simulation_ranges)([\w.]+)[^\n]*: begin -->\n.*?<!-- end -->", re.DOTALL)
MARKED = (MARK, SOME, SLOW, *docs_tables.KINDS)
# A command's output that is to look alike everywhere.
PLAIN = {**os.environ, "COLUMNS": "110", "NO_COLOR": "1"}


def text_of(page):
    return page.read_text(encoding="utf-8")


def without_fences(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def without_blocks(text):
    """The text without fenced and indented blocks of code."""
    return re.sub(r"^ {4}\S.*$", "", without_fences(text), flags=re.MULTILINE)


def without_code(text):
    """The text without code, which holds no links."""
    return re.sub(r"`[^`]*`", "", without_blocks(text))


def links(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text_of(page))):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield target, (page.parent / unquote(path)).resolve() if path else page, anchor


def anchors(page):
    """Those that GitHub makes of the page's headings."""
    for heading in re.findall(r"^#+ (.*)$", without_fences(text_of(page)), re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def code_lines(page):
    """The lines of code blocks, continued ones joined, without comments."""
    text = re.sub(r"\\\n\s*", "", text_of(page))
    fenced = "\n".join(re.findall(r"^```(?:bash|sh)?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    indented = "\n".join(re.findall(r"^ {4}(\S.*)$", without_fences(text), re.MULTILINE))
    for line in (fenced + "\n" + indented).splitlines():
        yield re.sub(r"\s+#.*", "", line).strip()


def commands(page):
    """The arguments of every call of bench or scripts/run, in a code block or a code span."""
    for line in [*code_lines(page), *re.findall(r"`(bench [^`]+)`", text_of(page).replace("\n", " "))]:
        for part in re.split(r"&&|\|\s", line):
            call = re.match(r"\s*(?:nsys profile .*?)?(?:(?:\S*/)?bench|scripts/run) (.*)", part)
            if call:
                yield call[1].split()


def bench(*arguments):
    done = subprocess.run([BENCH, *arguments], cwd=ROOT, env=PLAIN, text=True, check=False, capture_output=True)
    return done.stdout, done.stderr


def printed(command):
    program, *arguments = shlex.split(command)
    if program == "cat":
        return text_of(ROOT / arguments[0])
    if program == "python3":
        arguments = [BENCH if word == "bench" else word for word in arguments]
        arguments = [BENCH if word == "bench" else word for word in arguments]
        return subprocess.run([sys.executable, *arguments], cwd=ROOT, text=True, check=True, capture_output=True).stdout
    out, err = bench(*arguments)
    assert out, f"{command}: {err}"
    return out if out.endswith("\n") else out + "\n"


def renewed(text):
    """The text with every marked part as its command prints it; a fence around it stays."""
    def part(match):
        begin, command, old, end = match.groups()
        fence = re.match(r"```\w*\n", old)
        new = printed(command)
        return begin + (f"{fence.group()}{new}```\n" if fence else new) + end
    return docs_tables.renewed(MARK.sub(part, text), measured)


def pictures():
    """Each picture and page that a page tells the command of, and what the command draws."""
    for page in ALL:
        for command, path in PICTURE.findall(text_of(page)):
            yield page, ROOT / path, printed(command)


@functools.cache
def measured(file):
    """The measured cases of a result, as rows of its CSV."""
    rows = csv.DictReader(io.StringIO(printed(f"bench show {file} --format csv")))
    return [row for row in rows if row["status"] == "measured"]


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        for page in ALL:
            for target, path, anchor in links(page):
                with self.subTest(page=page.name, target=target):
                    self.assertTrue(path.exists())
                    if anchor:
                        self.assertIn(anchor, list(anchors(path)))

    def test_lead_back_from_every_page(self):
        for page in PAGES:
            if page != INDEX:
                with self.subTest(page=page.name):
                    self.assertIn(INDEX, [path for _, path, _ in links(page)])

    def test_come_after_the_question_that_a_page_answers(self):
        for page in PAGES:
            with self.subTest(page=page.name):
                first = re.sub(r"\s+", " ", text_of(page).split("\n\n")[1])
                self.assertRegex(first, r"\?" if page == INDEX else r"\? \[All pages\]\(README\.md\)\.")

    def test_lead_to_every_page_once(self):
        mapped = [path for _, path, _ in links(INDEX) if path in PAGES]
        self.assertEqual(sorted([*mapped, INDEX]), sorted([*PAGES, PAGES[0].parent / "getting-started.md"]))

    def test_of_the_map_stand_in_its_five_parts(self):
        parts = re.findall(r"^## (.*)$", text_of(INDEX), re.MULTILINE)
        self.assertEqual(parts, ["Start", "How to", "Reference", "Explanation", "Studies"])


class Commands(unittest.TestCase):
    def test_are_found(self):
        self.assertGreater(sum(1 for page in ALL for _ in commands(page)), 100)

    def test_have_flags_that_exist(self):
        help_of = {}
        for page in ALL:
            for words in commands(page):
                name = words[0] if re.fullmatch(r"[a-z]+", words[0]) else ""
                if name not in help_of:
                    help_of[name] = "".join(bench(*([name] if name else []), "--help-all"))
                known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", help_of[name]))
                for flag in (word.partition("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)):
                    with self.subTest(page=page.name, command=" ".join(words)):
                        self.assertIn(flag, known)

    def test_name_configs_that_exist(self):
        shipped = {file.name for file in (ROOT / "configs").glob("*.yaml")}
        own = {"mine.yaml", "my.yaml", "exp.yaml", "cube.yaml", "softmax/experiment.yaml"}
        for page in ALL:
            for words in commands(page):
                for flag, value in zip(words, words[1:]):
                    if flag == "--config" and value.endswith(".yaml"):
                        with self.subTest(page=page.name, config=value):
                            self.assertTrue(value in shipped | own or (ROOT / value).is_file())


class Sources(unittest.TestCase):
    def test_that_pages_name_exist(self):
        for page in ALL:
            for path in re.findall(r"`((?:benchmarks|kernels|tests|scripts|cmake|configs)/[\w/.-]+)`", text_of(page)):
                if path not in ("kernels/reduction/my_sum.cu", "kernels/reduction/mine.cpp"):
                    with self.subTest(page=page.name, path=path):
                        self.assertTrue((ROOT / path).exists() or list(ROOT.glob(path + ".*")))

    def test_every_room_is_in_the_tour(self):
        rooms = re.findall(r"^\| `(\w+)` \|", text_of(ROOT / "docs" / "CONTRIBUTING.md"), re.MULTILINE)
        folders = {folder.name for folder in (ROOT / "benchmarks").iterdir() if folder.is_dir()}
        self.assertEqual(set(rooms) - {"main"}, folders)

    def test_levels_of_the_tour_are_those_that_are_checked(self):
        check_layers = {}
        path = ROOT / "scripts" / "check-layers"
        exec(compile(text_of(path), path, "exec"), {"__name__": "check_layers"}, check_layers)
        ranks = {}
        for name, rank in check_layers["RANKS"].items():
            ranks.setdefault(-rank, set()).add(name.removeprefix("benchmarks/"))
        levels = re.search(r"`(main > .*?)`", text_of(ROOT / "docs" / "CONTRIBUTING.md"), re.DOTALL)[1].split(">")
        self.assertEqual([set(re.findall(r"[\w/]+", level)) for level in levels],
                         [ranks[rank] for rank in sorted(ranks)])


class Marked(unittest.TestCase):
    def test_parts_are_what_their_commands_print(self):
        for page in ALL:
            text = text_of(page)
            marks = [mark for kind in MARKED for mark in kind.findall(text)]
            self.assertEqual(text.count("<!-- end -->"), len(marks), f"{page.name}: a mark has no end, or no begin")
            with self.subTest(page=page.name):
                self.assertEqual(text, renewed(text), f"python3 {Path(__file__).relative_to(ROOT)} BENCH --write")

    def test_excerpts_are_in_what_their_commands_print(self):
        for page in ALL:
            for command, part in SOME.findall(text_of(page)):
                lines = iter(printed(command).splitlines())
                for line in re.sub(r"```\w*\n", "", part).splitlines():
                    with self.subTest(page=page.name, command=command, line=line):
                        self.assertTrue(line == "..." or any(line.strip() == other.strip() for other in lines))

    def test_pictures_are_what_their_commands_draw(self):
        drawn = set()
        for page, path, svg in pictures():
            drawn.add(path)
            with self.subTest(page=page.name, picture=path.name):
                self.assertEqual(text_of(path), svg, f"python3 {Path(__file__).relative_to(ROOT)} BENCH --write")
        there = {*(ROOT / "docs/pictures").iterdir(), *(ROOT / "docs/pages").iterdir()}
        self.assertEqual(there, drawn, "each has its command on a page")

    def test_slow_programs_exist(self):
        for page in ALL:
            for program in SLOW.findall(text_of(page)):
                with self.subTest(page=page.name, program=program):
                    self.assertTrue(list((ROOT / "tests" / "studies").glob(program.removesuffix(".py") + ".*")))


class Plain(unittest.TestCase):
    """Marks of a dialect that was slow to read: a verdict is no court, and programs are not people."""

    def test_english(self):
        marks = re.compile(r"\b(convict\w*|acquit\w*|nobody|of which none|(?:is|are) told|(?:held|hold|holds) against|"
                           r"what is no|says nothing of|tells? apart|passed over)\b", re.IGNORECASE)
        for page in ALL:
            text = text_of(page)
            for kind in MARKED:
                text = kind.sub("", text)
            found = marks.findall(without_blocks(text))
            with self.subTest(page=page.name):
                self.assertEqual(found, [])


class Glossary(unittest.TestCase):
    def test_has_few_words(self):
        words = text_of(ROOT / "docs" / "reading-the-table.md").partition("\n## Words\n")[2]
        self.assertLessEqual(words.count("\n| ") - 2, 20)  # without the head


class Readme(unittest.TestCase):
    def test_is_short(self):
        self.assertLessEqual(len(text_of(README).splitlines()), 120)


if __name__ == "__main__":
    BENCH = str(Path(sys.argv[1]).resolve())
    if sys.argv[2:] == ["--write"]:
        left = 0
        for each in ALL:
            try:
                each.write_text(renewed(text_of(each)), encoding="utf-8")
            except (AssertionError, OSError, subprocess.CalledProcessError) as error:
                print(f"{each.relative_to(ROOT)} is left as it was: {error}", file=sys.stderr)
                left += 1
        for _, picture, svg in pictures():
            picture.parent.mkdir(exist_ok=True)
            picture.write_text(svg, encoding="utf-8")
        sys.exit(1 if left else 0)
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
