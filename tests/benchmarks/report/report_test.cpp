#include "benchmarks/report/report.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <streambuf>

#include "benchmarks/results/write_result.hpp"
#include "tests/benchmarks/record/member_count.hpp"
#include "tests/benchmarks/report/golden.hpp"
#include "tests/benchmarks/report/sample_result.hpp"
#include "tests/benchmarks/report/texts.hpp"

namespace apod::report {
namespace {

using nlohmann::json;
using testing::expect_golden;
using testing::formatted;
using testing::sample_result;

template <class Write>
std::string text_of(const Write& write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

TEST(FormatOf, KnowsFourExtensionsInAnyCase) {
  EXPECT_EQ(format_of("a/b.json"), Format::json);
  EXPECT_EQ(format_of("B.CSV"), Format::csv);
  EXPECT_EQ(format_of("x.y.md"), Format::markdown);
  EXPECT_EQ(format_of("x.txt"), Format::console);
  for (const char* path : {"", "json", "a.json/b", "a.yaml", ".json"}) {
    try {
      format_of(path);
      ADD_FAILURE() << path;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(".json, .csv, .md or .txt"), std::string::npos);
    }
  }
}

TEST(Golden, Json) {
  expect_golden("sample.json", formatted(testing::sample_with_findings(), Format::json));
}
class JsonReport : public ::testing::Test {
 protected:
  const Result result_ = sample_result();
  const json json_ = json::parse(formatted(result_, Format::json));
};

TEST_F(JsonReport, HasTheContextThatGoogleBenchmarkHas) {
  const json& context = json_.at("context");
  EXPECT_EQ(context.at("json_schema_version"), 1);
  EXPECT_EQ(context.at("date"), "2026-03-01T12:00:00+00:00");
  EXPECT_EQ(context.at("host_name"), "lab-7");
  EXPECT_EQ(context.at("executable"), "build/bench");
  EXPECT_EQ(context.at("num_cpus"), 16);
  EXPECT_EQ(context.at("mhz_per_cpu"), 2400);
  EXPECT_EQ(context.at("cpu_scaling_enabled"), true);
  EXPECT_EQ(context.at("library_build_type"), "release");
  EXPECT_EQ(context.at("load_avg").size(), 3u);
  const json& cache = context.at("caches").at(1);
  EXPECT_EQ(cache.at("type"), "Unified");
  EXPECT_EQ(cache.at("level"), 2);
  EXPECT_EQ(cache.at("size"), 1048576);
  EXPECT_EQ(cache.at("num_sharing"), 2);
}

TEST_F(JsonReport, HasRowsThatCompareToolsRead) {
  // What google/benchmark's tools/gbench/{util,report}.py look up in every row.
  ASSERT_FALSE(json_.at("benchmarks").empty());
  for (const json& row : json_.at("benchmarks")) {
    EXPECT_TRUE(row.at("name").is_string());
    EXPECT_EQ(row.at("run_name"), row.at("name"));
    EXPECT_EQ(row.at("run_type"), "iteration");
    EXPECT_EQ(row.at("time_unit"), "ns");
    EXPECT_EQ(row.at("threads"), 1);
    EXPECT_GT(row.at("real_time").get<double>(), 0);
    EXPECT_EQ(row.at("cpu_time"), row.at("real_time"));
    EXPECT_GT(row.at("iterations").get<int>(), 0);
    EXPECT_LT(row.at("repetition_index").get<int>(), row.at("repetitions").get<int>());
    EXPECT_TRUE(row.at("family_index").is_number_integer());
    EXPECT_TRUE(row.at("per_family_instance_index").is_number_integer());
    EXPECT_FALSE(row.contains("error_occurred"));
  }
}

TEST_F(JsonReport, HasOneRowForEachMeasuredProcess) {
  EXPECT_EQ(json_.at("benchmarks").size(), 24u) << "eight measured cases, three processes each";
  const json& row = json_.at("benchmarks").at(0);
  EXPECT_EQ(row.at("name"), result_.plan.cases[0].id);
  EXPECT_EQ(row.at("repetitions"), 3);
  EXPECT_EQ(row.at("iterations"), 6);
  EXPECT_NEAR(row.at("real_time").get<double>(), 26.6e6 * 1.0005, 1);
  EXPECT_NEAR(row.at("bytes_per_second").get<double>(), 8e8 / (26.6e-3 * 1.0005), 1e3);
  EXPECT_NEAR(row.at("items_per_second").get<double>(), 1e8 / (26.6e-3 * 1.0005), 1e3);
  EXPECT_EQ(row.at("apod").at("samples_s").get<std::vector<double>>(),
            result_.measurements[0].samples_s)
      << "raw samples, bit for bit";
}

TEST_F(JsonReport, LeavesThrottledSamplesOutOfTheTimeButKeepsThem) {
  const json& row = json_.at("benchmarks").at(2);
  EXPECT_EQ(row.at("iterations"), 4);
  EXPECT_EQ(row.at("apod").at("samples_s").size(), 6u);
  EXPECT_EQ(row.at("apod").at("throttled"), json({0, 0, 0, 0, 1, 1}));
  EXPECT_NEAR(row.at("real_time").get<double>(), 19.9e6 * 1.0005 * 1.0008, 1)
      << "median of the first four";
}

TEST_F(JsonReport, KeepsFailedCasesOutOfTheRows) {
  for (const json& row : json_.at("benchmarks")) {
    for (const std::size_t failed : {std::size_t{7}, std::size_t{8}}) {
      EXPECT_NE(row.at("name"), result_.plan.cases[failed].id);
    }
  }
  const json& failed = json_.at("apod_failed");
  ASSERT_EQ(failed.size(), 3u) << "one wrong answer; two processes of the case that lost one";
  EXPECT_EQ(failed.at(0).at("stage"), "verify");
  EXPECT_EQ(failed.at(0).at("verification").at("error"), 0.25);
  EXPECT_EQ(failed.at(1).at("failed"), "");
  EXPECT_EQ(failed.at(1).at("samples_s").size(), 6u);
}

TEST_F(JsonReport, KeepsTracedPassesApart) {
  const json& untimed = json_.at("apod_untimed");
  ASSERT_EQ(untimed.size(), 1u);
  EXPECT_EQ(untimed.at(0).at("facts").at("overlap"), 0.42);
  EXPECT_EQ(untimed.at(0).at("kernel_code").at("scale(float*)"), "9e3779b97f4a7c15");
}

TEST_F(JsonReport, TellsWhatBecameOfEveryCase) {
  const json& cases = json_.at("apod_cases");
  ASSERT_EQ(cases.size(), result_.plan.cases.size());
  EXPECT_EQ(cases.at(0).at("status"), "measured");
  EXPECT_EQ(cases.at(0).at("baseline"), nullptr);
  EXPECT_EQ(cases.at(1).at("baseline"), 0);
  EXPECT_EQ(cases.at(1).at("params").at("streams"), 4);
  EXPECT_EQ(cases.at(1).at("params").at("host_memory"), "pinned");
  EXPECT_EQ(cases.at(7).at("status"), "failed");
  EXPECT_EQ(cases.at(9).at("status"), "skipped");
  EXPECT_EQ(cases.at(9).at("reason"), "backend host was not asked for");
  EXPECT_EQ(cases.at(12).at("status"), "not_run");
  EXPECT_EQ(json_.at("apod_skipped").size(), 3u);
  EXPECT_EQ(json_.at("apod_experiments").at(0).at("measure").at("processes"), 3);
  EXPECT_EQ(json_.at("apod_expectations").at(1).at("met"), false);
  EXPECT_EQ(json_.at("apod_expectations").at(1).at("place").at("line"), 14);
}

// A member that is added to one of these belongs into write_json() and docs/result-format.md too.
static_assert(record::testing::member_count<Environment>() == 17);
static_assert(record::testing::member_count<Result>() == 11);  // traces are in no result file
static_assert(record::testing::member_count<Plan>() == 6);

TEST_F(JsonReport, KeepsTheWholeEnvironment) {
  const json& own = json_.at("context").at("apod");
  EXPECT_EQ(own.at("schema"), 1);
  EXPECT_EQ(own.at("order_seed"), 18446744073709551615u);
  EXPECT_EQ(own.at("interrupted"), true);
  EXPECT_EQ(own.at("wall_s"), 83.25);
  EXPECT_EQ(own.at("device").at("peak_memory_bytes_per_s"), 4.814e12);
  EXPECT_EQ(own.at("device").at("ecc"), true);
  EXPECT_EQ(own.at("variables").at("CUDA_VISIBLE_DEVICES"), "0");
  EXPECT_EQ(own.at("command_line").size(), 4u);
  EXPECT_EQ(own.at("config").at("path"), "configs/streams.yaml");
  EXPECT_NE(own.at("config").at("text").get<std::string>().find("\x1b[31m"), std::string::npos);
}

/// Swallows what is written to it and counts the bytes.
class CountingBuffer : public std::streambuf {
 public:
  std::size_t bytes() const { return bytes_; }

