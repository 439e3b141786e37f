// bench inspect -- COMMAND. Programs run on a fake of CUPTI, through the library that CUDA would
// load.

#include <algorithm>
#include <string>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

constexpr bool has_library = std::string_view(APOD_INJECTED_PROGRAM) != "";

class InspectProgram : public ProgramTest {
 protected:
  void SetUp() override {
    if (!has_library) GTEST_SKIP() << "the library is built with CUDA";
  }

  /// Runs the program under test, `how`, under `flags`.
  Outcome inspect(int exit_code, const std::string& flags, const std::string& how) const {
    return ends(exit_code, "bench inspect " + flags + " -- '" APOD_INJECTED_PROGRAM "' " + how);
  }
};

TEST(InspectProgramHere, ABuildWithoutTheLibrarySaysHowToGetIt) {
  if (has_library) GTEST_SKIP() << "the library is there";
  struct Here : ProgramTest {
    void TestBody() override {}
    using ProgramTest::fails;
  } test;
  EXPECT_TRUE(holds(test.fails("bench inspect -- true").err, "libapodinspect.so is missing",
                    "CUDA Toolkit"));
}

TEST_F(InspectProgram, ShowsWhatItDidAfterItsOwnOutput) {
  const auto run = inspect(0, "", "once");
  EXPECT_TRUE(run.out.starts_with("output of once\n")) << run.out;
  EXPECT_TRUE(holds(run.out, "from: bench inspect of apod-bench",
                    "device 0: Fake GPU, 4 multiprocessors", "10 us", "first", "cudaLaunchKernel"));
  EXPECT_TRUE(lacks(run.out, "cuLaunchKernel", "did not end normally"))
      << "the driver's call is within the runtime's";
}

TEST_F(InspectProgram, CallsThatOnlyAskAreNotRecorded) {
  inspect(0, "--out r.json", "once");
  const auto texts = json("r.json")["trace"]["texts"].dump();
  EXPECT_TRUE(holds(texts, "cudaLaunchKernel", "cudaDeviceGetLimit"));
  EXPECT_TRUE(lacks(texts, "cudaGetDevice"));
}

TEST_F(InspectProgram, KeepsTheExitCodeAndTheStreams) {
  inspect(3, "--out r.json", "three");
  EXPECT_EQ(json("r.json")["exit_code"], 3);
  EXPECT_TRUE(
      holds(ends(4, "echo asked | bench inspect --out r.txt -- sh -c 'cat; exit 4'").out, "asked"));
  EXPECT_TRUE(holds(read("r.txt"), "exit code: 4"));
  // Whatever else fails: the folder of the output is gone.
  EXPECT_TRUE(holds(ends(7, "mkdir d; bench inspect --out d/r.json -- sh -c 'rm -r d; exit 7'").err,
                    "d/r.json"));
  // Standard output is full, and the folder for temporary files is gone.
  ends(7, "bench inspect -- sh -c 'exit 7' >/dev/full");
  ends(7, "mkdir t; TMPDIR=$PWD/t bench inspect -- sh -c 'rm -r t; exit 7'");
}

TEST_F(InspectProgram, AKeptRecordingShowsTheSameAndIsCompared) {
  inspect(0, "--out a.json --out a.csv --out a.html --trace-out t.json", "once");
  inspect(0, "--out b.json", "ranges");
  EXPECT_TRUE(holds(passes("bench inspect a.json").out, "first", "Fake GPU"));
  EXPECT_TRUE(holds(passes("bench show a.json").out, "first", "cudaLaunchKernel"));
  EXPECT_TRUE(holds(read("a.csv"), "Type,Time(%)", "first"));
  EXPECT_TRUE(holds(read("a.html"), "<svg", "first"));
  EXPECT_TRUE(holds(read("t.json"), "traceEvents", "first"));
  passes("bench inspect a.json --out again.json");
  EXPECT_EQ(json("a.json")["trace"], json("again.json")["trace"]);
  const auto compared = ends(4, "bench compare a.json b.json");
  EXPECT_TRUE(holds(compared.out, "program", "inside", "first"));
}

TEST_F(InspectProgram, ARangeIsRecordedAlone) {
  inspect(0, "--out all.json", "ranges");
  EXPECT_EQ(json("all.json")["trace"]["activities"]["name"].size(), 6U);
  inspect(0, "--out first.json --capture-range step", "ranges");
  const auto first = json("first.json");
  EXPECT_EQ(first["trace"]["activities"]["name"].size(), 1U);
  EXPECT_TRUE(holds(first["trace"]["texts"].dump(), "inside"));
  EXPECT_EQ(first["trace"]["ranges"]["name"].size(), 2U) << "itself, and the one within";
  EXPECT_TRUE(holds(inspect(0, "--capture-range step/4", "ranges").out, "inside",
                    "part: --capture-range step/4"));
  EXPECT_TRUE(holds(inspect(0, "--capture-range stop", "ranges").out,
                    "the range 'stop' did not begin: nothing was recorded"));
}

