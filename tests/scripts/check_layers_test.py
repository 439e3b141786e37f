"""Every rule of scripts/check-layers on small trees: one that keeps it and one that breaks it."""

import contextlib
import io
import tempfile
import types
import unittest
from pathlib import Path

CHECK_LAYERS = Path(__file__).resolve().parents[2] / "scripts" / "check-layers"
check_layers = types.ModuleType("check_layers")
exec(compile(CHECK_LAYERS.read_text(encoding="utf-8"), CHECK_LAYERS, "exec"), check_layers.__dict__)
LONGEST = check_layers.LONGEST_FILE
ROOM, BUDGET = "benchmarks/plan", check_layers.BUDGETS["benchmarks/plan"]


def including(header):
    return f'#pragma once\n#include "{header}"\n'


# The rule, a tree that keeps it, one that breaks it, and where that is said.
FAMILIES = {"kernels/copy/family.cpp": "", "kernels/reduction/family.cpp": "", "kernels/sums/sums.hpp": ""}
PART = {"benchmarks/plan/config/load.hpp": "", "benchmarks/plan/part.hpp": ""}
OPENS = "void* f(const char* s) { return dlopen(s, 1); }\n"
TOUR = {"docs/CONTRIBUTING.md": "## The path of a case\n[session](../benchmarks/run/session.cpp)\n## The rooms\n"}
RULES = [
    ("an include points right",
     {"benchmarks/run/session.cpp": including("benchmarks/look/trace/ranges.hpp")},
     {"benchmarks/plan/expand.cpp": including("benchmarks/run/session.hpp")}, "benchmarks/plan/expand.cpp:2"),
    ("siblings do not include each other",
     {"benchmarks/judge/compare.cpp": including("benchmarks/base/plan.hpp")},
     {"benchmarks/judge/compare.cpp": including("benchmarks/look/facts.hpp")}, "benchmarks/judge/compare.cpp:2"),
    ("benchmarks know kernels/api alone",
     {"benchmarks/base/axes.cpp": including("kernels/api/types.hpp")},
     {"benchmarks/run/session.cpp": including("kernels/copy/problem.hpp")}, "benchmarks/run/session.cpp:2"),
    ("kernels do not include benchmarks",
     {"kernels/copy/family.cpp": including("kernels/copy/problem.hpp")},
     {"kernels/copy/family.cpp": including("benchmarks/base/plan.hpp")}, "kernels/copy/family.cpp:2"),
    ("the CUDA backend may use the host's",
     {"kernels/backends/cuda/stream.cpp": including("kernels/backends/host/memory.hpp")},
     {"kernels/backends/host/stream.cpp": including("kernels/backends/cuda/stream.hpp")},
     "kernels/backends/host/stream.cpp:2"),
    ("families share what is no family",
     {**FAMILIES, "kernels/copy/a.cu": including("kernels/sums/sums.hpp")},
     {**FAMILIES, "kernels/copy/a.cu": including("kernels/reduction/problem.hpp")}, "kernels/copy/a.cu:2"),
    ("a relative include is followed",
     {**PART, "benchmarks/base/a.cpp": including("b.hpp"), "benchmarks/base/b.hpp": ""},
     {**PART, "benchmarks/base/a.cpp": including("../plan/part.hpp")}, "benchmarks/base/a.cpp:2"),
    ("a comment includes nothing",
     {"benchmarks/plan/a.cpp": '// #include "benchmarks/run/b.hpp"\n/*\n#include "benchmarks/run/b.hpp"\n*/\n'},
     {"benchmarks/plan/a.cpp": 'auto s = "/*";\n/* one\n*/ #  include "benchmarks/run/b.hpp"\n'},
     "benchmarks/plan/a.cpp:3"),
    ("a foreign header has one home; tests may include it",
     {"benchmarks/plan/config/a.cpp": "#include <yaml-cpp/yaml.h>\n", "tests/a_test.cpp": "#include <yaml-cpp/yaml.h>\n"},
     {"benchmarks/plan/a.cpp": "#include <yaml-cpp/yaml.h>\n"}, "benchmarks/plan/a.cpp:1"),
    ("benchmarks have no conditional compilation",
     {"kernels/backends/cuda/a.hpp": "#ifdef APOD_CUDA\n#endif\n"},
     {"benchmarks/run/a.hpp": "#pragma once\n# if defined(X)\n#endif\n"}, "benchmarks/run/a.hpp:2"),
    ("libraries are opened in one place",
     {"kernels/backends/cuda/library.cpp": OPENS}, {"kernels/backends/cuda/nvml.cpp": OPENS},
     "kernels/backends/cuda/nvml.cpp:1"),
    ("nothing is given to a shell",
     {"benchmarks/run/a.cpp": "// system(s)\nint g = file.system(s) + file_system(s);\n"},
     {"benchmarks/run/a.cpp": "int g = std::system(s);\n"}, "benchmarks/run/a.cpp:1"),
    ("files are short", {"kernels/copy/a.cu": "\n" * LONGEST}, {"scripts/go": "\n" * (LONGEST + 1)},
     f"scripts/go:{LONGEST + 1}"),
    ("a room keeps its budget",
     {f"{ROOM}/{i}.cpp": "\n" * (BUDGET // 20) for i in range(20)},
     {f"{ROOM}/{i}.cpp": "\n" * (BUDGET // 20 + 1) for i in range(20)}, f"{ROOM}:1"),
    ("the spine includes no leaf",
     {**TOUR, "benchmarks/run/session.cpp": including("benchmarks/base/plan.hpp") + including("benchmarks/run/slot.hpp")},
     {**TOUR, "benchmarks/run/session.hpp": including("benchmarks/base/found_cases.hpp")}, "benchmarks/run/session.hpp:2"),
    ("the spine enters another room by a door",
     {**TOUR, "benchmarks/run/session.cpp": including("benchmarks/plan/expect.hpp")},
     {**TOUR, "benchmarks/run/session.cpp": including("benchmarks/plan/filter.hpp")}, "benchmarks/run/session.cpp:2"),
    ("the spine keeps its budget",
     {**TOUR, "benchmarks/run/session.cpp": "\n" * 600},
     {"docs/CONTRIBUTING.md": "## The path of a case\n" + "".join(f"[a](../benchmarks/plan/a{i}.cpp)\n" for i in range(61)),
      **{f"benchmarks/plan/a{i}.cpp": "" for i in range(61)}}, "docs/CONTRIBUTING.md:1"),
    ("the tour names the spine", TOUR, {"docs/CONTRIBUTING.md": "## The way of a case\n"}, "docs/CONTRIBUTING.md:1"),
    ("no two folders of benchmarks have a file of one stem",
     {"benchmarks/plan/rules.cpp": "", "benchmarks/plan/rules.hpp": "", "kernels/a/host.cpp": "", "kernels/b/host.cpp": ""},
     {"benchmarks/look/rules.cpp": "", "benchmarks/plan/rules.hpp": ""}, "benchmarks/plan/rules.hpp:1"),
    ("every source has a layer", {"benchmarks/plan/a.cpp": "\n"}, {"benchmarks/misc/a.cpp": "\n"}, "benchmarks/misc/a.cpp:1"),
    ("sources are .cpp, .hpp and .cu", {"kernels/copy/a.cu": "\n"}, {"kernels/copy/a.cuh": "\n"}, "kernels/copy/a.cuh:1"),
]


def run(*arguments):
    """The check's exit status and the lines it prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = check_layers.main(list(arguments))
    return status, output.getvalue().splitlines()


def check(files):
    """Runs the check on a tree of {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in {"benchmarks/main.cpp": "", "kernels/api/types.hpp": "", **files}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        return run(str(root))


class CheckLayersTest(unittest.TestCase):
    def test_each_rule_is_kept_or_broken(self):
        for rule, good, bad, place in RULES:
            with self.subTest(rule):
                self.assertEqual(check(good), (0, ["check-layers: all is well"]))
                status, lines = check(bad)
                self.assertEqual((status, lines[1:]), (1, ["check-layers: 1 breaches"]), lines)
                self.assertTrue(lines[0].startswith(place + ": "), lines[0])

    def test_every_foreign_header_has_a_home(self):
        for header in ("CLI/CLI.hpp", "benchmark/benchmark.h", "nlohmann/json.hpp", "fmt/format.h", "boost/math.hpp",
                       "sqlite3.h", "nvtx3/nvToolsExt.h", "cuda_runtime.h", "cupti.h", "cub/cub.cuh", "gtest/gtest.h"):
            with self.subTest(header):
                self.assertEqual(check({"benchmarks/base/a.cpp": f"#include <{header}>\n"})[0], 1)

    def test_usage(self):
        self.assertEqual(run("/nonexistent"), (2, ["check-layers: /nonexistent has no benchmarks/ and kernels/"]))
        self.assertEqual((run("--help")[0], run("a", "b")[0]), (0, 2))


if __name__ == "__main__":
    unittest.main()
