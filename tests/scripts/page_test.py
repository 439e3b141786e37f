#!/usr/bin/env python3
"""Opens every kind of page in a browser: no error, no request, sizes, structure, contrast, what the script adds.

Usage: page_test.py BENCH [--pictures FOLDER] [--sizes FILE]. With --pictures every page is kept there, as HTML, as
PNG in widths of 390, 1280 and 1920 px and dark, and as the PDF that is printed, to be looked at. With --sizes the sizes
and times to open are written to a file. Ends with 77 where no chromium is installed. axe-core is
used if the Python package axe_playwright_python, which ships it, is found; APOD_AXE names its wheel, or an
axe.min.js."""

import base64
import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from browser import Browser, find_browser  # noqa: E402
from page_samples import HOSTILE, nights, recordings, samples  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
KEPT = {
    "streams": "tests/data/results/kept/streams.json",
    "reduction": "tests/data/results/kept/reduction_thin.json",
    "gemm": "tests/data/inspect/gemm_h200.json",
    "explained": "tests/data/results/kept/streams_explained.json",
    "comparison": "tests/golden/report/comparison.json",
    "blocks": "tests/data/results/comparisons/slowed_10.json",
    "google": "tests/data/results/google/repetitions.json",
    "nvbench": "tests/data/results/nvbench/yardstick.json",
    "recording": "tests/data/inspect/network_float32.json",
    "nights": "tests/data/results/history.json",
    "links": "results/several_gpus/nvidia-h100-80gb-hbm3/ceilings.json",
}
# Numbers that are not whole: parted from their unit at the end of a line, or behind an edge.
BROKEN = r"""(() => {
  const broken = [], seen = new Map();
  const sight = element => {  // where the element's content can be seen
    if (!element || element === document.body) return [0, innerWidth];
    if (!seen.has(element)) {
      const [left, right] = sight(element.parentElement), box = element.getBoundingClientRect();
      const open = getComputedStyle(element).overflowX === 'visible';
      seen.set(element, open ? [left, right] : [Math.max(left, box.left), Math.min(right, box.right)]);
    }
    return seen.get(element);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const number = /(?<![\w:.<)\/-])[~±+-]?\d[\d.]*(?:\^\d+|e[-+]?\d+)?/.source;
  const unit = /[ \u00a0](?:%|[umn]?s|min|[kMGTP]?i?B|[kMGTP]?(?:B|FLOP)\/[sJ]|MHz|[mu]?J|m?W)(?![\w\/])/.source;
  const numbers = new RegExp(`${number}(?:${unit})?`, 'g');
  while (texts.nextNode()) {
    const node = texts.currentNode, drawn = node.parentElement.closest('svg text');
    if (node.parentElement.closest('pre, code, title, desc, script, style')) continue;
    if (!node.parentElement.getClientRects().length) continue;
    for (const found of node.data.matchAll(numbers)) {
      const range = document.createRange();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      const boxes = drawn ? [drawn.getBoundingClientRect()] : [...range.getClientRects()].filter(box => box.width > 0);
      const [left, right] = sight(node.parentElement);
      if (boxes.some(box => box.left < left - 2 || box.right > right + 2 || box.top > boxes[0].bottom - 3)) {
        broken.push(node.data.slice(Math.max(0, found.index - 20), found.index + found[0].length + 9));
      }
    }
  }
  return broken;
})()"""
# Texts of figures that lie over each other, over a line or under a leader, which leads to a name; leaders that cross.
CROSSED = r"""(() => {
  const crossed = [];
  for (const svg of document.querySelectorAll('svg.figure')) {
    if (!svg.getBoundingClientRect().width) continue;
    const texts = [...svg.querySelectorAll('text')].filter(node => node.textContent).map(node => {
      const box = node.getBoundingClientRect();
      return {text: node.lastChild.data, left: box.left + 1, right: box.right - 1,
              top: box.top + 2.5, bottom: box.bottom - 2.5};
    });
    const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    texts.forEach((a, i) => texts.slice(i + 1).forEach(b => {
      if (over(a, b)) crossed.push(`${a.text} | ${b.text}`);
    }));
    const lines = [];
    svg.querySelectorAll('path.guide, path.line, path.leader').forEach((path, of) => {
      const leads = path.classList.contains('leader'), place = path.getScreenCTM(), length = path.getTotalLength();
      const points = [];
      for (let at = 0; at < length + 1; ++at) {
        points.push(path.getPointAtLength(Math.min(at, length)).matrixTransform(place));
      }
      for (const text of texts) {
        const edge = leads ? 2 : 0;  // a leader ends at its name
        const left = text.left + edge, right = text.right - edge;
        if (points.some(p => p.x > left && p.x < right && p.y > text.top && p.y < text.bottom)) {
          crossed.push(`${text.text} | ${path.classList}`);
        }
      }
      const corners = [];
      for (const [, what, x, y] of leads ? path.getAttribute('d').matchAll(/([MHL])([-\d.]+)(?: ([-\d.]+))?/g) : []) {
        corners.push({x: Number(x), y: what === 'H' ? corners.at(-1).y : Number(y)});
      }
      corners.slice(1).forEach((to, i) => lines.push({from: corners[i], to, of}));
    });
    const side = ({from, to}, p) => (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x);
    lines.forEach((a, i) => lines.slice(i + 1).forEach(b => {
      const cross = side(a, b.from) * side(a, b.to) < 0 && side(b, a.from) * side(b, a.to) < 0;
      if (cross && a.of !== b.of) crossed.push(`two leaders in ${svg.querySelector('title').textContent}`);
    }));
  }
  return crossed;
})()"""
# A folded table is no table by its layout: its parts say what they are.
LOST_ROLES = """[...document.querySelectorAll('.folded, .folded :is(thead, tbody, tr, th, td)')]
  .filter(part => !part.getAttribute('role')).map(part => part.outerHTML.slice(0, 80)).slice(0, 3)"""