TEST_F(InspectProgram, TheBusBandwidthOfCollectivesIsThatOfTheSizesThatNcclTells) {
  const auto run = inspect(0, "--out r.json --out r.html", "collectives");
  const std::string line = "all-reduce of 977 KiB on 2 devices, 5 times: 100 GB/s bus bandwidth";
  EXPECT_TRUE(holds(run.out, line)) << run.out;
  EXPECT_TRUE(holds(read("r.html"), "all-reduce of", "bus bandwidth"));
  auto kept = json("r.json");
  EXPECT_EQ(kept["collectives"].size(), 1U);
  EXPECT_EQ(kept["collectives"][0]["ranks"], 2);
  EXPECT_DOUBLE_EQ(kept["collectives"][0]["bus_bytes_per_s"], 1e11);
  EXPECT_TRUE(holds(passes("bench inspect r.json").out, line)) << "as it was recorded";
  kept["collectives"][0]["link_bytes_per_s"] = 2e11;
  write("r.json", kept.dump());
  EXPECT_TRUE(holds(passes("bench inspect r.json").out,
                    line + ", 50 % of the measured rate of the slowest link"))
      << "where it was recorded";
  EXPECT_TRUE(holds(inspect(0, "--capture-range step/1", "collectives").out,
                    "part: --capture-range step/1"));
}

TEST_F(InspectProgram, AWindowInTimeIsRecordedAlone) {
  const auto names = [&](const std::string& flags) {
    inspect(0, flags + " --out r.json", "time");
    return json("r.json")["trace"]["texts"].dump();
  };
  const auto begin = names("--duration 200ms");
  EXPECT_TRUE(holds(begin, "early"));
  EXPECT_TRUE(lacks(begin, "late"));
  const auto end = names("--delay 650ms");
  EXPECT_TRUE(holds(end, "late"));
  EXPECT_TRUE(lacks(end, "early"));
}

TEST_F(InspectProgram, ThreadsHaveTheNamesThatTheyWereGiven) {
  inspect(0, "--trace-out t.json", "ranges");
  EXPECT_TRUE(holds(read("t.json"), "captain"));
}

TEST_F(InspectProgram, ProcessesAreFollowedEachOnce) {
  inspect(0, "--out r.json", "forks");
  const auto trace = json("r.json")["trace"];
  EXPECT_TRUE(holds(trace["texts"].dump(), "of_child", "of_parent"));
  EXPECT_EQ(trace["activities"]["name"].size(), 2U);
  auto correlations = trace["activities"]["correlation"].get<std::vector<unsigned>>();
  EXPECT_NE(correlations[0], correlations[1]);
}

TEST_F(InspectProgram, AForkAtAnyMomentHoldsNobodyUp) {
  passes("FAKE_CUPTI=slow bench inspect --out r.json -- timeout 60 '" APOD_INJECTED_PROGRAM
         "' forks_while_recorded");
  const auto trace = json("r.json")["trace"];
  EXPECT_EQ(trace["activities"]["name"].size(), 10U) << "one of each child";
  EXPECT_EQ(trace["ranges"]["name"].size(), 1U) << "the parent's is not its children's";
}

TEST_F(InspectProgram, AProgramThatClosesWhatItDidNotOpenIsRecordedAndKeepsItsFilesToItself) {
  EXPECT_TRUE(holds(inspect(0, "", "daemon").out, "before", "after"));
  EXPECT_EQ(read("own.txt"), "own\n");
}

TEST_F(InspectProgram, WhatEndsOutOfOrderKeepsWhatWasWritten) {
  EXPECT_TRUE(holds(inspect(139, "", "crash").out, "first", "did not end normally"));
  EXPECT_TRUE(holds(inspect(5, "", "_exit").out, "first", "did not end normally"));
  EXPECT_TRUE(holds(inspect(0, "", "unfinished").out, "first",
                    "1 operations are left out: they were still running"));
}

TEST_F(InspectProgram, ASignalReachesTheProgramAndWhatItDidIsShown) {
  for (const char* signal : {"INT", "TERM"}) {
    // What runs beside a script ignores SIGINT, unless it is told not to.
    const auto run =
        shell(std::string("env --default-signal=INT \"$BENCH\" inspect -- '" APOD_INJECTED_PROGRAM
                          "' hang & B=$!; sleep 1.5; kill -") +
              signal + " $B; wait $B");
    EXPECT_EQ(run.exit_code, signal == std::string("INT") ? 130 : 143) << run.err;
    EXPECT_TRUE(holds(run.out, "output of hang", "first"));
  }
}

