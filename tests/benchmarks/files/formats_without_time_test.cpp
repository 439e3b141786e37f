// Files of each format in which a time is not a number.

#include <array>

#include "benchmarks/files/foreign_result.hpp"
#include "tests/benchmarks/files/formats_fixture.hpp"

namespace apod::files {
namespace {

/// A file of each format with the case "good" and another, whose time is %.
struct WithTime {
  const char* file;
  const char* text;
};
constexpr std::array<WithTime, 18> with_time{{
    {"g.json", R"({"context":{},"benchmarks":[{"name":"good","real_time":1,"cpu_time":%},
                                              {"name":"x","real_time":%,"cpu_time":1}]})"},
    {"p.json", R"({"datetime":"2026-01-01T00:00:00","benchmarks":[
       {"fullname":"good","stats":{"median":1}},
       {"fullname":"x","stats":{"median":2,"data":[2,%,2]}}]})"},
    {"m.json", R"({"datetime":"2026-01-01T00:00:00","benchmarks":[
       {"fullname":"good","stats":{"median":1}}, {"fullname":"x","stats":{"median":%}}]})"},
    {"h.json", R"({"results":[{"command":"good","times":[1]},{"command":"x","times":[1,%]}]})"},
    {"n.json", R"json({"results":[{"name":"good","median(elapsed)":1},
                                  {"name":"x","median(elapsed)":%}]})json"},
    {"d.json", R"({"Benchmarks":[{"FullName":"good","Statistics":{"Median":1}},
                                 {"FullName":"x","Statistics":{"Median":%}}]})"},
    {"j.json", R"([{"benchmark":"good","primaryMetric":{"score":1,"scoreUnit":"s/op"}},
       {"benchmark":"x","primaryMetric":{"score":%,"scoreUnit":"s/op","rawData":[[%]]}}])"},
    {"r.json", R"([{"benchmark":"good","primaryMetric":{"score":1,"scoreUnit":"ops/s"}},
                   {"benchmark":"x","primaryMetric":{"score":%,"scoreUnit":"ops/s"}}])"},
    {"s.json", R"([{"name":"good","unit":"s","value":1},{"name":"x","unit":"s","value":%}])"},
    {"b.json", R"({"good":{"latency":{"value":1}},"x":{"latency":{"value":%}}})"},
    {"a.js", R"(window.BENCHMARK_DATA = {"entries":{"S":[{"benches":[
       {"name":"good","value":1,"unit":"s"},{"name":"x","value":%,"unit":"s"}]}]}})"},
    {"v.json", R"({"devices":[],"benchmarks":[
       {"name":"good","states":[{"summaries":[{"tag":"nv/cold/time/gpu/mean","data":
         [{"name":"value","value":"1"}]}]}]},
       {"name":"x","states":[{"summaries":[{"tag":"nv/cold/time/gpu/mean","data":
         [{"name":"value","value":"%"}]}]}]}]})"},
    {"g.csv", "name,iterations,real_time,cpu_time,time_unit\n\"good\",1,1,1,s\n\"x\",1,%,1,s\n"},
    {"n.csv", "Benchmark,Device,Device Name,Skipped,GPU Time (sec)\ngood,0,G,No,1\nx,0,G,No,%\n"},
    {"go.txt", "Benchmarkgood 1 1 ns/op\nBenchmarkx 1 % ns/op\n"},
    {"nccl.log",
     "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
     "# (B) (elements) (us) (GB/s) (GB/s) (us) (GB/s) (GB/s)\n"
     "1 1 float sum -1 % 1 1 0 1 1 1 0\n"},
    {"b.log",
     "nvbandwidth Version: v0.8\n\nRunning h.\nmemcpy bandwidth (GB/s)\n  0  1\n 0  1.0  %\n"},
    {"w.json", R"json({"nvbandwidth":{"testcases":[{"name":"h","status":"Passed",
       "bandwidth_description":"b (GB/s)","bandwidth_matrix":[["1","%"]]}]}})json"},
}};

TEST_F(Formats, ATimeThatIsNoNumberIsAFailureOfItsCaseAlone) {
  for (const auto& [name, pattern] : with_time) {
    for (const char* word : {"NaN", "-Infinity", "null", "-inf", "nan"}) {
      std::string text = pattern;
      for (auto at = text.find('%'); at != text.npos; at = text.find('%')) {
        text.replace(at, 1, word);
      }
      const auto where = std::string(name) + ", " + word;
      const Side side = read(name, text);
      std::vector<std::string> failures;
      for (const auto& c : side.cases) {
        EXPECT_EQ(c.failed.empty(), !c.times.empty()) << where;
        if (!c.failed.empty()) failures.push_back(c.failed);
      }
      EXPECT_EQ(side.cases.size(), 2u) << where;
      ASSERT_EQ(failures.size(), 1u) << where;
      EXPECT_TRUE(contains(failures[0], " is not a finite number")) << where << failures[0];
      for (const auto& note : side.notes) EXPECT_FALSE(contains(note, "left out")) << note;
      EXPECT_EQ(read_foreign_result(file_).measurements.size(), 2u) << where;
    }
  }
}

TEST_F(Formats, ATimeThatIsNoNumberCostsNoOtherMetric) {
  std::string text = with_time[0].text;
  for (auto at = text.find('%'); at != text.npos; at = text.find('%')) text.replace(at, 1, "NaN");
  const Side side = read("g.json", text, "cpu_time");
  EXPECT_EQ(case_of(side, "good").failed, "its cpu_time is not a finite number");
  EXPECT_EQ(times_of(side, "x"), std::vector{1e-9});
}

TEST_F(Formats, CriterionSaysThatItsTimeIsNoNumber) {
  for (const char* word : {"NaN", "null"}) {
    const Side side = read("estimates.json", std::string(R"({"mean":{"point_estimate":1.0},)") +
                                                 R"("median":{"point_estimate":)" + word + "}}");
    EXPECT_EQ(side.cases.at(0).failed, "its time is not a finite number") << word;
  }
}

}  // namespace
}  // namespace apod::files
