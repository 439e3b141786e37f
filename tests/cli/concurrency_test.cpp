/// The axis `threads` as a user meets it.

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

class Threads : public FaultsTest {
 protected:
  /// Two streams of the faults workload, enqueued by as many threads.
  static std::string config(const std::string& variants, const std::string& threads = "2") {
    return "schema: 1\nname: faults\nmeasure: {warmup: 0ms, max_time: 50ms, min_samples: 2, "
           "processes: 1, timeout: 20s}\nexperiments:\n  - workload: faults\n"
           "    scope: end_to_end\n    axes: {variant: [" +
           variants + "], size: 64, streams: 2, threads: " + threads + "}\n";
  }
};

TEST_F(Threads, GiveTheSameAnswerAndStandInTheNames) {
  write("a.yaml", config("fine", "[1, 2]"));
  const auto run = shell("faulty --config a.yaml");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto rows = result("faults.json")["benchmarks"];
  ASSERT_EQ(rows.size(), 2U);
  std::set<std::string> names;
  for (const auto& row : rows) {
    names.insert(row["name"]);
    EXPECT_EQ(row["apod"]["facts"]["distinct_streams"], 2);
  }
  EXPECT_EQ(names, (std::set<std::string>{"faults/fine/size:64/streams:2/threads:1",
                                          "faults/fine/size:64/streams:2/threads:2"}));
}

TEST_F(Threads, WhatTheyThrowFailsTheCaseAlone) {
  write("a.yaml", config("throws, throws_on_stream, wrong, fine"));
  const auto run = shell("faulty --config a.yaml");
  EXPECT_EQ(run.exit_code, 1);
  for (const auto* reason : {"thrown by the variant", "thrown on the stream", "not what went in"}) {
    EXPECT_TRUE(holds(run.out, reason));
  }
  EXPECT_EQ(result("faults.json")["apod_failed"].size(), 3U);
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 1U);
}

TEST_F(Threads, ThatCrashOrHangCostOneCase) {
  write("a.yaml", config("abort, hang, fine"));
  // Long enough for the fine one on a busy machine.
  const auto run = shell("faulty --config a.yaml --set timeout=3s");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.out, "ended by signal 6"));
  EXPECT_TRUE(holds(run.out, "no end after 3 s"));
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 1U);
}

TEST_F(Threads, MoreThanStreamsAreSkippedWithTheReason) {
  write("a.yaml", config("fine", "[2, 4]"));
  const auto run = shell("faulty --config a.yaml");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "4 threads, and 2 streams: each thread needs a stream of its own"));
}

TEST_F(Threads, HaveNamesInAProfiler) {
  const std::string listener = APOD_NVTX_LISTENER;
  if (listener.empty()) GTEST_SKIP() << "built without the nvtx3 headers";
  write("a.yaml", config("fine"));
  const auto run = shell("NVTX_HEARD=heard NVTX_INJECTION64_PATH='" + listener +
                         "' \"$FAULTY\" --config a.yaml");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto heard = read_file(path("heard"));
  EXPECT_TRUE(holds(heard, "thread:launcher 0\n"));
  EXPECT_TRUE(holds(heard, "thread:launcher 1\n"));
}

}  // namespace
}  // namespace apod::test
