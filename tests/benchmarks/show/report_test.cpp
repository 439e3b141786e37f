#include "benchmarks/show/report.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <fstream>
#include <optional>
#include <streambuf>

#include "benchmarks/files/write_result.hpp"
#include "tests/benchmarks/files/record/member_count.hpp"
#include "tests/benchmarks/show/golden.hpp"
#include "tests/benchmarks/show/sample_result.hpp"
#include "tests/benchmarks/show/texts.hpp"

namespace apod::show {
namespace {

TEST(FormatOf, KnowsSixExtensionsInAnyCase) {
  EXPECT_EQ(format_of("a/b.json"), Format::json);
  EXPECT_EQ(format_of("B.CSV"), Format::csv);
  EXPECT_EQ(format_of("x.y.md"), Format::markdown);
  EXPECT_EQ(format_of("junit.xml"), Format::junit);
  EXPECT_EQ(format_of("x.txt"), Format::console);
  for (const char* path : {"", "json", "a.json/b", "a.yaml", ".json"}) {
    EXPECT_TRUE(contains(error_of<std::invalid_argument>([&] { format_of(path); }),
                         ".txt, .json, .csv, .md, .html, .xml"));
  }
  EXPECT_EQ(format_of("a.md", Formats::all_but_junit), Format::markdown);
  EXPECT_TRUE(
      contains(error_of<std::invalid_argument>([] { format_of("a.xml", Formats::all_but_junit); }),
               "(.txt, .json, .csv, .md, .html)"));
}

TEST(Golden, Json) {
  expect_golden("sample.json", formatted(sample_with_findings(), Format::json));
}
// A member that is added to one of these belongs into write_json() and docs/formats.md too.
static_assert(record::member_count<Environment>() == 18);
static_assert(record::member_count<Result>() == 12);  // traces are in no result file
static_assert(record::member_count<Plan>() == 6);

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

/// Kilobytes in a line of /proc/self/status, if it is there.
std::optional<std::size_t> kilobytes(const std::string& line) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != line) {
  }
  std::size_t value = 0;
  return status >> value ? std::optional(value) : std::nullopt;
}

TEST(JsonReportOfAThousandCases, StaysUnder20MegabytesInAll) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a sanitizer's memory is not ours";
#endif
  // What other tests of this process took, and gave back, does not count.
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew; not getrusage's
  const auto before = kilobytes("VmRSS:");
  Result result = sample_result();
  result.measurements.clear();
  result.expectations.clear();
  result.plan.cases.assign(1'000, result.plan.cases[1]);
  for (std::size_t i = 0; i < result.plan.cases.size(); ++i) {
    Case& c = result.plan.cases[i];
    c.index = i;
    c.id += std::to_string(i);
    c.baseline.reset();
    for (int process = 0; process < 3; ++process) {
      Measurement m = measured(c, process, 1e-3);
      m.samples_s.resize(50, 1.2345678901234567e-3);
      m.facts = {{"distinct_streams", 4}, {"transfer_bytes", 8e8}, {"overlap", 0.5}};
      result.measurements.push_back(std::move(m));
    }
  }
  CountingBuffer buffer;
  std::ostream out(&buffer);
  files::write_json(out, result);
  EXPECT_GT(buffer.bytes(), 4'000'000u);
  const auto peak = kilobytes("VmHWM:");
  if (!before || !peak) GTEST_SKIP() << "the kernel does not tell the peak";
  EXPECT_LT(*peak - *before, 19'000u);
}

}  // namespace
}  // namespace apod::show
