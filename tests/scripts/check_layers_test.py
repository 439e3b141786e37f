"""Every rule of scripts/check-layers, on small trees: where it fires and where it does not."""

import contextlib
import io
import tempfile
import types
import unittest
from pathlib import Path

CHECK_LAYERS = Path(__file__).resolve().parents[2] / "scripts" / "check-layers"
check_layers = types.ModuleType("check_layers")
exec(compile(CHECK_LAYERS.read_text(encoding="utf-8"), CHECK_LAYERS, "exec"), check_layers.__dict__)


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
    def assert_clean(self, files):
        self.assertEqual(check(files), (0, ["check-layers: all is well"]))

    def assert_breach(self, files, place, *words):
        """Exactly one breach, at `place` ("path:line"), whose message has the words."""
        status, lines = check(files)
        self.assertEqual(status, 1, lines)
        self.assertEqual(lines[1:], ["check-layers: 1 breaches"])
        self.assertTrue(lines[0].startswith(place + ": "), lines[0])
        for word in words:
            self.assertIn(word, lines[0])

    def assert_include(self, source, header, allowed):
        files = {source: f'#pragma once\n#include "{header}"\n'}
        if allowed:
            self.assert_clean(files)
        else:
            self.assert_breach(files, f"{source}:2")

    def test_no_two_folders_have_a_file_of_the_same_stem(self):
        self.assert_clean({"benchmarks/plan/rules.cpp": "", "benchmarks/plan/rules.hpp": ""})
        self.assert_breach({"benchmarks/look/rules.cpp": "", "benchmarks/plan/rules.hpp": ""},
                           "benchmarks/plan/rules.hpp:1", "benchmarks/look")
        self.assert_clean({"kernels/copy/host.cpp": "", "kernels/read/host.cpp": "",
                           "kernels/copy/family.cpp": "", "kernels/read/family.cpp": ""})

    def test_includes_point_right(self):
        for source, header in [
            ("benchmarks/main.cpp", "benchmarks/cli/options.hpp"),
            ("benchmarks/cli/options.cpp", "benchmarks/run/session.hpp"),
            ("benchmarks/cli/options.cpp", "kernels/api/registry.hpp"),
            ("benchmarks/run/session.cpp", "benchmarks/look/trace/ranges.hpp"),
            ("benchmarks/judge/compare.cpp", "benchmarks/base/stats/means.hpp"),
            ("benchmarks/plan/expand.cpp", "benchmarks/base/plan.hpp"),
            ("benchmarks/base/summary.cpp", "benchmarks/base/stats/means.hpp"),
            ("benchmarks/base/axes.cpp", "kernels/api/types.hpp"),
            ("kernels/copy/family.cpp", "kernels/api/workload.hpp"),
            ("kernels/copy/grid_stride.cu", "kernels/backends/cuda/launch.hpp"),
            ("kernels/copy/family.cpp", "kernels/copy/problem.hpp"),
            ("kernels/backends/cuda/stream.cpp", "kernels/api/backend.hpp"),
            ("kernels/backends/cuda/stream.cpp", "kernels/backends/host/memory.hpp"),
        ]:
            with self.subTest(source=source, header=header):
                self.assert_include(source, header, allowed=True)

    def test_includes_do_not_point_left_or_aside(self):
        for source, header in [
            ("benchmarks/cli/options.cpp", "benchmarks/main.hpp"),
            ("benchmarks/run/session.cpp", "benchmarks/cli/options.hpp"),
            ("benchmarks/show/json.cpp", "benchmarks/run/session.hpp"),
            ("benchmarks/show/json.cpp", "benchmarks/show/export/google.hpp"),
            ("benchmarks/files/write.cpp", "benchmarks/plan/config/load.hpp"),
            ("benchmarks/judge/compare.cpp", "benchmarks/look/facts.hpp"),
            ("benchmarks/base/axes.cpp", "benchmarks/plan/expand.hpp"),
            ("benchmarks/base/stats/means.cpp", "benchmarks/base/summary.hpp"),
            ("benchmarks/base/stats/means.cpp", "benchmarks/base/text/units.hpp"),
            ("benchmarks/base/text/units.cpp", "benchmarks/base/os/pipe.hpp"),
            ("benchmarks/run/session.cpp", "kernels/backends/host/host.hpp"),
            ("benchmarks/run/session.cpp", "kernels/copy/problem.hpp"),
            ("benchmarks/run/session.cpp", "tests/support/scripted.hpp"),
            ("kernels/api/types.cpp", "kernels/backends/host/host.hpp"),
            ("kernels/api/types.cpp", "benchmarks/base/stats/means.hpp"),
            ("kernels/backends/host/stream.cpp", "kernels/backends/cuda/stream.hpp"),
            ("kernels/backends/host/stream.cpp", "kernels/copy/problem.hpp"),
            ("kernels/copy/family.cpp", "benchmarks/base/plan.hpp"),
            ("kernels/copy/family.cpp", "kernels/files/launch.hpp"),
            ("kernels/api/registry.cpp", "kernels/data/data.hpp"),
            ("kernels/data/data.cpp", "kernels/files/launch.hpp"),
        ]:
            with self.subTest(source=source, header=header):
                self.assert_include(source, header, allowed=False)

    def test_families_share_what_is_no_family(self):
        folders = {"kernels/copy/family.cpp": "", "kernels/reduction/family.cpp": "", "kernels/sums/sums.hpp": ""}
        self.assert_clean({**folders, "kernels/copy/a.cu": '#include "kernels/sums/sums.hpp"\n'})
        for source, header in [
            ("kernels/copy/a.cu", "kernels/reduction/problem.hpp"),
            ("kernels/sums/a.cpp", "kernels/reduction/problem.hpp"),
            ("kernels/sums/a.cpp", "kernels/other/other.hpp"),
        ]:
            with self.subTest(source=source, header=header):
                self.assert_breach({**folders, source: f'#include "{header}"\n'}, f"{source}:1")

    def test_a_relative_include_is_followed(self):
        target = {"benchmarks/plan/config/load.hpp": "", "benchmarks/plan/part.hpp": ""}
        self.assert_clean({**target, "benchmarks/plan/a.cpp": '#include "part.hpp"\n'})
        self.assert_breach({**target, "benchmarks/plan/a.cpp": '#include "../config/load.hpp"\n'},
                           "benchmarks/plan/a.cpp:1", "benchmarks/plan/config")
        self.assert_breach({"benchmarks/plan/a.cpp": '#include <benchmarks/plan/../config/load.hpp>\n'},
                           "benchmarks/plan/a.cpp:1", "benchmarks/plan/config")

    def test_a_comment_is_no_include(self):
        self.assert_clean({"benchmarks/plan/a.cpp":
                           '// #include "benchmarks/run/b.hpp"\n/*\n#include "benchmarks/run/b.hpp"\n*/\n'})
        self.assert_breach({"benchmarks/plan/a.cpp": 'auto s = "/*";\n/* one\n*/ #  include "benchmarks/run/b.hpp"\n'},
                           "benchmarks/plan/a.cpp:3")

    def test_third_party_headers_have_one_home(self):
        for header, home, elsewhere in [
            ("yaml-cpp/yaml.h", "benchmarks/plan/config/a.cpp", "benchmarks/plan/a.cpp"),
            ("CLI/CLI.hpp", "benchmarks/cli/a.cpp", "benchmarks/main.cpp"),
            ("benchmark/benchmark.h", "benchmarks/run/a.cpp", "benchmarks/cli/a.cpp"),
            ("nlohmann/json.hpp", "benchmarks/show/a.cpp", "benchmarks/run/a.cpp"),
            ("fmt/format.h", "benchmarks/show/a.cpp", "benchmarks/run/a.cpp"),
            ("fmt/format.h", "benchmarks/cli/a.cpp", "kernels/api/a.cpp"),
            ("boost/math/special_functions.hpp", "benchmarks/base/stats/a.cpp", "benchmarks/base/a.cpp"),
            ("sqlite3.h", "benchmarks/look/a.cpp", "benchmarks/show/a.cpp"),
            ("nvtx3/nvToolsExt.h", "benchmarks/look/trace/nvtx/a.cpp", "benchmarks/look/trace/a.cpp"),
            ("cuda_runtime.h", "kernels/backends/cuda/a.cpp", "kernels/api/a.hpp"),
            ("cupti.h", "kernels/backends/cuda/a.cpp", "benchmarks/look/trace/a.cpp"),
            ("cub/cub.cuh", "kernels/reduction/cub.cu", "kernels/reduction/family.cpp"),
            ("thrust/reduce.h", "kernels/reduction/a.hpp", "kernels/backends/host/a.hpp"),
            ("gtest/gtest.h", "tests/a_test.cpp", "benchmarks/base/a.hpp"),
        ]:
            with self.subTest(header=header):
                text = f"#include <{header}>\n"
                self.assert_clean({home: text})
                self.assert_breach({elsewhere: text}, f"{elsewhere}:1", header)

    def test_the_tests_may_include_anything(self):
        self.assert_clean({"tests/a_test.cpp": "#include <cuda.h>\n#include <fmt/core.h>\n#ifdef X\n#endif\n"})

    def test_benchmarks_have_no_conditional_compilation(self):
        for directive in ("#ifdef APOD_CUDA", "# if defined(X)", "#ifndef NDEBUG"):
            with self.subTest(directive=directive):
                text = f"#pragma once\n{directive}\n#endif\n"
                self.assert_breach({"benchmarks/run/a.hpp": text}, "benchmarks/run/a.hpp:2")
                self.assert_clean({"kernels/backends/cuda/a.hpp": text})

    def test_calls_that_run_foreign_code(self):
        opens = "void* f(const char* s) { return dlopen(s, 1); }\n"
        self.assert_clean({"kernels/backends/cuda/library.cpp": opens})
        self.assert_breach({"kernels/backends/cuda/nvml.cpp": opens}, "kernels/backends/cuda/nvml.cpp:1", "open_library")
        for call in ("std::system(s)", "::popen (s, mode)"):
            self.assert_breach({"benchmarks/run/a.cpp": f"int g = {call};\n"}, "benchmarks/run/a.cpp:1", "shell")
        self.assert_clean({"benchmarks/run/a.cpp": "// system(s)\nint g = file.system(s) + file_system(s);\n"})

    def test_long_files(self):
        self.assert_clean({"kernels/copy/a.cu": "\n" * 400, "tests/long_test.cpp": "\n" * 500})
        self.assert_breach({"kernels/copy/a.cu": "\n" * 401}, "kernels/copy/a.cu:401", "401 lines")
        self.assert_breach({"configs/a.yaml": "\n" * 401}, "configs/a.yaml:401")
        self.assert_breach({"scripts/go": "\n" * 401}, "scripts/go:401")

    def test_unknown_places_and_kinds(self):
        self.assert_breach({"benchmarks/misc/a.cpp": "\n"}, "benchmarks/misc/a.cpp:1", "no layer")
        self.assert_breach({"kernels/a.cpp": "\n"}, "kernels/a.cpp:1", "no layer")
        self.assert_breach({"kernels/copy/a.cuh": "\n"}, "kernels/copy/a.cuh:1", ".cuh")

    def test_usage(self):
        self.assertEqual(run("/nonexistent"), (2, ["check-layers: /nonexistent has no benchmarks/ and kernels/"]))
        self.assertEqual(run("--help")[0], 0)
        self.assertEqual(run("--all")[0], 2)
        self.assertEqual(run("a", "b")[0], 2)


if __name__ == "__main__":
    unittest.main()
