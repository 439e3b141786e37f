/// bench --explain: every case is traced, and the report tells what its time goes into.

#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

class Explain : public ProgramTest {
 protected:
  Explain() {
    write("e.yaml",
          "schema: 1\nexperiments:\n  - workload: normalize\n    scope: end_to_end\n"
          "    axes: {variant: host, size: 1000, streams: [1, 2], host_memory: pageable}\n"
          "    measure: {cache: hot, processes: 2, max_time: 20ms, warmup: 0ms, precision: 50%}\n");
  }
};

TEST_F(Explain, TracesEveryCaseAndTellsWhatItSaw) {
  EXPECT_TRUE(
      holds(passes("bench --config e.yaml --explain --out r.json --out r.md --out r.txt").out,
            "explanation", "busy", "divide_by"));
  EXPECT_TRUE(holds(read("r.md"), "## explanation"));
  EXPECT_TRUE(holds(read("r.txt"), "explanation"));
  const auto file = json("r.json");
  int profiles = 0;
  for (const auto& row : file.at("benchmarks")) {
    if (!row.at("apod").contains("profile")) continue;
    EXPECT_EQ(row.at("apod").at("facts").at("transfers_in_turn"), 1) << "the sum needs all of it";
    ++profiles;
    EXPECT_EQ(row.at("apod").at("profile").at("kernels").size(), 2u);
  }
  EXPECT_EQ(profiles, 2) << "one a case";
}

TEST_F(Explain, WithoutItNothingIsTraced) {
  EXPECT_TRUE(lacks(passes("bench --config e.yaml --out r.json").out, "explanation"));
  EXPECT_TRUE(lacks(read("r.json"), "\"profile\""));
}

TEST_F(Explain, WorksInOneProcessToo) {
  EXPECT_TRUE(holds(passes("bench --config e.yaml --explain --in-process").out, "busy"));
}

TEST_F(Explain, LetsExpectationsNameWhatATraceKnows) {
  write("f.yaml", read("e.yaml") + "    expect: [{copies: '> 0'}]\n");
  fails("bench --config f.yaml");  // known only with a traced pass
  EXPECT_TRUE(holds(passes("bench --config f.yaml --explain").out, "2 met, 0 missed"));
}

TEST_F(Explain, WritesWhatItSawForPerfetto) {
  const auto run = passes("bench --config e.yaml --trace-out t.json --out r.json");
  EXPECT_TRUE(holds(run.out, "Wrote t.json"));
  EXPECT_TRUE(lacks(run.out, "explanation"));
  const auto text = read("t.json");
  ASSERT_TRUE(Json::accept(text));
  EXPECT_TRUE(holds(text, "divide_by", "streams:1", "streams:2"));  // each measured by workers
}

TEST_F(Explain, WritesARowForEachKernelInPyProfsColumns) {
  passes("bench --config e.yaml --trace-out k.csv --out r.json");
  const auto csv = read("k.csv");
  EXPECT_TRUE(holds(csv, "\"Idx\",", "divide_by"));
  EXPECT_TRUE(holds(csv, "streams=2")) << "the axes of the case that launched it: " << csv;
  passes("bench --config e.yaml --trace-out k.txt --out r.json");
  EXPECT_TRUE(holds(read("k.txt"), "divide_by"));
}

TEST_F(Explain, TraceOutIsCheckedBeforeAnythingRuns) {
  for (const std::string bad :
       {"e.yaml", "k.sqlite", "r.json --out r.json", "no/such/folder/t.json", "t.json --profile"}) {
    expect_refused({{"bench --config e.yaml --trace-out " + bad, "nothing was run"}});
  }
}

TEST_F(Explain, IsPlannedAndRefusedLikeOtherFlags) {
  passes("bench --config e.yaml --explain --dry-run");
  expect_refused(
      {{"bench --config e.yaml --explain --profile", "can't be combined: use only one"}});
  const auto json = passes("bench --config e.yaml --explain --format json");
  EXPECT_TRUE(Json::accept(json.out)) << "nothing is added to what programs read";
}

TEST_F(Explain, CountersThatCannotBeReadCostNothingElse) {
  write("f.yaml", read("e.yaml") + "    expect: [{dram_bytes: '> 0'}]\n");
  EXPECT_TRUE(
      holds(fails("bench --config f.yaml --explain").err, "add 'counters: true' to measure"));
  const auto run = ends(0, "bench --config f.yaml --counters --out r.json");
  EXPECT_TRUE(holds(run.out, "nothing counted: this backend has no counters",
                    "dram_bytes was not counted: this backend has no counters"));
  EXPECT_TRUE(holds(run.out, "explanation")) << "traced all the same";
  const auto measure = json("r.json").at("apod_experiments").at(0).at("measure");
  EXPECT_EQ(measure.at("counters"), true);
}

TEST_F(Explain, UnderAProfilerItMeasuresInOneProcessAndAnnotates) {
  const std::string listener = APOD_NVTX_LISTENER;
  if (listener.empty()) GTEST_SKIP() << "built without the nvtx3 headers";
  const std::vector<std::string> profilers{
      "", "NSYS_PROFILING_SESSION_ID=1 ",
      "NV_NSIGHT_INJECTION_TRANSPORT_TYPE=2 NV_COMPUTE_PROFILER_PERFWORKS_DIR=/opt "};
  for (const auto& variables : profilers) {
    passes("NVTX_HEARD=heard NVTX_INJECTION64_PATH='" + listener + "' " + variables +
           "\"$BENCH\" --config e.yaml --explain --out r.json");
    const auto file = json("r.json");
    int timed = 0;
    for (const auto& row : file.at("benchmarks")) {
      timed += row.at("apod").at("samples_s").empty() ? 0 : 1;
    }
    EXPECT_EQ(timed, 2)
        << "each case in one process, where the profiler is, not in the two asked for";
    EXPECT_TRUE(
        holds(read("heard"), "/streams:1/", "/streams:2/", "apod:sample\n", "apod:trace\n"));
    std::filesystem::remove(path("heard"));
  }
}

}  // namespace
}  // namespace apod::test