# Of neighbours that look the same two are left: the rules of axe-core are about looks, and it takes the longer for
# each element the more there are.
ONCE = """(() => {
  const once = element => {
    const looks = new Map();
    for (const child of [...element.children]) {
      const look = once(child), times = (looks.get(look) ?? 0) + 1;
      looks.set(look, times);
      if (times > 2 && element.tagName !== 'TR') child.remove();  // a cell belongs to its column
    }
    return `${element.tagName} ${element.getAttribute('class')} ${element.getAttribute('role')}(${[...looks.keys()]})`;
  };
  once(document.body);
})()"""
OPENED = """document.querySelectorAll('details').forEach(each => { each.open = true; });
  new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"""
STRUCTURE = """(() => {
  const all = what => [...document.querySelectorAll(what)];
  const ids = all('[id]').map(each => each.id);
  const levels = all('h1, h2, h3, h4, h5, h6').map(each => Number(each.tagName[1]));
  return {
    main: all('main').length, header: all('body > header').length, footer: all('body > footer').length,
    ones: levels.filter(level => level === 1).length, first: levels[0],
    jumps: levels.filter((level, i) => i > 0 && level > levels[i - 1] + 1).length,
    same: ids.filter((id, i) => ids.indexOf(id) !== i),
    lost: all('a[href^="#"]').map(a => a.getAttribute('href').slice(1)).filter(id => !document.getElementById(id)),
    elsewhere: all('[src], [href]').map(e => e.getAttribute('src') || e.getAttribute('href'))
      .filter(to => !to.startsWith('#') && to !== 'data:,'),
    unnamed: all('a, button').filter(each => !each.textContent.trim()).length,
    scopes: all('th').filter(th => !th.getAttribute('scope')).length,
    figures: all('svg.figure').length, untitled: all('svg.figure').filter(svg => !svg.querySelector('title')).length,
    wide: document.documentElement.scrollWidth - innerWidth,
    styled: all('[style]:not(#tip)').length, numbers: /\\b(NaN|nan|inf)\\b/.test(document.body.innerText),
  };
})()"""


def largest(page):
    """Bytes that the page may have: 300 kB up to 100 cases, 3 MB at 1,000."""
    return max(300_000, 3_000 * page.read_text(encoding="utf-8").count('<tr id="'))


