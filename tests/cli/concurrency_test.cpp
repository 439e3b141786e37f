/// The axis `threads` as a user meets it.

#include <set>
#include <string>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

class Threads : public FaultsTest {
 protected:
  /// Two streams of the faults workload, enqueued by as many threads.
  static std::string config(const std::string& variants, const std::string& threads = "2") {
    return faults(variants, "processes: 1, timeout: 20s", ", streams: 2, threads: " + threads) +
           "    scope: end_to_end\n";
  }
};

TEST_F(Threads, GiveTheSameAnswerAndStandInTheNames) {
  write("a.yaml", config("fine", "[1, 2]"));
  passes("faulty --config a.yaml");
  std::set<std::string> names;
  for (const auto& row : rows()) {
    names.insert(row["name"]);
    EXPECT_EQ(row["apod"]["facts"]["distinct_streams"], 2);
  }
  EXPECT_EQ(names, (std::set<std::string>{"faults/fine/size:64/streams:2/threads:1",
                                          "faults/fine/size:64/streams:2/threads:2"}));
}

TEST_F(Threads, ThatFailInAnyWayCostTheirCaseAlone) {
  write("a.yaml", config("throws, throws_on_stream, wrong, abort, hang, fine"));
  // Long enough for the fine one on a busy machine.
  EXPECT_TRUE(holds(fails("faulty --config a.yaml --set timeout=3s").out, "thrown by the variant",
                    "thrown on the stream", "not what went in", "ended by signal 6",
                    "did not end within 3 s"));
  EXPECT_EQ(json("faults.json")["apod_failed"].size(), 5U);
  EXPECT_EQ(rows().size(), 1U);
}

TEST_F(Threads, MoreThanStreamsAreSkippedWithTheReason) {
  write("a.yaml", config("fine", "[2, 4]"));
  EXPECT_TRUE(holds(passes("faulty --config a.yaml").out,
                    "4 threads, but only 2 streams: each thread needs its own stream"));
}

TEST_F(Threads, HaveNamesInAProfiler) {
  const std::string listener = APOD_NVTX_LISTENER;
  if (listener.empty()) GTEST_SKIP() << "built without the nvtx3 headers";
  write("a.yaml", config("fine"));
  passes("NVTX_HEARD=heard NVTX_INJECTION64_PATH='" + listener + "' \"$FAULTY\" --config a.yaml");
  EXPECT_TRUE(holds(read("heard"), "thread:launcher 0\n", "thread:launcher 1\n"));
}

}  // namespace
}  // namespace apod::test
