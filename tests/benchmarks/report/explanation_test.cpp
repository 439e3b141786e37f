#include "benchmarks/report/explanation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "benchmarks/report/explanation_view.hpp"
#include "tests/benchmarks/report/golden.hpp"
#include "tests/benchmarks/report/sample_result.hpp"

namespace apod::report {
namespace {

using testing::hostile;

Tally tally(std::uint64_t count, double each_s) {
  return {count, static_cast<double>(count) * each_s, each_s, each_s};
}

KernelProfile kernel(const std::string& name, std::uint64_t launches, double each_s) {
  KernelProfile kernel;
  kernel.name = name;
  kernel.grid = {1280, 1, 1};
  kernel.block = {256, 1, 1};
  kernel.registers_per_thread = 32;
  kernel.resident_blocks = 4;
  kernel.limiter = OccupancyLimiter::shared_memory;
  kernel.static_shared_bytes = 16384;
  kernel.dynamic_shared_bytes = 32768;
  kernel.time = tally(launches, each_s);
  return kernel;
}

/// Cases 1 and 13 were traced; the first has all there is to be shown, the other hostile names.
Result traced_result() {
  Result result = testing::sample_result();
  const auto first_of = [&](std::size_t index) -> Measurement& {
    for (auto& measurement : result.measurements) {
      if (measurement.case_index == index) return measurement;
    }
    throw std::logic_error("no such case");
  };
  auto& streams = first_of(1);
  streams.facts.insert({{"span", 19.5e-3},
                        {"busy", 0.998},
                        {"kernel_time", 11.2e-3},
                        {"copy_time", 14.6e-3},
                        {"overlap", 0.37},
                        {"copy_kernel_overlap", 0.15},
                        {"traced_streams", 4},
                        {"occupancy", 0.42},
                        {"longest_gap", 12e-6},
                        {"launch_latency", 5.1e-6},
                        {"host_wait", 0.97}});
  auto& profile = streams.profile;
  profile.kernels = {
      kernel("void apod::sum<float>(float const*, double*, unsigned long)", 50, 2e-4)};
  for (int i = 0; i < 6; ++i) profile.kernels.push_back(kernel("k" + std::to_string(i), 4, 1e-5));
  profile.kernels[1].grid = {25, 25, 1};
  profile.kernels[2].block = {8, 8, 4};
  profile.kernels[3].resident_blocks = 0;
  profile.kernels[3].limiter = OccupancyLimiter::unknown;
  profile.kernels[4].local_bytes = 64;
  profile.copies = {
      {"HtoD", MemoryKind::pageable, MemoryKind::device, 400'000'000, 4, tally(4, 8e-3)},
      {"memset", MemoryKind::device, MemoryKind::device, 64, 0, tally(1, 0)}};
  profile.calls = {{"cudaStreamSynchronize", false, tally(4, 4.5e-3)},
                   {"cuMemAlloc", true, tally(1, 1e-4)}};
  auto& odd = first_of(13);
  odd.profile.kernels = {kernel(hostile, 1, 1e-6)};
  odd.profile.calls = {{hostile, false, tally(1, 1e-6)}};
  return result;
}

/// Case 6 was not traced, and what was found of it is text of others.
Result explained_result() {
  Result result = traced_result();
  result.findings.resize(7);
  result.findings[1] = {
      {"pageable-transfer", Severity::warning, "HtoD",
       "4 copies of 400 MB in all from pageable memory took 32.00 ms of 19.50 ms.",
       "Allocate the buffer with cudaMallocHost.", 0.38},
      {"memory-bound", Severity::note, "", "At 92 % of the ceiling.", "", 0}};
  result.findings[6] = {{"throttled", Severity::warning, hostile, hostile, hostile, 1}};
  return result;
}

TEST(Explanation, HasASectionForEachCaseThatHasSomethingToTell) {
  const auto views = explain(explained_result());
  ASSERT_EQ(views.size(), 3u);
  const auto& streams = views[0];
  EXPECT_EQ(streams.time, "19.84 ms ±0.30 %");
  EXPECT_DOUBLE_EQ(streams.facts.at("busy"), 0.998);
  ASSERT_EQ(streams.tables.size(), 3u);
  EXPECT_EQ(streams.tables[0].title, "kernels (5 of 7)");
  EXPECT_EQ(streams.tables[0].table.rows.size(), 5u);
  EXPECT_EQ(streams.tables[0].table.rows[0][0].text, "void apod::sum<float>");
  EXPECT_EQ(streams.tables[1].title, "copies");
  ASSERT_EQ(streams.findings.size(), 2u);
  EXPECT_EQ(streams.findings[0].id, "pageable-transfer");
  EXPECT_TRUE(views[1].tables.empty()) << "found without a trace";
}

TEST(Explanation, OccupancyIsOfTheThreadsThatFit) {
  const auto views = explain(traced_result());
  const auto& rows = views.at(0).tables.at(0).table.rows;
  const auto cell = [&](std::size_t row, std::size_t from_the_end) {
    return rows.at(row).at(rows[row].size() - 1 - from_the_end).text;
  };
  EXPECT_EQ(cell(0, 1), "50.0 %") << "4 blocks of 256 threads on 2048";
  EXPECT_EQ(cell(0, 0), "shared memory");
  EXPECT_EQ(cell(3, 1), "-");
  EXPECT_EQ(cell(3, 0), "-");
}

TEST(Explanation, KernelsOfOperationsShowWhatTheyAreFor) {
  auto result = traced_result();
  const auto plain = explain(result).at(0).tables.at(0).table;
  EXPECT_EQ(plain.columns.at(1).title, "time") << "nothing is known of operations";
  for (auto& measurement : result.measurements) {
    if (measurement.profile.kernels.size() != 7) continue;
    auto& kernel = measurement.profile.kernels[0];  // 50 launches, 200 us each
    kernel.operation = {"conv2d", "fprop", "1x2x3x4 * 2x2x3x3", "tf32", 2e8, 1e6};
    kernel.instructions = InstructionMix{.source = "SASS", .tensor = 8};
  }
  const auto table = explain(result).at(0).tables.at(0).table;
  const auto cell = [&](std::size_t row, const std::string& title) {
    const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                    [&](const auto& column) { return column.title == title; });
    if (found == table.columns.end()) return "no column " + title;
    return table.rows.at(row).at(static_cast<std::size_t>(found - table.columns.begin())).text;
  };
  EXPECT_EQ(cell(0, "operation"), "conv2d fprop");
  EXPECT_EQ(cell(0, "shapes"), "1x2x3x4 * 2x2x3x3");
  EXPECT_EQ(cell(0, "type"), "tf32");
  EXPECT_EQ(cell(0, "FLOP/s"), "1.00 TFLOP/s");
  EXPECT_EQ(cell(0, "B/s"), "5.00 GB/s");
  EXPECT_EQ(cell(0, "tensor cores"), "yes");
  EXPECT_EQ(cell(1, "operation"), "-");
}

TEST(Explanation, OfARunWithoutATraceSaysSo) {
  std::ostringstream console, markdown;
  write_explanation(console, testing::sample_result(), {});
  write_explanation_markdown(markdown, testing::sample_result());
  EXPECT_NE(console.str().find("no case was traced"), std::string::npos);
  EXPECT_NE(markdown.str().find("no case was traced"), std::string::npos);
}

TEST(Explanation, SaysOnceWhatIsMissing) {
  auto result = traced_result();
  result.interrupted = false;
  const auto all = remarks(result);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], "not traced: 6 cases");
  EXPECT_EQ(all[1], "no ceilings of this device were found: bench ceilings measures them");
  result.ceilings = Ceilings{};
  result.interrupted = true;
  const auto known = remarks(result);
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0], all[0] + " (interrupted)");
  auto untraced = testing::sample_result();
  EXPECT_EQ(
      remarks(untraced),
      std::vector<std::string>{"no case was traced, so nothing can be explained (interrupted)"});
}