def axe_source():
    named = os.environ.get("APOD_AXE")
    if named and zipfile.is_zipfile(named):
        with zipfile.ZipFile(named) as wheel:
            return wheel.read("axe_playwright_python/axe.min.js").decode("utf-8")
    found = importlib.util.find_spec("axe_playwright_python")
    path = Path(named) if named else Path(found.origin).parent / "axe.min.js" if found else None
    return path.read_text(encoding="utf-8") if path and path.is_file() else None


class Pages(unittest.TestCase):
    bench = pictures = sizes = browser = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = Path(cls.pictures or cls.folder.name)
        cls.place.mkdir(parents=True, exist_ok=True)
        cls.axe = axe_source()
        cls.pages = {}
        for name, file in KEPT.items():
            cls.make(name, "report", ROOT / file)
        kept = json.loads((ROOT / KEPT["recording"]).read_text(encoding="utf-8"))
        for name, result in {**samples(), **recordings(kept)}.items():
            file = Path(cls.folder.name) / f"{name}.json"
            file.write_text(json.dumps(result), encoding="utf-8")
            cls.make(name, "report", file)
        cls.make("several", "report", *(ROOT / KEPT[name] for name in ("reduction", "comparison", "explained")))
        folder = Path(cls.folder.name) / "nights"
        folder.mkdir()
        for number, result in enumerate(nights(24)):
            (folder / f"{number:02}.json").write_text(json.dumps(result), encoding="utf-8")
        cls.make("history", "history", folder)
        cls.make("two_runs", "history", ROOT / KEPT["streams"], ROOT / KEPT["explained"])
        cls.make("torch", "inspect", ROOT / "tests/data/inspect/torch_net.sqlite")
        cls.make("inspect", "inspect", ROOT / "tests/data/inspect/numba_v3_8streams.sqlite")
        cls.make("compare", "compare", ROOT / KEPT["streams"], ROOT / KEPT["explained"])
        cls.browser = Browser(find_browser())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    @classmethod
    def make(cls, name, command, *files):
        page = cls.place / f"{name}.html"
        done = subprocess.run([cls.bench, command, *map(str, files), "--out", str(page)], cwd=cls.folder.name,
                              capture_output=True, text=True, timeout=300)
        if not page.is_file():
            raise AssertionError(f"{name}: {done.returncode}, {done.stderr}")
        cls.pages[name] = page

    @classmethod
    def see(cls, page, opened, closed=()):
        """What there is to see of the page, opened once: how it opened, its structure in the widths of `closed`, and in
        those of `opened`, with nothing closed, which numbers are broken, names crossed and roles lost."""
        cls.browser.window(1280)
        seconds = cls.browser.open(page)
        structures, wrong = {}, {}
        for width in closed:
            cls.browser.window(width)
            structures[width] = cls.browser.run(STRUCTURE)
        for width in opened:
            cls.browser.window(width)
            cls.browser.run(OPENED)
            wrong[width] = cls.browser.run(BROKEN), cls.browser.run(CROSSED), cls.browser.run(LOST_ROLES)
        return seconds, cls.browser.errors, cls.browser.requests, structures, wrong

    @classmethod
    @functools.cache
    def seen(cls):
        return {name: cls.see(page, (390, 360, 768, 1280), closed=(1280, 390)) for name, page in cls.pages.items()}

    def check_opened(self, wrong):
        """That each number is whole, no name is crossed and no part of a folded table lost its role."""
        for width, (broken, crossed, lost) in wrong.items():
            with self.subTest(width=width):
                self.assertEqual(broken, [], "numbers that are not whole")
                self.assertEqual(crossed, [], "names that are crossed")
                self.assertEqual(lost, [], "parts of folded tables")

    def test_pages_are_small(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.assertLessEqual(page.stat().st_size, largest(page))

    def test_pages_of_all_kept_results(self):
        made = 0
        # Of the results of one study on several devices, the last.
        for file in {file.name: file for file in sorted((ROOT / "results").rglob("*.json"))}.values():
            page = Path(self.folder.name) / "kept.html"
            done = subprocess.run([self.bench, "report", file, "--out", page], capture_output=True, text=True,
                                  check=False)
            if "has no cases" in done.stderr:
                continue
            made += 1
            with self.subTest(page=str(file.relative_to(ROOT))):
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLessEqual(page.stat().st_size, largest(page))
                # In the widest and the narrowest; every kind of page is in `pages`, and seen in those between too.
                self.check_opened(self.see(page, (1280, 360))[-1])
        self.assertGreater(made, 30)

    def test_a_page_opens_without_errors_or_requests(self):
        lines = []
        for name, page in self.pages.items():
            with self.subTest(page=name):
                seconds, errors, requests, *_ = self.seen()[name]
                self.assertEqual(errors, [])
                self.assertEqual([url for url in requests if url not in (f"file://{page}", "data:,")], [])
                self.assertLess(seconds, 1.0 if os.environ.get("APOD_IDLE") else 20.0)
                lines.append(f"{name:<17} {page.stat().st_size / 1000:5.0f} kB, open in {seconds:.2f} s\n")
        if self.sizes:
            Path(self.sizes).write_text("".join(lines), encoding="utf-8")
        print("".join(lines))

    def test_structure(self):
        for name in self.pages:
            with self.subTest(page=name):
                for found in self.seen()[name][3].values():
                    self.assertEqual((found["main"], found["header"], found["footer"], found["first"]), (1, 1, 1, 1))
                    self.assertEqual(found["ones"], 3 if name == "several" else 1)
                    for wrong in ("jumps", "same", "lost", "elsewhere", "unnamed", "scopes", "untitled", "styled"):
                        self.assertIn(found[wrong], (0, []), wrong)
                    self.assertFalse(found["numbers"], "a number that is none")
                    self.assertLessEqual(found["wide"], 0, "scrolls sideways")

    def test_numbers_are_whole_and_names_are_clear(self):
        for name in self.pages:
            if "hostile" not in name:  # a digit among letters of another direction is no number
                with self.subTest(page=name):
                    self.check_opened(self.seen()[name][-1])

    def test_what_is_left_of_a_cut_name(self):
        """No number of it is cut, and no other name of the figure is left with the same."""
        for name, page in self.pages.items():
            for svg in re.findall(r"<svg[^>]*class=\"figure.*?</svg>", page.read_text(encoding="utf-8"), re.DOTALL):
                names = {}
                for whole, shown in re.findall(r"<text[^>]*><title>(.*?)</title>(.*?)</text>", svg, re.DOTALL):
                    names.setdefault(shown, set()).add(whole)
                    pieces = [re.escape(piece) for piece in shown.split("...")]
                    with self.subTest(name, whole=whole, shown=shown):
                        self.assertRegex(whole, r"^" + r"((?<!\d)|(?!\d)).*((?<!\d)|(?!\d))".join(pieces) + "$")
                with self.subTest(page=name):
                    self.assertEqual([shown for shown, wholes in names.items() if len(wholes) > 1], [])

    def test_a_page_is_whole_without_its_script(self):
        self.browser.window(1280)
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.browser.open(page, script=False)
                self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
                self.assertGreater(self.browser.run("document.querySelector('main').innerText.length"), 40)

    def test_a_case_leads_to_its_command_without_a_script(self):
        self.browser.window(1280)
        shown = "[...document.querySelectorAll('tr.command')].filter(row => row.offsetHeight > 0).map(r => r.innerText)"
        for name, anchor, words in (("streams", "c3", "pinned/streams:4$'"), ("compare", "c1", "bench compare ")):
            with self.subTest(page=name):
                self.browser.open(self.pages[name], script=False)
                self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
                self.assertEqual(self.browser.run(shown), [])
                self.browser.run(f"document.querySelector('#{anchor} a').click()")
                self.assertEqual(len(self.browser.run(shown)), 1)
                self.assertIn(words, self.browser.run(shown)[0])
                self.browser.call("Emulation.setEmulatedMedia", media="print")
                self.assertGreater(len(self.browser.run(shown)), 3, "on paper nothing is folded")
                self.browser.call("Emulation.setEmulatedMedia", media="")

    def test_hostile_texts_are_only_texts(self):
        self.browser.window(1280)
        for name, title in (("hostile", "sample"), ("failed_hostile", "sample"), ("hostile_recording", HOSTILE[1])):
            self.browser.open(self.pages[name])
            self.assertEqual(self.browser.errors, [])
            self.assertEqual(self.browser.run("document.title"), title)
            self.assertEqual(self.browser.run("document.querySelectorAll('script').length"), 1)
            self.assertEqual(self.browser.run("document.querySelectorAll('img, [onclick], [onerror]').length"), 0)
            self.assertIn(HOSTILE[0], self.browser.run("document.querySelector('main').textContent"))

    def test_nothing_is_measured(self):
        for name, text in (("none", "Nothing was measured"), ("all_failed", "3 failed"), ("skipped", "3 skipped"),
                           ("nothing_ran", "Nothing ran on a device")):
            self.browser.open(self.pages[name])
            answer = self.browser.run("document.querySelector('.answer').textContent")
            self.assertIn(text, answer.replace("\u00a0", " "))

    def test_the_answer_has_a_number(self):
        for name in ("streams", "reduction", "explained", "gemm", "one", "google", "nvbench", "recording"):
            self.browser.open(self.pages[name])
            self.assertRegex(self.browser.run("document.querySelector('.answer').textContent"), r"\d")

    def test_a_damaged_timeline_is_refused(self):
        for damage, why in ((lambda lane: lane["of"].append(0), "columns differ"),
                            (lambda lane: lane["of"].__setitem__(0, 99), "the index of a name"),
                            (lambda lane: lane["start_ns"].__setitem__(0, -1), "is not a time"),
                            (lambda lane: lane["length_ns"].__setitem__(0, 2 ** 62), "is not a time"),
                            (lambda lane: lane["start_ns"].__setitem__(0, 10 ** 9), "before the previous span")):
            result = samples()["timelines"]
            record = next(row["apod"] for row in result["benchmarks"] if len(row["apod"].get("profile", {})) > 0
                          and row["apod"]["case_index"] == 3)
            damage(record["profile"]["lanes"][0])
            with self.subTest(why):
                path = Path(self.folder.name) / "damaged.json"
                path.write_text(json.dumps(result), encoding="utf-8")
                done = subprocess.run([self.bench, "report", path], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn("HtoD: ", done.stderr)
                self.assertIn(why, done.stderr)

    def test_columns_sort(self):
        self.browser.window(1280)
        self.browser.open(self.pages["streams"])
        times = "[...document.querySelectorAll('tbody tr[id]')].map(row => row.cells[2].textContent)"
        before = self.browser.run(times)
        self.browser.run("document.querySelectorAll('thead th button')[2].click()")
        self.assertEqual(self.browser.run(times), sorted(before, key=lambda text: float(text.split()[0])))
        self.assertEqual(self.browser.run("document.querySelectorAll('thead th')[2].getAttribute('aria-sort')"),
                         "ascending")

    def test_times_sort_by_their_length_whatever_their_unit(self):
        self.browser.open(self.pages["recording"])
        times = """[...document.querySelectorAll('table')].find(t => t.caption && t.caption.textContent.startsWith('calls'))
          .querySelectorAll('tbody tr')"""
        self.browser.run(f"({times})[0].closest('table').querySelectorAll('th button')[1].click()")
        shown = self.browser.run(f"[...{times}].map(row => row.cells[1].textContent)")
        scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
        seconds = [float(number) * scale[unit] for number, unit in map(str.split, shown)]
        self.assertGreater(len({text.split()[1] for text in shown}), 1, "several units")
        self.assertEqual(seconds, sorted(seconds))

    def test_the_filter_narrows_tables_and_figures(self):
        self.browser.window(1280)
        self.browser.open(self.pages["reduction"])
        self.browser.run("""const box = document.querySelector('input[type=search]');
          box.value = 'cub fp64'; box.dispatchEvent(new Event('input'))""")
        shown = self.browser.run("""[...document.querySelector('.tools + .scroll').querySelectorAll('tbody tr[id]')]
          .filter(row => !row.hidden).length""")
        self.assertEqual(shown, 10)
        self.assertGreater(self.browser.run("document.querySelectorAll('svg [data-c][hidden]').length"), 0)

    def test_each_long_table_has_a_filter_of_its_own(self):
        self.browser.window(1280)
        self.browser.open(self.pages["several"])
        shown = """[...document.querySelectorAll('table')].map(table => table.querySelectorAll('tbody tr[id]'))
          .filter(rows => rows.length).map(rows => [...rows].filter(row => !row.hidden).length)"""
        before = self.browser.run(shown)
        self.assertGreater(len(before), 1)
        boxes = self.browser.run("document.querySelectorAll('input[type=search]').length")
        self.assertEqual(boxes, len([rows for rows in before if rows > 8]))
        self.browser.run("""const box = document.querySelectorAll('input[type=search]')[0];
          box.value = 'no case has this'; box.dispatchEvent(new Event('input'))""")
        self.assertEqual(self.browser.run(shown), [0, *before[1:]])

    def test_a_series_can_stand_alone(self):
        self.browser.window(1280)
        self.browser.open(self.pages["reduction"])
        click = "document.querySelector('svg [data-s=cub]').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
        self.browser.run(click)
        self.assertTrue(self.browser.run("document.body.classList.contains('isolated')"))
        self.assertGreater(self.browser.run("document.querySelectorAll('.kept').length"), 2)
        self.browser.run(click)
        self.assertFalse(self.browser.run("document.body.classList.contains('isolated')"))

    def test_the_pointer_shows_a_value(self):
        self.browser.window(1280)
        self.browser.open(self.pages["streams"])
        spot = self.browser.run("""(() => {const at = document.querySelector('svg .p[data-c]').getBoundingClientRect();
          return {x: at.x + at.width / 2, y: at.y + at.height / 2}})()""")
        self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", **spot)
        self.assertRegex(self.browser.run("document.getElementById('tip').textContent"), r"streams 1.*ms")

    def test_axe(self):
        if not self.axe:
            self.skipTest("axe-core is not here (pip install axe-playwright-python)")
        for name in ("streams", "explained", "gemm", "comparison", "history", "recording", "timelines", "hostile",
                     "all_failed", "google", "links"):
            self.browser.window(1280)
            self.browser.open(self.pages[name])
            self.browser.run(self.axe + "; 0")
            self.browser.run(ONCE)
            # On a phone tables are folded. In the dark only colours are others.
            for width, dark, rules in ((1280, False, ""), (390, False, ""),
                                       (1280, True, "runOnly: ['color-contrast'],")):
                with self.subTest(f"{name}, {width} px, {'dark' if dark else 'light'}"):
                    self.browser.window(width, dark=dark)
                    self.browser.run(OPENED)
                    found = self.browser.run(f"axe.run({{{rules} resultTypes: ['violations']}}).then(found => "
                                             "found.violations.map(v => "
                                             "[v.id, v.help, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))]))")
                    self.assertEqual(found, [])

    def test_pictures(self):
        if not self.pictures:
            self.skipTest("--pictures keeps them")
        for name, page in self.pages.items():
            with self.subTest(page=name):
                for look, settings in (("390", {"width": 390}), ("1280", {"width": 1280}), ("1920", {"width": 1920}),
                                       ("dark", {"width": 1280, "dark": True})):
                    self.browser.window(**settings)
                    self.browser.open(page)
                    (self.place / f"{name}-{look}.png").write_bytes(base64.b64decode(self.browser.picture()))
                self.browser.window(1280)
                self.browser.open(page)
                (self.place / f"{name}.pdf").write_bytes(self.browser.pdf())


if __name__ == "__main__":
    arguments = sys.argv[1:]
    for flag in ("--pictures", "--sizes"):
        if flag in arguments:
            at = arguments.index(flag)
            setattr(Pages, flag[2:], Path(arguments[at + 1]).resolve())
            del arguments[at:at + 2]
    if not arguments:
        sys.exit(__doc__)
    if not find_browser():
        print("skipped: no chromium is installed (Debian: apt install chromium)")
        sys.exit(77)
    Pages.bench = os.path.abspath(arguments[0])
    unittest.main(argv=[sys.argv[0], *arguments[1:]])
