// What is shown of a run.

#include "benchmarks/show/run_result.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/report.hpp"
#include "tests/benchmarks/show/golden.hpp"
#include "tests/benchmarks/show/sample_result.hpp"
#include "tests/benchmarks/show/texts.hpp"

namespace apod::show {
namespace {

constexpr std::size_t sums = 1;  // the sample's experiment in kernel scope

std::string console(const Result& result, const Shown& shown = {}) {
  return formatted(result, Format::console, 1000, shown);
}

/// The sample with the measurements of its second experiment changed.
template <class Change>
Result sample_with(Change change) {
  auto result = sample_result();
  for (auto& m : result.measurements) {
    if (result.plan.cases.at(m.case_index).experiment == sums) change(m);
  }
  return result;
}

/// The sample without the measurements of its second experiment that `unwanted` names.
template <class Unwanted>
Result sample_without(Unwanted unwanted) {
  auto result = sample_result();
  std::erase_if(result.measurements, [&](const Measurement& m) {
    return result.plan.cases.at(m.case_index).experiment == sums && unwanted(m);
  });
  return result;
}

TEST(RunResult, TheTimeOfSeveralMachinesIsNotThatWhichPassed) {
  const auto line = [](const std::string& first, const std::string& other, BackendKind backend,
                       Format format = Format::console) {
    auto result = sample_result();
    result.interrupted = false;
    result.environment.device.backend = backend;
    for (auto& measurement : result.measurements) measurement.machine = other;
    result.measurements.front().machine = first;
    return formatted(result, format, 1000);
  };
  const std::string time = "1 not run in 1 min 23 s";
  EXPECT_TRUE(contains(line("", "", BackendKind::cuda), time + "\n"));
  EXPECT_TRUE(contains(line("a u", "a v", BackendKind::cuda), time + " (sum over 2 GPUs)\n"));
  EXPECT_TRUE(
      contains(line("a u", "a v", BackendKind::cuda, Format::html), " (sum over 2\u00A0GPUs);"));
  EXPECT_TRUE(contains(line("a", "b", BackendKind::host), time + " (sum over 2 machines)\n"));
}

TEST(RunResult, LooksAsItShould) {
  expect_golden("sample.txt", formatted(sample_result(), Format::console, 100));
  expect_golden("sample.md", formatted(sample_result(), Format::markdown));
  expect_golden("sample.csv", formatted(sample_result(), Format::csv));
}

TEST(RunResult, ToleratesAnEmptyResultAndNumbersThatAreNone) {
  auto result = sample_result();
  for (Measurement& m : result.measurements) {
    for (double& s : m.samples_s) s = std::nan("");
    m.traffic = {INFINITY, 0, std::nan(""), 0};
    m.clock.mean_mhz = INFINITY;
    m.verification.error = std::nan("");
  }
  result.wall_s = INFINITY;
  for (const Format format : {Format::csv, Format::markdown, Format::console}) {
    EXPECT_NE(formatted({}, format), "");
    const std::string text = formatted(result, format);
    for (const char* word : {"nan", "inf "}) EXPECT_FALSE(contains(text, word));
  }
}

TEST(RunResult, TablesKeepToTheWidth) {
  for (const int width : {60, 72, 80, 100, 160}) {
    for (const auto& line : lines_of(formatted(sample_result(), Format::console, width))) {
      if (line == "failed (2)") break;  // below there are ids in full
      EXPECT_LE(text::display_width(line), static_cast<std::size_t>(width)) << line;
    }
  }
}

TEST(RunResult, AnExperimentThatAFilterLeftEmptyIsNotShown) {
  auto result = sample_result();
  result.plan.experiments.push_back(result.plan.experiments[0]);
  result.plan.experiments.back().name = "left_out";
  EXPECT_EQ(console(result), console(sample_result()));
}

TEST(Shown, HasTheColumnsThatAreAskedFor) {
  const auto text = console(sample_result(), {.columns = {"accumulator", "bandwidth", "time"}});
  EXPECT_TRUE(contains(text, "size  accumulator  bandwidth      time  status\n")) << text;
  EXPECT_TRUE(contains(text, "cub "));
}

/// What is said of columns that can't be shown.
std::string refusal(Format format, const std::vector<std::string>& columns) {
  return error_of<std::invalid_argument>(
      [&] { formatted(sample_result(), format, 100, {.columns = columns}); });
}

TEST(Shown, WhatCantBeShownIsRefusedWithTheNearestName) {
  EXPECT_EQ(refusal(Format::console, {"bandwith"}),
            "--columns: 'bandwith' is not an axis, a fact or a column title of this result (did "
            "you mean 'bandwidth'?)");
  EXPECT_TRUE(contains(refusal(Format::csv, {"of paek"}), "(did you mean 'of peak'?)"));
  EXPECT_TRUE(contains(refusal(Format::console, {"?"}),
                       "(to see all facts and findings: bench --list facts)"));
  EXPECT_TRUE(contains(refusal(Format::csv, {"rate"}),
                       "CSV has no column 'rate'; name bandwidth or flops"));
  EXPECT_TRUE(contains(refusal(Format::json, {"time"}), "JSON always has all columns"));
}

TEST(Shown, AColumnMayBeNamedByItsTitle) {
  const auto by_title =
      console(sample_result(), {.columns = {"of peak", "interval", "device time"}});
  EXPECT_TRUE(contains(by_title, "of peak  interval"));
  EXPECT_EQ(by_title,
            console(sample_result(), {.columns = {"share_of_peak", "precision", "device_time"}}));
}

TEST(Shown, WhatNoCaseHasRecordedIsNoted) {
  const auto text = console(sample_result(), {.columns = {"time", "dram_bytes", "l2_hit_rate"}});
  EXPECT_TRUE(contains(text, "no case has a value for dram_bytes, l2_hit_rate\n"));
  EXPECT_FALSE(
      contains(console(sample_result(), {.columns = {"time"}}), "no case has a value for"));
  EXPECT_TRUE(contains(console(sample_result(), {.columns = {"distinct_streams"}}), "used"));
}

TEST(Shown, CsvHasTheColumnsBesideTheIdentity) {
  const auto csv =
      formatted(sample_result(), Format::csv, 100, {.columns = {"time", "size", "overlap"}});
  EXPECT_EQ(lines_of(csv).front(),
            "case,experiment,workload,scope,backend,variant,size,accumulator,streams,host_memory,"
            "stream_pool,time_s,status,overlap");
}

TEST(Common, SaysNothingOfOneProgramAlone) {
  const auto with = [](std::int64_t programs) {
    auto result = sample_result();
    for (auto& c : result.plan.cases) c.params.set("programs", programs);
    return console(result);
  };
  EXPECT_FALSE(contains(with(1), "programs"));
  EXPECT_TRUE(contains(with(2), "all with accumulator fp32, programs 2"));
}

TEST(Method, NamesTheLaunchThatWasUsed) {
  EXPECT_TRUE(contains(console(sample_result()), "cold cache, blocked launch, "));
  auto result = sample_with([](Measurement& m) { m.launch = "stream"; });
  EXPECT_TRUE(contains(console(result), ", stream launch (blocked was requested), "));
  result = sample_with([](Measurement& m) {
    if (m.case_index == 5 && m.process == 0) m.launch = "stream";
  });
  EXPECT_TRUE(contains(console(result), ", blocked or stream launch (blocked was requested), "));
  result = sample_with([](Measurement& m) {
    if (!m.failed.empty()) m.launch = "stream";
  });
  EXPECT_TRUE(contains(console(result), ", blocked launch, "))
      << "a failed case says nothing of it";
}

TEST(Method, CountsTheProcessesThatMeasured) {
  EXPECT_TRUE(contains(console(sample_result()), "seed 42), 3 processes, "));
  const auto uneven =
      sample_without([](const Measurement& m) { return m.process > 0 && m.case_index == 5; });
  EXPECT_TRUE(contains(console(uneven), "seed 42), 1 to 3 processes, "))
      << "as processes: auto and Ctrl-C leave them";
  const auto one = sample_without([](const Measurement& m) { return m.process > 0; });
  EXPECT_TRUE(contains(console(one), "seed 42), 1 process, "));
  EXPECT_TRUE(contains(formatted(uneven, Format::markdown), "seed 42), 1 to 3 processes, "));
}

TEST(Interval, IsBetweenProcessesOrThereIsNone) {
  EXPECT_TRUE(contains(console(sample_result()), "95 % intervals between processes"));
  const auto one = sample_without([](const Measurement& m) { return m.process > 0; });
  EXPECT_TRUE(contains(console(one), "no intervals (no case has three processes)"));
  const auto rows = case_rows(one);
  const auto column = [&](const std::string& name) {
    const auto found = std::find_if(rows.columns.begin(), rows.columns.end(),
                                    [&](const auto& c) { return c.name == name; });
    return static_cast<std::size_t>(found - rows.columns.begin());
  };
  const auto& of_three = rows.rows.at(0).cells;
  const auto& of_one = rows.rows.at(5).cells;
  EXPECT_EQ(of_three.at(column("interval_kind")).text, "processes");
  EXPECT_EQ(of_one.at(column("interval_kind")).text, "none");
  EXPECT_FALSE(std::isnan(of_three.at(column("time_low_s")).number));
  EXPECT_TRUE(std::isnan(of_one.at(column("time_low_s")).number));
  const auto none = sample_without([](const Measurement&) { return true; });
  EXPECT_TRUE(
      contains(console(none), "blocked launch, burst clocks, data uniform(seed 42), 3 processes\n"))
      << "what was asked for, and no interval";
}

TEST(CaseRows, HaveAColumnForEveryFactThatAnyCaseHas) {
  auto result = sample_result();
  result.ceilings = Ceilings{.read_bytes_per_s = 4e12, .copy_bytes_per_s = 4e12};
  auto& facts = result.measurements[1].facts;
  facts["overlap"] = 0.4;
  facts["of a later version"] = 7;
  const auto csv = formatted(result, Format::csv);
  const auto titles = lines_of(csv).front();
  for (const char* name : {",share_of_ceiling", ",overlap", ",distinct_streams", ",transfer_bytes",
                           ",sm_clock", ",of a later version"}) {
    EXPECT_TRUE(contains(titles, name));
  }
  EXPECT_EQ(lines_of(csv).size(), result.plan.cases.size() + 1);
}

TEST(CaseTable, ShowsTheShareOfTheCeilingWhereItIsKnown) {
  auto result = sample_result();
  EXPECT_FALSE(contains(console(result), "of ceiling"));
  result.ceilings = Ceilings{.read_bytes_per_s = 4e12, .copy_bytes_per_s = 4e12};
  EXPECT_TRUE(contains(console(result), "of ceiling"));
}

TEST(Notes, CasesOfFewerProcessesThanWereAskedForAreNamed) {
  const auto few =
      sample_without([](const Measurement& m) { return m.process > 1 && m.case_index == 5; });
  EXPECT_TRUE(contains(console(few), "only 2 of 3 processes measured the case\n    in " +
                                         few.plan.cases[5].id + "\n"));
  EXPECT_FALSE(contains(console(sample_result()), "measured by"));
}

TEST(Timers, SumUpThePhasesOfAllProcesses) {
  std::ostringstream out;
  render_terminal(out, timers_document(sample_result()), {.color = false, .width = 100});
  EXPECT_TRUE(
      contains(out.str(), "  " + sample_result().plan.cases[0].id +
                              "\n  setup   750.0 ms  250.0 ms  250.0 ms  250.0 ms      3\n"))
      << out.str();
  out.str("");
  render_terminal(out, timers_document({}), {});
  EXPECT_TRUE(contains(out.str(), "no case reached a timed phase"));
}

}  // namespace
}  // namespace apod::show
