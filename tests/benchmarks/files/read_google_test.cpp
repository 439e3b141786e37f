#include <gtest/gtest.h>

#include "tests/benchmarks/files/side_fixture.hpp"

namespace apod::files {
namespace {

TEST(ReadGoogle, TwoBenchmarksOfOneNameAreNotAveraged) {
  const auto row = [](int family, int repetition) {
    return R"({"name":"a","run_name":"a","run_type":"iteration","family_index":)" +
           std::to_string(family) +
           R"(,"per_family_instance_index":0,"repetitions":2,"repetition_index":)" +
           std::to_string(repetition) + R"(,"real_time":1,"time_unit":"ms"})";
  };
  const auto read = [&](int second) {
    const TemporaryFolder folder;
    return read_side(
        {folder.write("r.json", R"({"context":{},"benchmarks":[)" + row(0, 0) + "," + row(0, 1) +
                                    "," + row(second, 0) + "," + row(second, 1) + "]}")});
  };
  EXPECT_EQ(case_of(read(0), "a").failed, "");
  EXPECT_EQ(case_of(read(1), "a").failed, "two benchmarks in the file have this name");
}

TEST(ReadGoogle, RowsOfEqualNameAreRepetitionsInAnyUnit) {
  const Side side = read_side({fixture("google/repetitions.json")});
  ASSERT_EQ(side.cases.size(), 3u);
  EXPECT_EQ(side.cases[0].name, "BM_Copy/1024/manual_time") << "in order of first appearance";
  const SideCase copy = side.cases[0];
  ASSERT_EQ(copy.times.size(), 2u) << "the aggregate row is none";
  EXPECT_DOUBLE_EQ(copy.times[0].seconds, 1.5e-6) << "real_time, not cpu_time";
  EXPECT_DOUBLE_EQ(copy.times[1].seconds, 1.6e-6);
  EXPECT_EQ(copy.times[1].session, 0u);
  EXPECT_EQ(copy.failed, "");
  ASSERT_EQ(case_of(side, "BM_Slow").times.size(), 1u);
  EXPECT_DOUBLE_EQ(case_of(side, "BM_Slow").times[0].seconds, 2.5);
}

TEST(ReadGoogle, ErrorsAreFailuresAndSkippedRowsAreNotes) {
  const Side side = read_side({fixture("google/repetitions.json")});
  const SideCase broken = case_of(side, "BM_Broken");
  EXPECT_EQ(broken.failed, "out of memory");
  EXPECT_TRUE(broken.times.empty());
  EXPECT_TRUE(contains(note_of(side, "needs a device"), "BM_NotHere"));
  EXPECT_NE(note_of(side, "debug build"), "");
}

TEST(ReadGoogle, TellsTheEnvironment) {
  const Side side = read_side({fixture("google/repetitions.json")});
  ASSERT_EQ(side.sessions.size(), 1u);
  EXPECT_EQ(side.sessions[0].format, "google");
  EXPECT_EQ(side.sessions[0].file, fixture("google/repetitions.json"));
  const std::map<std::string, std::string> expected{{"host", "lab-7"},
                                                    {"cpus", "8"},
                                                    {"date", "2026-03-01T12:00:00+00:00"},
                                                    {"build_type", "debug"},
                                                    {"version", "v1.8.3"},
                                                    {"load_average", "0.75"},
                                                    {"cpu_mhz", "3000.0"},
                                                    {"caches", "L1 Data 32 KiB"},
                                                    {"description", "./vector_bench"}};
  EXPECT_EQ(side.sessions[0].environment, expected);
}

TEST(ReadGoogle, AggregatesAloneCountAsOneProcess) {
  const Side side = read_side({fixture("google/aggregates_only.json")});
  ASSERT_EQ(side.cases.size(), 2u);
  ASSERT_EQ(case_of(side, "BM_A").times.size(), 1u);
  EXPECT_DOUBLE_EQ(case_of(side, "BM_A").times[0].seconds, 11e-3)
      << "the median, though it is last";
  EXPECT_DOUBLE_EQ(case_of(side, "BM_B").times.at(0).seconds, 5e-3) << "there is only a mean";
  EXPECT_TRUE(contains(note_of(side, "the median counts"), "BM_A"));
  EXPECT_TRUE(contains(note_of(side, "the mean counts"), "BM_B"));
}

TEST(ReadGoogle, OldFilesTellTheirAggregatesByNameAlone) {
  const Side side = read_side({fixture("google/old.json")});
  ASSERT_EQ(side.cases.size(), 1u);
  EXPECT_EQ(side.cases[0].name, "BM_One");
  EXPECT_EQ(side.cases[0].times.size(), 2u);
}

class GoogleText : public FromText {
 protected:
  static std::string rows(const std::string& text) {
    return R"({"context":{},"benchmarks":[)" + text + "]}";
  }
};

TEST_F(GoogleText, OneFailedRepetitionTakesTheTimesAway) {
  const Side side = read(rows(R"({"name":"a","real_time":1},
    {"name":"a","error_occurred":true,"error_message":"no luck","real_time":0})"));
  EXPECT_EQ(side.cases.at(0).failed, "no luck");
  EXPECT_TRUE(side.cases[0].times.empty());
}

TEST_F(GoogleText, AFailureWithoutAReasonIsStillOne) {
  const Side side = read(rows(R"({"name":"a","error_occurred":true})"));
  EXPECT_NE(side.cases.at(0).failed, "");
}

TEST_F(GoogleText, ACounterMayBeCalledLikeAFit) {
  const Side side = read(rows(R"({"name":"a","real_time":1,"rms":3,"big_o":2})"));
  EXPECT_EQ(side.cases.at(0).times.size(), 1u);
}

TEST_F(GoogleText, TheOrderOfMembersDoesNotMatter) {
  const Side side = read(R"({"benchmarks":[{"real_time":7,"name":"a"}],"context":{"num_cpus":3}})");
  EXPECT_DOUBLE_EQ(side.cases.at(0).times.at(0).seconds, 7e-9);
  EXPECT_EQ(side.sessions[0].environment.at("cpus"), "3");
}

TEST_F(GoogleText, ATimeThatIsNoneIsAFailureOfItsCaseAlone) {
  const Side side = read(rows(R"({"name":"a","real_time":1},{"name":"b","real_time":-5},)"
                              R"({"name":"b","real_time":5},{"name":"c","real_time":0},)"
                              R"({"name":"d","real_time":5e-324},)"
                              R"({"name":"e_mean","real_time":0,"run_type":"aggregate",)"
                              R"("run_name":"e","aggregate_name":"mean"})"));
  EXPECT_EQ(case_of(side, "a").failed, "");
  EXPECT_EQ(case_of(side, "a").times.size(), 1u);
  EXPECT_EQ(case_of(side, "b").failed, "time: -5 ns is not a time");
  EXPECT_TRUE(case_of(side, "b").times.empty()) << "none of its rows is believed";
  for (const char* name : {"c", "d", "e"}) {
    EXPECT_EQ(case_of(side, name).failed, "time: 0 s is not a time") << name;
  }
  for (const char* time : {"\"5\"", "null", "NaN", "-Infinity", "true", "[1]"}) {
    const Side one = read(rows(std::string(R"({"name":"a","real_time":)") + time + "}"));
    EXPECT_EQ(case_of(one, "a").failed, "its time is not a finite number") << time;
  }
}

TEST_F(GoogleText, ARowThatIsNoneIsLeftOutAlone) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {R"({"name":"a"})", "real_time: missing"},
      {R"({"name":7,"real_time":1})", "name: 7 is not a string"},
      {R"({"real_time":1})", "name: missing"},
      {R"({"name":"","real_time":1})", "a case without a name"},
      {R"({"name":"a","real_time":1,"time_unit":"h"})", "time_unit: must be ns, us, ms or s"},
      {R"({"name":"a","run_type":"aggregate","real_time":1})", "aggregate_name: missing"},
      {"7", "not an object"}};
  for (const auto& [row, why] : bad) {
    EXPECT_EQ(refusal(rows(row)), "nothing was measured; left out, " + why + ": benchmarks[0]");
    const Side side = read(rows(R"({"name":"good","real_time":1},)" + row));
    ASSERT_EQ(side.cases.size(), 1u) << row;
    EXPECT_TRUE(contains(note_of(side, "left out"), "left out, " + why + ": benchmarks[1]"));
  }
  EXPECT_EQ(refusal(R"({"context":{},"benchmarks":{"name":"a","real_time":1}})"),
            "benchmarks: not an array");
}

TEST_F(GoogleText, ACounterThatIsNoNumberCostsNoRow) {
  const Side side = read(rows(R"({"name":"a","real_time":1,"drops":NaN,"more":Infinity})"));
  EXPECT_EQ(side.cases.at(0).times.size(), 1u);
  EXPECT_TRUE(side.notes.empty());
}

TEST_F(GoogleText, AnAggregateWithoutItsNameHasItInItsOwn) {
  const Side side = read(rows(R"({"name":"a","run_type":"iteration","real_time":1},)"
                              R"({"name":"a_mean","run_type":"aggregate","real_time":9})"));
  ASSERT_EQ(side.cases.size(), 1u);
  EXPECT_EQ(side.cases[0].times.size(), 1u);
}

TEST_F(GoogleText, TheContextMayNameTheMachineAndTheBuild) {
  const Side side = read(R"({"context":{"gpu":"A GPU","driver":"581.1","commit":"abc","cuda":"13.0",
    "backend":"cuda","config":"sums","queue":"night","num_cpus":4},
    "benchmarks":[{"name":"a","real_time":1}]})");
  const std::map<std::string, std::string> expected{
      {"gpu", "A GPU"},    {"driver", "581.1"}, {"commit", "abc"},  {"cuda", "13.0"},
      {"backend", "cuda"}, {"config", "sums"},  {"queue", "night"}, {"cpus", "4"}};
  EXPECT_EQ(side.sessions.at(0).environment, expected);
}

TEST_F(GoogleText, NothingMeasuredIsRefusedWithItsReason) {
  EXPECT_EQ(refusal(R"({"context":{"num_cpus":4},"benchmarks":[]})"), "nothing was measured");
  EXPECT_EQ(refusal(rows(R"({"name":"a","skipped":true,"skip_message":"too cold"})")),
            "nothing was measured; skipped, too cold: a");
}

}  // namespace
}  // namespace apod::files