TEST_F(InspectProgram, WhatIsInTheWayIsSaidAndTheProgramRunsOn) {
  EXPECT_TRUE(holds(passes("FAKE_CUPTI=busy bench inspect -- '" APOD_INJECTED_PROGRAM "' once").out,
                    "output of once", "another profiler is attached to this process"));
  EXPECT_TRUE(
      holds(passes("FAKE_CUPTI=driverless bench inspect -- '" APOD_INJECTED_PROGRAM "' once").out,
            "output of once", "nothing traced: cuptiSubscribe failed"));
  EXPECT_TRUE(holds(
      passes("CUDA_INJECTION64_PATH=/nowhere/libtool.so bench inspect -- echo hello").out, "hello",
      "another tool already traces the program", "CUDA_INJECTION64_PATH is /nowhere/libtool.so"));
}

TEST_F(InspectProgram, ProgramsWithoutCudaRunAndAreCalledThat) {
  const auto run = inspect(0, "", "nothing");
  EXPECT_TRUE(holds(run.out, "output of nothing", "nothing traced"));
}

TEST_F(InspectProgram, ProgramsThatCannotRunAreSaid) {
  EXPECT_TRUE(holds(ends(127, "bench inspect -- no_such_program_at_all").err,
                    "no_such_program_at_all: can't be started"));
  write("plain", "text");
  EXPECT_TRUE(holds(ends(126, "bench inspect -- ./plain").err, "./plain: can't be started"));
}

TEST_F(InspectProgram, SwitchesAreTriedSideBySide) {
  const auto run = inspect(
      0, "--rounds 3 --try eager-loading,32-connections,1-thread --try KERNEL=other --out r.json",
      "steps");
  EXPECT_TRUE(run.out.starts_with("output of steps\nprogram\n")) << "of the first run alone";
  EXPECT_TRUE(holds(run.err, "runs the program 14 more times"));
  const auto shown = passes("bench inspect r.json").out;
  EXPECT_TRUE(holds(shown, "eager-loading saves 500 ms a step", "from 3 rounds",
                    "1-thread: not measured, the program ended with exit code 3", "KERNEL=other",
                    "1 of 2 kernels are different"));
  EXPECT_EQ(json("r.json")["tried"].size(), 4U);
  EXPECT_TRUE(lacks(inspect(3, "--try eager-loading", "three").out, "tried"))
      << "a program that fails is not run again";
}

TEST_F(InspectProgram, NothingIsLeftBehind) {
  passes("mkdir tmp && TMPDIR=$PWD/tmp bench inspect -- '" APOD_INJECTED_PROGRAM
         "' once >report && rmdir tmp");
}

class InspectFlags : public ProgramTest {};

TEST_F(InspectFlags, MustFitTogether) {
  expect_refused({{"bench inspect --", "no command follows --"},
                  {"bench inspect a.json -- true", "can't be combined"},
                  {"bench inspect", "nothing to inspect: name a recording FILE"},
                  {"bench inspect a.sqlite --delay 1s", "need a program to run"},
                  {"bench inspect --try tf32 a.json",
                   "--try needs -- COMMAND: add -- COMMAND, or leave out --try"},
                  {"bench inspect --try tf33 -- true",
                   "--try: 'tf33' is not a known switch: write one of tf32, eager-loading,"},
                  {"bench inspect --try =1 -- true", "--try: '=1' is not a known switch"},
                  {"bench inspect --capture-range '' -- true", "--capture-range: empty argument"},
                  {"bench inspect --out r.xyz -- true", "no format has this extension (.txt"},
                  {"bench inspect --table nvtx --table findings --out r.csv -- true",
                   "a .csv holds one table"}});
}

TEST_F(InspectFlags, DamagedRecordingsAreRefused) {
  const std::string head = R"({"apod_recording": 1, "producer": "p", "schema": "", "command": "c",
    "date": "", "exit_code": 0, "programs": [], "devices": [], "facts": {}, "findings": [])";
  write("no_trace.json", head + "}");
  write("newer.json", R"({"apod_recording": 2})");
  write("cut.json", head);
  expect_refused({{"bench inspect no_trace.json", "trace: missing"},
                  {"bench inspect newer.json", "this bench reads only schema 1"},
                  {"bench inspect cut.json", "the file is cut off"},
                  {"bench show no_trace.json", "trace: missing"}});
}

}  // namespace
}  // namespace apod::test
