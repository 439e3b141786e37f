// What a report says of how its cases were measured.

#include "benchmarks/report/case_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/benchmarks/report/sample_result.hpp"

namespace apod::report {
namespace {

constexpr std::size_t sums = 1;  // the sample's experiment in kernel scope

std::string method_of(const Result& result) {
  return view_of(result, sums, summarize(result)).method;
}

/// The sample with the measurements of its second experiment changed.
template <class Change>
Result sample_with(Change change) {
  auto result = testing::sample_result();
  for (auto& m : result.measurements) {
    if (result.plan.cases.at(m.case_index).experiment == sums) change(m);
  }
  return result;
}

/// The sample without the measurements of its second experiment that `unwanted` names.
template <class Unwanted>
Result sample_without(Unwanted unwanted) {
  auto result = testing::sample_result();
  auto& all = result.measurements;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const Measurement& m) {
                             return result.plan.cases.at(m.case_index).experiment == sums &&
                                    unwanted(m);
                           }),
            all.end());
  return result;
}

::testing::AssertionResult holds(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

TEST(Common, SaysNothingOfOneProgramAlone) {
  const auto common_with = [](std::int64_t programs) {
    auto result = testing::sample_result();
    for (auto& c : result.plan.cases) c.params.set("programs", programs);
    return view_of(result, sums, summarize(result)).common;
  };
  EXPECT_EQ(common_with(1).find("programs"), std::string::npos) << common_with(1);
  EXPECT_TRUE(holds(common_with(2), ", programs 2"));
}

TEST(Method, NamesTheLaunchThatWasUsed) {
  EXPECT_TRUE(holds(method_of(testing::sample_result()), "cold cache, blocked launch, "));
  auto result = sample_with([](Measurement& m) { m.launch = "stream"; });
  EXPECT_TRUE(holds(method_of(result), ", stream launch (blocked was asked for), "));
  bool first = true;
  result = sample_with([&](Measurement& m) {
    if (m.case_index == 5 && first) m.launch = "stream", first = false;
  });
  EXPECT_TRUE(holds(method_of(result), ", blocked or stream launch (blocked was asked for), "));
}

TEST(Method, ACaseThatFailedSaysNothingOfTheLaunch) {
  const auto result = sample_with([](Measurement& m) {
    if (!m.failed.empty()) m.launch = "stream";
  });
  EXPECT_TRUE(holds(method_of(result), ", blocked launch, "));
}

TEST(Method, SaysWhatTheIntervalIsOf) {
  EXPECT_TRUE(
      holds(method_of(testing::sample_result()), "± is the 95 % interval between processes"));
  const auto one = sample_without([](const Measurement& m) { return m.process > 0; });
  EXPECT_TRUE(holds(method_of(one), "interval of samples, not between processes"));
  const auto mixed =
      sample_without([](const Measurement& m) { return m.process > 0 && m.case_index == 5; });
  EXPECT_TRUE(holds(method_of(mixed), "between processes, or of samples where too few measured"));
}

TEST(Method, WithoutAMeasuredCaseThereIsNoInterval) {
  const auto none = sample_without([](const Measurement&) { return true; });
  const auto method = method_of(none);
  EXPECT_EQ(method.find("interval"), std::string::npos) << method;
  EXPECT_TRUE(holds(method, "blocked launch")) << "what was asked for";
}

TEST(CaseTable, ShowsTheShareOfTheCeilingWhereItIsKnown) {
  auto result = testing::sample_result();
  const auto titles_of = [](const Result& shown) {
    std::vector<std::string> titles;
    for (const auto& column : view_of(shown, sums, summarize(shown)).table.columns) {
      titles.push_back(column.title);
    }
    return titles;
  };
  auto titles = titles_of(result);
  EXPECT_EQ(std::count(titles.begin(), titles.end(), "of ceiling"), 0);
  result.ceilings = Ceilings{.read_bytes_per_s = 4e12, .copy_bytes_per_s = 4e12};
  titles = titles_of(result);
  EXPECT_EQ(std::count(titles.begin(), titles.end(), "of ceiling"), 1);
}

TEST(DigestNotes, CasesOfFewerProcessesThanWereAskedForAreNamed) {
  const auto note_of = [](const Result& result, const std::string& text) -> Group {
    for (const auto& note : digest(result, summarize(result)).notes) {
      if (note.text == text) return note;
    }
    return {};
  };
  const auto few =
      sample_without([](const Measurement& m) { return m.process > 1 && m.case_index == 5; });
  const auto note = note_of(few, "measured by 2 of 3 processes");
  EXPECT_EQ(note.count, 1U);
  EXPECT_EQ(note.first, few.plan.cases[5].id);
  EXPECT_EQ(note_of(testing::sample_result(), "measured by 2 of 3 processes").count, 0U);
}

}  // namespace
}  // namespace apod::report
