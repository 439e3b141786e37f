// bench capture -- PROGRAM. Programs run on fakes of CUPTI and of the driver, through the library
// that CUDA would load.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

constexpr bool can_capture = std::string_view(APOD_INJECTED_PROGRAM) != "";

class Capture : public ProgramTest {
 protected:
  void SetUp() override {
    if (!can_capture) GTEST_SKIP() << "the library is built with CUDA";
  }

  Outcome capture(int exit_code, const std::string& flags, const std::string& how) const {
    return ends(exit_code, "bench capture " + flags + " -- '" APOD_INJECTED_PROGRAM "' " + how);
  }
  std::vector<float> floats(const std::string& file, std::size_t at, std::size_t count) const {
    const auto text = read(file);
    std::vector<float> values(count);
    std::memcpy(values.data(), text.data() + at, 4 * count);
    return values;
  }
};

TEST_F(Capture, WithoutAKernelThereIsATableOfThem) {
  const auto run = capture(0, "", "kernels");
  EXPECT_TRUE(holds(run.out, "scale_array(float*, float const*, int)", "shift",
                    "bench capture --kernel scale_array -- "));
}

TEST_F(Capture, AFolderHoldsTheLaunchItsCodeAndItsMemoryBeforeAndAfter) {
  for (const std::string how : {"kernels", "kernels_buffer"}) {
    const auto run = capture(0, "--kernel scale --out " + how, how);
    EXPECT_TRUE(holds(run.out, "launch 0, grid 16 x 1 x 1, block 256 x 1 x 1, 3 parameters",
                      "3 launches of this shape", "--config " + how + "/experiment.yaml --trust"));
    const auto manifest = json(how + "/manifest.json");
    EXPECT_EQ(manifest["kernel"], "_Z11scale_arrayPfPKfi");
    EXPECT_EQ(manifest["compute_capability"], "9.0");
    ASSERT_EQ(manifest["parameters"].size(), 3U);
    EXPECT_EQ(manifest["parameters"][2]["value"], "00100000") << "4096";
    EXPECT_EQ(manifest["parameters"][2]["offset"], 16);
    ASSERT_EQ(manifest["windows"].size(), 2U);
    EXPECT_TRUE(holds(read(how + "/code.cubin"), "ELF of a test"));
    // Which of the two arrays has the lower address is the system's choice.
    std::uint64_t y = 0;
    const auto value = manifest["parameters"][0]["value"].get<std::string>();
    for (int i = 7; i >= 0; --i) {
      y = y * 256 + std::stoul(value.substr(2 * static_cast<std::size_t>(i), 2), nullptr, 16);
    }
    const bool y_is_first = manifest["windows"][0]["address"] == y;
    const std::size_t y_at = y_is_first ? 0 : 4 * 4096;
    const auto x_at = 4 * 4096 - y_at;
    const auto x = floats(how + "/before.bin", x_at, 4096);
    EXPECT_EQ(x[9], 10);
    // y was zero: what was changed is what was written.
    const auto written = floats(how + "/changes.bin", y_at, 4096);
    EXPECT_EQ(written[9], 20);
    EXPECT_EQ(floats(how + "/changes.bin", x_at, 4096)[9], 0) << "the input was not changed";
  }
}

TEST_F(Capture, TheExperimentIsPlannedAndRunsOnlyWithTrust) {
  capture(0, "--kernel scale", "kernels");
  const auto run = ends(4, "bench --config scale/experiment.yaml");
  EXPECT_TRUE(holds(run.err, "runs kernels with your permissions", "--trust"));
  EXPECT_TRUE(holds(run.out, "scale_array", "captured"));
}

TEST_F(Capture, CodeThatWasPtxAloneIsTakenAsPtx) {
  capture(0, "--kernel scale", "kernels");
  passes("mv scale/code.cubin scale/code.ptx");
  passes("sed -i -E 's/(\"has_ptx\": *)false/\\1true/' scale/manifest.json");
  const auto run = shell("bench --config scale/experiment.yaml --trust --dry-run");
  EXPECT_TRUE(lacks(run.out + run.err, "there is no file")) << run.out << run.err;
}