TEST(Explanation, OfACaseWithoutFindingsItSaysWhatWasJudged) {
  EXPECT_EQ(nothing_found({}), "nothing was found that loses time");
  ExplanationView host;
  host.on_gpu = false;
  EXPECT_EQ(nothing_found(host).find("findings are about GPUs"), 0u);
  for (const auto backend : {BackendKind::cuda, BackendKind::host}) {
    auto result = traced_result();
    result.plan.cases.at(1).backend = backend;
    const auto view = explain(result).at(0);
    EXPECT_EQ(view.on_gpu, backend == BackendKind::cuda);
    std::ostringstream console, markdown;
    write_explanation(console, result, {});
    write_explanation_markdown(markdown, result);
    EXPECT_NE(console.str().find(nothing_found(view)), std::string::npos);
    EXPECT_NE(markdown.str().find(nothing_found(view)), std::string::npos);
  }
}

TEST(Explanation, OfNumbersThatAreNoneIsHarmless) {
  Result result = traced_result();
  for (auto& measurement : result.measurements) {
    for (auto& kernel : measurement.profile.kernels) {
      kernel.time = {0, std::numeric_limits<double>::quiet_NaN(), 0, 0};
    }
    for (auto& copy : measurement.profile.copies) copy.time = {};
    if (!measurement.profile.empty()) {
      measurement.facts["span"] = std::numeric_limits<double>::infinity();
    }
  }
  std::ostringstream out;
  write_explanation(out, result, {});
  EXPECT_EQ(out.str().find("nan"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("inf"), std::string::npos) << out.str();
}

TEST(Explanation, LooksAsItShould) {
  std::ostringstream console, narrow, color, markdown;
  write_explanation(console, explained_result(), {});
  write_explanation(narrow, explained_result(), {.color = false, .width = 60});
  write_explanation(color, explained_result(), {.color = true, .width = 160});
  write_explanation_markdown(markdown, explained_result());
  testing::expect_golden("explanation.txt", console.str());
  testing::expect_golden("explanation_narrow.txt", narrow.str());
  testing::expect_golden("explanation_color.txt", color.str());
  testing::expect_golden("explanation.md", markdown.str());
}

}  // namespace
}  // namespace apod::report
