#include "benchmarks/files/metric.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/benchmarks/files/side_fixture.hpp"

namespace apod::files {
namespace {

Side read_as(const std::string& file, const std::string& metric, bool only_times = false) {
  auto wanted = metric_of(metric);
  wanted.only_times = only_times;
  return read_side({file}, {}, Samples::skip, wanted);
}

std::string refusal_of(const std::string& file, const std::string& metric,
                       bool only_times = false) {
  return error_of<BadResult>([&] { read_as(file, metric, only_times); });
}

double time_of(const Side& side, const std::string& name) {
  const auto times = case_of(side, name).times;
  EXPECT_EQ(times.size(), 1u);
  return times.empty() ? 0 : times.front().seconds;
}

TEST(Metric, MaySayWhatIsBetter) {
  EXPECT_EQ(metric_of("misses").better, Better::neither);
  EXPECT_EQ(metric_of("misses:less").name, "misses");
  EXPECT_EQ(metric_of("misses:less").better, Better::less);
  EXPECT_EQ(metric_of("a:b:more").name, "a:b");
  EXPECT_EQ(metric_of("a:b:more").better, Better::more);
  for (const char* nothing : {"", ":less", ":more"}) {
    EXPECT_THROW(metric_of(nothing), std::invalid_argument);
  }
}

TEST(Metric, OfARateTheInverseIsATimeAndOfOthersTheDirectionMustBeSaid) {
  const auto rate = value_of_counter(metric_of("items_per_second"), 4, true);
  EXPECT_EQ(rate.value, 0.25);
  EXPECT_FALSE(rate.is_counter);
  EXPECT_EQ(rate.note, "the time is 1 / items_per_second, in seconds per unit");
  EXPECT_EQ(value_of_counter(metric_of("x:less"), 4, false).value, 4);
  EXPECT_EQ(value_of_counter(metric_of("x:more"), 4, false).value, 0.25);
  EXPECT_TRUE(value_of_counter(metric_of("x:more"), 4, false).is_counter);
  EXPECT_EQ(error_of<std::runtime_error>([] { value_of_counter(metric_of("x"), 4, false); }),
            "x: bench does not know whether less or more is better. Write x:less or x:more");
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    for (const char* name : {"x:less", "x:more"}) {
      EXPECT_EQ(value_of_counter(metric_of(name), bad, false).value, bad) << "as it is";
    }
  }
}

class MetricOfFiles : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string google_ = folder_.write(
      "google.json",
      R"({"context":{},"benchmarks":[)"
      R"({"name":"a","real_time":10,"cpu_time":4,"time_unit":"us","items_per_second":8,"misses":5},)"
      R"({"name":"b","real_time":20,"cpu_time":6,"time_unit":"us"}]})");
  static std::string summary(const std::string& tag, const std::string& hint,
                             const std::string& value) {
    return R"({"tag":")" + tag + R"(","hint":")" + hint + R"(","data":[{"name":"value","value":")" +
           value + R"("}]})";
  }
  const std::string nvbench_ = folder_.write(
      "nvbench.json", R"({"devices":[],"benchmarks":[{"name":"a","states":[{"summaries":[)" +
                          summary("nv/cold/time/gpu/mean", "duration", "3") + "," +
                          summary("nv/cold/time/cpu/mean", "duration", "5") + "," +
                          summary("nv/batch/time/gpu/mean", "duration", "2") + "," +
                          summary("nv/cold/bw/item_rate", "item_rate", "4") + "," +
                          summary("mine", "", "7") + "]}]}]}");
};

TEST_F(MetricOfFiles, IsOneOfTheTimesOrACounterOfGoogleBenchmark) {
  EXPECT_DOUBLE_EQ(time_of(read_as(google_, "real_time"), "a"), 10e-6);
  EXPECT_EQ(read_as(google_, "real_time").cases[0].version, "") << "as without a metric";
  const auto cpu = read_as(google_, "cpu_time");
  EXPECT_DOUBLE_EQ(time_of(cpu, "a"), 4e-6);
  EXPECT_EQ(cpu.cases[0].version, "metric:cpu_time") << "no calibration of another clock fits";
  EXPECT_EQ(note_of(cpu, "cpu_time"), "the time is cpu_time");
  EXPECT_FALSE(cpu.is_counter);
  EXPECT_DOUBLE_EQ(time_of(read_as(google_, "items_per_second"), "a"), 0.125);
  const auto misses = read_as(google_, "misses:less");
  EXPECT_DOUBLE_EQ(time_of(misses, "a"), 5);
  EXPECT_TRUE(misses.is_counter);
}

TEST(Metric, ARateOfARowOfOursIsOneToo) {
  const auto file = fixture("apod/two_processes.json");
  const auto time = read_as(file, "real_time");
  const auto side = read_as(file, "flops");
  ASSERT_FALSE(side.cases.empty());
  EXPECT_LT(side.cases[0].times[0].seconds, case_of(time, side.cases[0].name).times[0].seconds)
      << "seconds for each operation";
  EXPECT_EQ(note_of(side, "flops"), "the time is 1 / flops, in seconds per unit");
  const auto traced = std::string(APOD_SOURCE_DIR) + "/tests/data/inspect/warps_h200.json";
  for (const char* rate : {"bandwidth", "bytes_per_second", "items_per_second"}) {
    EXPECT_FALSE(read_as(traced, rate).cases.empty()) << rate;
  }
  EXPECT_TRUE(contains(refusal_of(traced, "bandwith"), "did you mean 'bandwidth'?"));
}