 protected:
  int_type overflow(int_type c) override {
    ++bytes_;
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char*, std::streamsize n) override {
    bytes_ += static_cast<std::size_t>(n);
    return n;
  }

 private:
  std::size_t bytes_ = 0;
};

TEST(JsonReportOfTenThousandCases, StaysUnder200MegabytesInAll) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a sanitizer's memory is not ours";
#endif
  Result result = sample_result();
  result.measurements.clear();
  result.expectations.clear();
  result.plan.cases.assign(10'000, result.plan.cases[1]);
  for (std::size_t i = 0; i < result.plan.cases.size(); ++i) {
    Case& c = result.plan.cases[i];
    c.index = i;
    c.id += std::to_string(i);
    c.baseline.reset();
    for (int process = 0; process < 3; ++process) {
      Measurement m = testing::measured(c, process, 1e-3);
      m.samples_s.resize(50, 1.2345678901234567e-3);
      m.facts = {{"distinct_streams", 4}, {"transfer_bytes", 8e8}, {"overlap", 0.5}};
      result.measurements.push_back(std::move(m));
    }
  }
  CountingBuffer buffer;
  std::ostream out(&buffer);
  results::write_json(out, result);
  EXPECT_GT(buffer.bytes(), 40'000'000u);
  // Not getrusage's figure, which starts with the size of the process that started this one.
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "VmHWM:") {
  }
  std::size_t peak_kilobytes = 0;
  if (!(status >> peak_kilobytes)) GTEST_SKIP() << "the kernel does not tell the peak";
  EXPECT_LT(peak_kilobytes, 200'000u);
}

}  // namespace
}  // namespace apod::report
