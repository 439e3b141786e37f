/// bench --explain: every case is traced, and the report tells what its time goes into.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

using Json = nlohmann::json;

class Explain : public ProgramTest {
 protected:
  Explain() {
    write("e.yaml",
          "schema: 1\nexperiments:\n  - workload: normalize\n    scope: end_to_end\n"
          "    axes: {variant: host, size: 1000, streams: [1, 2], host_memory: pageable}\n"
          "    measure: {processes: 2, max_time: 20ms, warmup: 0ms, precision: 50%}\n");
  }
};

TEST_F(Explain, TracesEveryCaseAndTellsWhatItSaw) {
  const auto run = shell("bench --config e.yaml --explain --out r.json --out r.md --out r.txt");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "explanation"));
  EXPECT_TRUE(holds(run.out, "busy"));
  EXPECT_TRUE(holds(run.out, "divide_by"));
  EXPECT_TRUE(holds(read_file(path("r.md")), "## explanation"));
  EXPECT_TRUE(holds(read_file(path("r.txt")), "explanation"));
  const auto json = Json::parse(read_file(path("r.json")));
  int profiles = 0;
  for (const auto& row : json.at("benchmarks")) {
    if (!row.at("apod").contains("profile")) continue;
    EXPECT_EQ(row.at("apod").at("facts").at("transfers_in_turn"), 1) << "the sum needs all of it";
    ++profiles;
    EXPECT_EQ(row.at("apod").at("profile").at("kernels").size(), 2u);
  }
  EXPECT_EQ(profiles, 2) << "one a case";
}

TEST_F(Explain, WithoutItNothingIsTraced) {
  const auto run = shell("bench --config e.yaml --out r.json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(holds(run.out, "explanation"));
  EXPECT_FALSE(holds(read_file(path("r.json")), "\"profile\""));
}

TEST_F(Explain, WorksInOneProcessToo) {
  const auto run = shell("bench --config e.yaml --explain --in-process");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "busy"));
}

TEST_F(Explain, LetsExpectationsNameWhatATraceKnows) {
  write("f.yaml", read_file(path("e.yaml")) + "    expect: [{copies: '> 0'}]\n");
  EXPECT_EQ(shell("bench --config f.yaml").exit_code, 1) << "known only with a traced pass";
  const auto run = shell("bench --config f.yaml --explain");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "2 met, 0 missed"));
}

TEST_F(Explain, WritesWhatItSawForPerfetto) {
  const auto run = shell("bench --config e.yaml --trace-out t.json --out r.json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "Wrote t.json"));
  EXPECT_FALSE(holds(run.out, "explanation"));
  const auto text = read_file(path("t.json"));
  ASSERT_TRUE(Json::accept(text));
  EXPECT_TRUE(holds(text, "divide_by"));
  EXPECT_TRUE(holds(text, "streams:1"));
  EXPECT_TRUE(holds(text, "streams:2")) << "all cases, each measured by workers";
}

TEST_F(Explain, WritesARowForEachKernelInPyProfsColumns) {
  ASSERT_EQ(shell("bench --config e.yaml --trace-out k.csv --out r.json").exit_code, 0);
  const auto csv = read_file(path("k.csv"));
  EXPECT_TRUE(holds(csv, "\"Idx\",")) << csv;
  EXPECT_TRUE(holds(csv, "divide_by")) << csv;
  EXPECT_TRUE(holds(csv, "streams=2")) << "the axes of the case that launched it: " << csv;
  ASSERT_EQ(shell("bench --config e.yaml --trace-out k.txt --out r.json").exit_code, 0);
  EXPECT_TRUE(holds(read_file(path("k.txt")), "divide_by"));
}

TEST_F(Explain, TraceOutIsCheckedBeforeAnythingRuns) {
  for (const auto* bad :
       {"--trace-out e.yaml", "--trace-out k.sqlite", "--trace-out r.json --out r.json",
        "--trace-out no/such/folder/t.json", "--trace-out t.json --profile"}) {
    const auto run = shell(std::string("bench --config e.yaml ") + bad);
    EXPECT_EQ(run.exit_code, 1) << bad;
    EXPECT_TRUE(holds(run.err, "nothing was run")) << bad;
  }
}

TEST_F(Explain, IsPlannedAndRefusedLikeOtherFlags) {
  EXPECT_EQ(shell("bench --config e.yaml --explain --dry-run").exit_code, 0);
  const auto profile = shell("bench --config e.yaml --explain --profile");
  EXPECT_EQ(profile.exit_code, 1);
  EXPECT_TRUE(holds(profile.err, "--profile leaves the tracing to a profiler"));
  const auto json = shell("bench --config e.yaml --explain --format json");
  ASSERT_EQ(json.exit_code, 0);
  EXPECT_TRUE(Json::accept(json.out)) << "nothing is added to what programs read";
}

TEST_F(Explain, CountersThatCannotBeReadCostNothingElse) {
  write("f.yaml", read_file(path("e.yaml")) + "    expect: [{dram_bytes: '> 0'}]\n");
  const auto without = shell("bench --config f.yaml --explain");
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_TRUE(holds(without.err, "add 'counters: true' to measure"));
  const auto run = shell("bench --config f.yaml --counters --out r.json");
  EXPECT_EQ(run.exit_code, 3) << "the expectation is missed: " << run.err;
  EXPECT_TRUE(holds(run.out, "nothing counted: this backend has no counters"));
  EXPECT_TRUE(holds(run.out, "dram_bytes was not counted: this backend has no counters"));
  EXPECT_TRUE(holds(run.out, "explanation")) << "traced all the same";
  const auto measure =
      Json::parse(read_file(path("r.json"))).at("apod_experiments").at(0).at("measure");
  EXPECT_EQ(measure.at("counters"), true);
}

TEST_F(Explain, UnderAProfilerItMeasuresInOneProcessAndAnnotates) {
  const std::string listener = APOD_NVTX_LISTENER;
  if (listener.empty()) GTEST_SKIP() << "built without the nvtx3 headers";
  const std::vector<std::string> profilers{
      "", "NSYS_PROFILING_SESSION_ID=1 ",
      "NV_NSIGHT_INJECTION_TRANSPORT_TYPE=2 NV_COMPUTE_PROFILER_PERFWORKS_DIR=/opt "};
  for (const auto& variables : profilers) {
    const auto run = shell("NVTX_HEARD=heard NVTX_INJECTION64_PATH='" + listener + "' " +
                           variables + "\"$BENCH\" --config e.yaml --explain --out r.json");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const auto json = Json::parse(read_file(path("r.json")));
    int timed = 0;
    for (const auto& row : json.at("benchmarks")) {
      timed += row.at("apod").at("samples_s").empty() ? 0 : 1;
    }
    EXPECT_EQ(timed, 2)
        << "each case in one process, where the profiler is, not in the two asked for";
    const auto heard = read_file(path("heard"));
    for (const auto* range : {"/streams:1/", "/streams:2/", "apod:sample\n", "apod:trace\n"}) {
      EXPECT_TRUE(holds(heard, range)) << variables;
    }
    std::filesystem::remove(path("heard"));
  }
}

}  // namespace
}  // namespace apod::test