TEST_F(MetricOfFiles, CasesWithoutItAreCounted) {
  const auto side = read_as(google_, "items_per_second");
  EXPECT_EQ(side.cases.size(), 1u);
  EXPECT_EQ(note_of(side, "no items"), google_ + ": no items_per_second: b");
}

TEST_F(MetricOfFiles, ANameThatNoCaseHasIsRefusedWithThoseThereAre) {
  EXPECT_EQ(refusal_of(google_, "cpu_tim"),
            google_ +
                ": no metric 'cpu_tim' (did you mean 'cpu_time'?); known: real_time, cpu_time, "
                "items_per_second, misses");
  EXPECT_TRUE(contains(refusal_of(nvbench_, "btch"), "(did you mean 'batch'?)"));
  EXPECT_TRUE(
      contains(refusal_of(fixture("apod/two_processes.json"), "cpu_time"), "no metric 'cpu_time'"));
}

TEST_F(MetricOfFiles, ACounterIsRefusedWhereOnlyTimesCanBeShown) {
  EXPECT_TRUE(contains(refusal_of(google_, "misses:less", true), "is not a time"));
  EXPECT_EQ(refusal_of(google_, "items_per_second", true), "");
  EXPECT_TRUE(contains(refusal_of(google_, "misses"), "misses:less or misses:more"));
}

TEST_F(MetricOfFiles, IsASummaryOfNvbench) {
  EXPECT_DOUBLE_EQ(time_of(read_as(nvbench_, "real_time"), "a"), 3);
  EXPECT_DOUBLE_EQ(time_of(read_as(nvbench_, "gpu"), "a"), 3);
  EXPECT_DOUBLE_EQ(time_of(read_as(nvbench_, "cpu"), "a"), 5);
  EXPECT_DOUBLE_EQ(time_of(read_as(nvbench_, "cpu_time"), "a"), 5);
  EXPECT_DOUBLE_EQ(time_of(read_as(nvbench_, "batch"), "a"), 2);
  EXPECT_DOUBLE_EQ(time_of(read_as(nvbench_, "nv/batch/time/gpu/mean"), "a"), 2);
  EXPECT_DOUBLE_EQ(time_of(read_as(nvbench_, "nv/cold/bw/item_rate"), "a"), 0.25);
  EXPECT_DOUBLE_EQ(time_of(read_as(nvbench_, "mine:more"), "a"), 1.0 / 7);
  EXPECT_TRUE(contains(refusal_of(nvbench_, "mine"), "mine:less or mine:more"));
}

TEST_F(MetricOfFiles, ANumberThatHasNoRatioIsAFailureOfItsCaseAlone) {
  const std::string file = folder_.write(
      "zero.json",
      R"({"context":{},"benchmarks":[{"name":"a","real_time":1,"misses":0,"hits_per_second":0},)"
      R"({"name":"b","real_time":1,"misses":3,"hits_per_second":2}]})");
  const auto misses = read_as(file, "misses:less");
  EXPECT_EQ(case_of(misses, "a").failed, "misses: 0 is not positive, so it has no ratio");
  EXPECT_EQ(time_of(misses, "b"), 3);
  const auto hits = read_as(file, "hits_per_second");
  EXPECT_EQ(case_of(hits, "a").failed, "hits_per_second: 0 is not positive, so it has no ratio");
  EXPECT_EQ(time_of(hits, "b"), 0.5);
}

TEST_F(MetricOfFiles, OfATimeMoreIsNotBetter) {
  for (const char* time : {"gpu:more", "batch:more", "nv/batch/time/gpu/mean:more"}) {
    EXPECT_TRUE(contains(refusal_of(nvbench_, time), "so less is better")) << time;
  }
  EXPECT_EQ(refusal_of(nvbench_, "batch:less"), "");
}

TEST_F(MetricOfFiles, IsAFactOfOurs) {
  const auto ours = fixture("apod/two_processes.json");
  EXPECT_EQ(read_as(ours, "real_time").cases.size(), read_side({ours}).cases.size());
  const auto clocks = case_of(read_as(ours, "sm_clock"), "sum/cub/size:1024").times;
  ASSERT_EQ(clocks.size(), 2u);
  EXPECT_EQ(clocks[1].seconds, 1.0 / 1930) << "more is better, as the table of facts says";
  EXPECT_TRUE(contains(refusal_of(ours, "distinct_streams"), "Write distinct_streams:less or"));
  EXPECT_EQ(case_of(read_as(ours, "distinct_streams:less"), "sum/cub/size:1024").times[1].seconds,
            3);
  EXPECT_TRUE(contains(refusal_of(ours, "sm_clck"), "did you mean 'sm_clock'?"));
}

TEST_F(MetricOfFiles, RowsOfOtherProgramsComeFromOneProcess) {
  EXPECT_TRUE(read_side({google_}).sessions[0].one_process);
  EXPECT_TRUE(read_side({nvbench_}).sessions[0].one_process);
  EXPECT_FALSE(read_side({fixture("apod/two_processes.json")}).sessions[0].one_process);
}

}  // namespace
}  // namespace apod::files