TEST_F(Capture, ALaunchIsChosenByNumberByTimeAndByShape) {
  capture(0, "--kernel scale --launch 3 --out third", "kernels");
  EXPECT_EQ(json("third/manifest.json")["parameters"][2]["value"], "00040000");
  capture(0, "--kernel scale --launch longest --out longest", "kernels");
  EXPECT_EQ(json("longest/manifest.json")["grid"][0], 16);
  capture(0, "--kernel scale --launch each-shape --out shapes", "kernels");
  EXPECT_EQ(json("shapes/0/manifest.json")["grid"][0], 16);
  EXPECT_EQ(json("shapes/1/manifest.json")["grid"][0], 4);
  EXPECT_TRUE(
      holds(read("shapes/shapes.csv"),
            "capture,grid_x,grid_y,grid_z,block_x,block_y,block_z,shared,p2,launches,time_us\n"
            "0,16,1,1,256,1,1,0,4096,3,16.000\n1,4,1,1,256,1,1,0,1024,1,4.000\n"));
  EXPECT_TRUE(holds(ends(4, "bench --config shapes/experiment.yaml").out, "scale_array_0",
                    "scale_array_1"));
}

TEST_F(Capture, TheLongestLaunchOfAnotherRunIsNotAnotherLaunch) {
  const auto run = capture(1, "--kernel scale --launch longest --out a", "kernels_swapped");
  EXPECT_TRUE(holds(run.err, "launch 0 was the longest in the first run (scale_array, grid 16x1x1",
                    "but in the second run this launch was scale_array, grid 4x1x1", "--launch N"));
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

TEST_F(Capture, AShapeThatIsNotCapturedCostsNoOther) {
  const auto run = ends(0,
                        "ulimit -f 24; bench capture --kernel scale --launch each-shape --out a "
                        "-- '" APOD_INJECTED_PROGRAM "' kernels");
  EXPECT_TRUE(holds(run.err, "not captured", "File too large"));
  EXPECT_EQ(json("a/1/manifest.json")["grid"][0], 4);
  EXPECT_FALSE(std::filesystem::exists(path("a/0")));
  EXPECT_TRUE(holds(read("a/shapes.csv"), "\n1,4,1,1,256,"));
  EXPECT_TRUE(holds(ends(4, "bench --config a/experiment.yaml").out, "scale_array_1"));
}

TEST_F(Capture, AStreamThatIsCapturedIntoAGraphIsLeftAlone) {
  capture(0, "--kernel scale --out a", "kernels_beside");
  EXPECT_EQ(json("a/manifest.json")["launch"], 2) << "the first after the graph";
  EXPECT_TRUE(holds(capture(1, "--kernel scale --launch 1 --out b", "kernels_beside").err,
                    "1 launches of matching kernels were made while another stream was captured"));
}

TEST_F(Capture, WhatOtherThreadsDoMeanwhileIsSaid) {
  EXPECT_TRUE(holds(capture(0, "--kernel scale --out a", "kernels_copied").out,
                    "another thread called cuMemcpyHtoDAsync_v2 during the kernel"));
}

TEST_F(Capture, AKernelThatWaitsForALaterLaunchIsGivenUp) {
  const auto run = ends(1,
                        "APOD_CAPTURE_WAIT_MS=100 bench capture --kernel scale -- "
                        "'" APOD_INJECTED_PROGRAM "' kernels_wait");
  EXPECT_TRUE(holds(run.err, "was still running after 0.1 s: does it wait for a later launch?"));
}

TEST_F(Capture, AProgramThatFailsLaterKeepsItsCaptureAndItsExitCode) {
  EXPECT_TRUE(holds(capture(3, "--kernel scale --out a", "kernels_fails").err, "exit code 3"));
  EXPECT_EQ(json("a/manifest.json")["grid"][0], 16);
}

TEST_F(Capture, OnlyItsOwnerReadsWhatWasInMemory) {
  capture(0, "--kernel scale --out a", "kernels");
  EXPECT_TRUE(holds(passes("stat -c %a a").out, "700"));
}

TEST_F(Capture, WhatWasNotCapturedIsSaidAndLeavesNothing) {
  EXPECT_TRUE(holds(capture(1, "--kernel scal_aray --out a", "kernels").err,
                    "no kernel matches 'scal_aray'", "scale_array"));
  EXPECT_TRUE(holds(
      capture(1, "--kernel scale --launch 40 --out a", "kernels").err,
      "there is no launch 40 (from 0): the program made only 4 launches of matching kernels"));
  EXPECT_TRUE(holds(capture(1, "--kernel scale --out a", "kernels_graph").err,
                    "4 launches of matching kernels went into a CUDA graph"));
  EXPECT_TRUE(holds(capture(1, "--kernel scale --out a", "nothing").err, "launched no kernel"));
  EXPECT_TRUE(holds(ends(7, "bench capture --kernel x --out a -- sh -c 'exit 7'").err,
                    "launched no kernel"));
  EXPECT_TRUE(holds(ends(127, "bench capture --kernel x --out a -- ./no_such").err, "no_such"));
  EXPECT_TRUE(
      holds(fails("bench capture --kernel scale").err, "nothing to capture: name a program"));
  EXPECT_TRUE(holds(fails("bench capture --kernel scale --launch last -- true").err, "first",
                    "each-shape"));
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

TEST_F(Capture, AFolderThatIsThereIsKept) {
  passes("mkdir scale; echo mine > scale/notes.txt");
  EXPECT_TRUE(holds(capture(1, "--kernel scale", "kernels").err, "scale: exists already", "--out"));
  EXPECT_EQ(read("scale/notes.txt"), "mine\n");
}

TEST_F(Capture, OfTwoIntoOneFolderOneIsKept) {
  const std::string one = "bench capture --kernel scale --out same -- '" APOD_INJECTED_PROGRAM
                          "' kernels >>said.txt 2>&1 & ";
  const auto run = passes(one + "a=$!; " + one + "wait $a; a=$?; wait $!; echo codes $((a + $?))");
  EXPECT_TRUE(holds(run.out, "codes 1\n"));
  EXPECT_TRUE(holds(read("said.txt"), "Wrote same", "same: exists already"));
  EXPECT_TRUE(holds(ends(4, "bench --config same/experiment.yaml").out, "scale_array"));
}

TEST_F(Capture, AFullDiskCostsTheCaptureAndNotTheProgram) {
  // The recording is smaller than the memory that is kept.
  const auto run =
      ends(1, "ulimit -f 24; bench capture --kernel scale --out a -- '" APOD_INJECTED_PROGRAM
              "' kernels");
  EXPECT_TRUE(holds(run.out, "output of kernels"));
  EXPECT_TRUE(holds(run.err, "not captured", "File too large",
                    "none of 4 launches of matching kernels was captured"));
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

TEST_F(Capture, WindowsIntoWhatIsHugeAndPinnedMemoryAreSaid) {
  const auto huge = capture(0, "--kernel scale --max-bytes 3M --out huge", "kernels_huge");
  EXPECT_TRUE(holds(huge.out, "bench keeps only 2 MiB of an allocation of 61440 MiB"));
  EXPECT_EQ(json("huge/manifest.json")["windows"].size(), 2U);
  EXPECT_TRUE(holds(capture(0, "--kernel scale --out pinned", "kernels_pinned").out,
                    "1 MiB of pinned host memory"));
}

TEST_F(Capture, WordsThatLookLikePointersTakeNoRoomFromArguments) {
  const auto run = capture(0, "--kernel scale --max-bytes 3M --out junk", "kernels_junk");
  EXPECT_TRUE(holds(run.out, "of an allocation of 61440 MiB: the memory behind each of"));
  const auto manifest = json("junk/manifest.json");
  ASSERT_EQ(manifest["windows"].size(), 2U);
  std::uint64_t most = 0;
  for (const auto& window : manifest["windows"]) {
    most = std::max(most, window["bytes"].get<std::uint64_t>());
  }
  EXPECT_GE(most, std::uint64_t{2} << 20);
}

TEST_F(Capture, MemoryOfAnotherGpuIsSaid) {
  EXPECT_TRUE(holds(capture(0, "--kernel scale --out a", "kernels_elsewhere").out,
                    "1 MiB of another GPU's memory"));
}

TEST_F(Capture, ADamagedFolderIsRefusedWithItsPlace) {
  capture(0, "--kernel scale --out good", "kernels");
  const auto refused = [&](const std::string& change, const auto&... parts) {
    const auto run = ends(1, "rm -rf bad; cp -r good bad; cd bad; " + change +
                                 "; cd ..; bench --config bad/experiment.yaml --trust");
    EXPECT_TRUE(holds(run.err, "experiment.yaml:", parts...)) << change;
  };
  refused("truncate -s 4096 before.bin", "before.bin: has 4096 bytes");
  refused("rm changes.bin", "changes.bin: the file is missing");
  refused("ln -sf /etc/passwd changes.bin",
          "changes.bin: the file is missing, or is not a regular file");
  refused("rm code.cubin", "has no machine code");
  refused("echo '{' > manifest.json", "it is not JSON");
  refused("sed -i 's/\"address\": [0-9]*/\"address\": 8/' manifest.json",
          "windows: [0]: address: the window begins below");
  refused("sed -i 's/\"address\": [0-9]*/\"address\": 1099511627776/' manifest.json",
          "windows: [1]: address: the window begins below or within the previous window");
  refused("sed -i 's/\"bytes\": 16384/\"bytes\": 18446744073709551615/' manifest.json",
          "windows: [0]: bytes: not a size");
  refused("sed -i 's/\"value\": \"00/\"value\": \"zz/' manifest.json", "not hexadecimal digits");
  refused("sed -i 's/\"schema\": 1/\"schema\": 9/' manifest.json", "schema: 9, but bench reads 1");
  // What is not trusted may name nothing outside of its folder.
  const auto outside =
      ends(1,
           "rm -rf bad; cp -r good bad; sed -i 's/capture: \\./capture: ..\\/good/' "
           "bad/experiment.yaml; bench --config bad/experiment.yaml");
  EXPECT_TRUE(holds(outside.err, "bad/experiment.yaml:", "../good/manifest.json"));
}

TEST_F(Capture, ItsMemoryIsOnTheDeviceSoItIsNotTimedEndToEnd) {
  capture(0, "--kernel scale --out s", "kernels");
  passes("sed -i 's/ axes:/ scope: end_to_end\\n    axes:/' s/experiment.yaml");
  EXPECT_TRUE(holds(fails("bench --config s/experiment.yaml").err, "s/experiment.yaml:",
                    "the memory of a captured launch is already on the device",
                    "leave out 'scope'"));
}

TEST_F(Capture, AReplacementIsMappedByName) {
  capture(0, "--kernel scale --out s", "kernels");
  const auto write_yaml = [&](const std::string& args) {
    write("s/mine.yaml",
          "schema: 1\nexperiments:\n  - name: mine\n    kernel: {capture: ., name: mine, args: " +
              args + ", type: f32}\n    axes: {variant: [captured, mine.cu]}\n");
  };
  write("s/mine.cu", "extern \"C\" __global__ void mine(const float* x, float* y) {}\n");
  write_yaml("{x: p1, y: p0}");
  EXPECT_TRUE(holds(ends(4, "bench --config s/mine.yaml").out, "mine", "captured"));
  write_yaml("{x: p7, y: p0}");
  EXPECT_TRUE(holds(fails("bench --config s/mine.yaml").err,
                    "'p7' is not a place in a captured parameter", "write p0 to p2"));
  write_yaml("{x: p1+8, y: p0}");
  EXPECT_TRUE(holds(fails("bench --config s/mine.yaml").err, "'p1+8' is not a place"));
}

TEST_F(Capture, AKernelToBeginWithIsWritten) {
  capture(0, "--kernel scale --out s", "kernels");
  EXPECT_TRUE(holds(passes("bench new --from s mine").out, "bench --config s/mine.yaml --trust"));
  EXPECT_TRUE(holds(read("s/mine.cu"), "void mine(float* p0, const float* p1, int p2)",
                    "// The captured launch changed 4096 elements", "p0[i] = p1[i];"));
  EXPECT_TRUE(holds(read("s/mine.yaml"), "args: {p0: p0, p1: p1, p2: p2}", "grid: [16, 1, 1]"));
  EXPECT_TRUE(holds(ends(4, "bench --config s/mine.yaml").out, "captured"));
  EXPECT_TRUE(holds(fails("bench new --from s mine").err, "s/mine.cu: exists already"));
  EXPECT_TRUE(holds(fails("bench new --from .").err, "manifest.json"));
}

TEST(CapturePython, AFunctionIsCalledInANewProcess) {
  struct Here : ProgramTest {
    void TestBody() override {}
    using ProgramTest::ends;
    using ProgramTest::read;
    using ProgramTest::shell;
    using ProgramTest::write;
  } test;
  if (test.shell("command -v python3").exit_code != 0) GTEST_SKIP() << "no python3";
  // In the place of bench: it runs what follows "--".
  test.write("bench.sh",
             "#!/bin/sh\necho \"$@\" > words.txt\nwhile [ \"$1\" != -- ]; do shift; "
             "done\nshift\nexec \"$@\"\n");
  test.write("call.py",
             "import sys\nsys.path.insert(0, '" APOD_SOURCE_DIR
             "/scripts/python')\nimport apod_bench\n"
             "def work(a, b):\n    open('called.txt', 'w').write(f'{a + b} {__name__}')\n"
             "if __name__ == '__main__':\n"
             "    print(apod_bench.capture(work, 2, 3, kernel='k', launch=7, out='o', "
             "bench='./bench.sh'))\n");
  EXPECT_TRUE(holds(test.ends(0, "chmod +x bench.sh; python3 -B call.py").out, "o\n"));
  EXPECT_TRUE(holds(test.read("called.txt"), "5 "));
  EXPECT_TRUE(holds(test.read("words.txt"), "capture --kernel k --launch 7 --out o -- "));
  // What the function uses need not be pickled, as a kernel of Triton's can't be.
  test.write("cloudpickle.py",
             "def dump(what, file):\n    raise TypeError('cannot pickle')\n"
             "dumps = dump\n");
  EXPECT_TRUE(holds(test.ends(0, "rm called.txt; python3 -B call.py").out, "o\n"));
  EXPECT_TRUE(holds(test.read("called.txt"), "5 "));
}

}  // namespace
}  // namespace apod::test
