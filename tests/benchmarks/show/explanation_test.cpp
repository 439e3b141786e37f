#include "benchmarks/show/explanation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/benchmarks/show/golden.hpp"
#include "tests/benchmarks/show/sample_result.hpp"
#include "tests/benchmarks/show/texts.hpp"

namespace apod::show {
namespace {

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
  Result result = sample_result();
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
  profile.copies = {{.name = "HtoD",
                     .source = MemoryKind::pageable,
                     .bytes = 400'000'000,
                     .synchronous = 4,
                     .time = tally(4, 8e-3)},
                    {.name = "memset", .bytes = 64, .time = tally(1, 0)}};
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

std::string shown(const Result& result, int width = 1000) {
  std::ostringstream out;
  render_terminal(out, explanation_document(result), {.color = false, .width = width});
  return out.str();
}

/// The first table of kernels.
Table kernels_of(const Result& result) {
  for (const auto& block : explanation_document(result).blocks) {
    const auto* table = std::get_if<Table>(&block);
    if (table != nullptr && table->caption.starts_with("kernels")) return *table;
  }
  return {};
}

std::string cell(const Table& table, std::size_t row, const std::string& title) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const auto& column) { return column.name == title; });
  if (found == table.columns.end()) return "no column " + title;
  return table.rows.at(row).cells.at(static_cast<std::size_t>(found - table.columns.begin())).text;
}

TEST(Explanation, LooksAsItShould) {
  expect_golden("explanation.txt", shown(explained_result(), 100));
}

TEST(Explanation, RangesHaveTheirDomainAndTheTimesOfOtherTables) {
  Profile profile;
  profile.ranges = {{"mine", "step", tally(2, 3e-3)},
                    {"", "Compilation", tally(1, 1.16)},
                    {"", "a mark", tally(5, 0)}};
  std::ostringstream out;
  render_terminal(out, profile_tables(profile, {}, 5), {});
  EXPECT_TRUE(contains(out.str(), "  Compilation   1.160 s      1")) << out.str();
  EXPECT_TRUE(contains(out.str(), "  mine:step    6.000 ms      2  3.000 ms")) << out.str();
  EXPECT_FALSE(contains(out.str(), "mark"));
}

TEST(Explanation, OccupancyIsOfTheThreadsThatFit) {
  const auto table = kernels_of(traced_result());
  EXPECT_EQ(cell(table, 0, "occupancy"), "50.0 %") << "4 blocks of 256 threads on 2048";
  EXPECT_EQ(cell(table, 0, "limited by"), "shared memory");
  EXPECT_EQ(cell(table, 3, "occupancy"), "");
  EXPECT_EQ(cell(table, 3, "limited by"), "");
}

TEST(Explanation, KernelsOfOperationsShowWhatTheyAreFor) {
  auto result = traced_result();
  EXPECT_FALSE(contains(shown(result), "  operation  ")) << "nothing is known of them";
  for (auto& measurement : result.measurements) {
    if (measurement.profile.kernels.size() != 7) continue;
    auto& kernel = measurement.profile.kernels[0];  // 50 launches, 200 us each
    kernel.operation = {"conv2d", "fprop", "1x2x3x4 * 2x2x3x3", "tf32", 2e8, 1e6};
    kernel.instructions = InstructionMix{.source = "SASS", .tensor = 8};
  }
  const auto table = kernels_of(result);
  EXPECT_EQ(cell(table, 0, "operation"), "conv2d fprop");
  EXPECT_EQ(cell(table, 0, "shapes"), "1x2x3x4 * 2x2x3x3");
  EXPECT_EQ(cell(table, 0, "type"), "tf32");
  EXPECT_EQ(cell(table, 0, "FLOP/s"), "1.00 TFLOP/s");
  EXPECT_EQ(cell(table, 0, "B/s"), "5.00 GB/s");
  EXPECT_EQ(cell(table, 0, "tensor cores"), "yes");
  EXPECT_EQ(cell(table, 1, "operation"), "");
  EXPECT_TRUE(contains(shown(result), "operation"));
}

TEST(Explanation, SaysOnceWhatIsMissing) {
  EXPECT_TRUE(
      contains(shown(sample_result()), "not traced, so nothing can be explained (interrupted)\n"));
  auto result = traced_result();
  result.interrupted = false;
  EXPECT_TRUE(contains(shown(result),
                       "\nnot traced: 6 cases\nno ceilings of this device were found (to measure "
                       "them: bench ceilings)\n"));
  result.ceilings = Ceilings{};
  result.interrupted = true;
  EXPECT_TRUE(contains(shown(result), "\nnot traced: 6 cases (interrupted)\n\n"));
}

TEST(Explanation, SaysThatTracesWereNotKept) {
  auto result = traced_result();
  for (auto& measurement : result.measurements) measurement.profile = {};
  const auto text = shown(result);
  EXPECT_TRUE(contains(text, "\ntraced, but without kernels, copies and calls: 1 case\n"));
  EXPECT_FALSE(contains(text, "ceilings"));
}

TEST(Explanation, FindingsOfUntracedCasesAreNotDenied) {
  auto result = sample_result();
  result.findings.resize(result.plan.cases.size());
  result.findings[0] = {{"memory-bound", Severity::note, "", "", "", 0}};
  EXPECT_TRUE(contains(shown(result),
                       "not traced: the explanation uses only the times and the stated work\n"));
}

TEST(Explanation, AtAGlanceACaseThatHasItAsANoteCountsToo) {
  auto result = sample_result();
  result.findings.resize(result.plan.cases.size());
  std::size_t measured = 0;
  auto summaries = summarize(result);
  for (const auto& summary : summaries) {
    if (summary.status != CaseStatus::measured) continue;
    const auto severity = measured++ == 0 ? Severity::warning : Severity::note;
    result.findings[summary.info->index] = {{"unused-tensor-cores", severity, "", "", "", 0},
                                            {"memory-bound", Severity::note, "", "", "", 0}};
  }
  ASSERT_GT(measured, 1u);
  summaries = summarize(result);
  Document document;
  document.add(at_a_glance(result, summaries));
  std::ostringstream out;
  render_terminal(out, document, {false, 250});
  const auto all = std::to_string(measured);
  EXPECT_TRUE(
      contains(out.str(), "Found: unused-tensor-cores in " + all + " of " + all + " cases."))
      << out.str();
}

TEST(Explanation, AtAGlanceExplainIsAdvisedWhereItCanBeFollowed) {
  const auto advised = [](const Result& result) {
    Document document;
    document.add(at_a_glance(result, summarize(result)));
    std::ostringstream out;
    render_terminal(out, document, {false, 250});
    return contains(out.str(), "--explain");
  };
  auto result = sample_result();
  EXPECT_TRUE(advised(result));
  auto foreign = result;
  foreign.environment.producer = "hyperfine";
  EXPECT_FALSE(advised(foreign)) << "bench did not make it";
  auto host = result;
  host.environment.device.backend = BackendKind::host;
  EXPECT_FALSE(advised(host)) << "there is no GPU to trace";
  auto many = result;
  for (auto& experiment : many.plan.experiments) {
    experiment.command = CommandSpec{.reads = Reads::nccl_tests};
  }
  EXPECT_FALSE(advised(many)) << "a process with several cases is not traced";
}

TEST(Explanation, OfACaseWithoutFindingsItSaysWhatWasJudged) {
  auto result = traced_result();
  EXPECT_TRUE(contains(shown(result), "No cause of lost time was found."));
  for (auto& c : result.plan.cases) c.backend = BackendKind::host;
  EXPECT_TRUE(contains(shown(result), "most findings need a GPU"));
}

TEST(Explanation, TheTracedRunIsTakenApart) {
  auto result = traced_result();
  for (auto& measurement : result.measurements) {
    if (measurement.profile.empty()) continue;
    measurement.profile.parts_s = {{"kernels", 3e-3}, {"copies alone", 1e-3}, {"no such", 9.0}};
  }
  EXPECT_TRUE(
      contains(shown(result), "the traced run of 4 ms: kernels 3 (75 %), copies alone 1 (25 %)"));
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
  EXPECT_FALSE(contains(shown(result), "nan"));
  EXPECT_FALSE(contains(shown(result), "inf"));
}

TEST(Findings, AreAListForPeopleAndATableForPrograms) {
  const std::vector<Finding> findings{
      {"small-grid", Severity::warning, "void sum<float>", "2 blocks", "launch more", 0.12},
      {"memory-bound", Severity::note, "", "", "", 0}};
  const auto list = findings_list(findings);
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_EQ(list.items[0].text.spans[1].text, "small-grid");
  EXPECT_EQ(list.items[0].text.spans[2].text, ": void sum<float> (up to 12.0 % of the time)");
  EXPECT_EQ(list.items[0].more.size(), 2u);
  EXPECT_TRUE(list.items[1].more.empty());
  std::ostringstream out;
  render_csv(out, findings_table(findings));
  EXPECT_EQ(out.str(),
            "id,severity,subject,evidence,advice,gain\n"
            "small-grid,warning,void sum<float>,2 blocks,launch more,0.12\n"
            "memory-bound,note,,,,0\n");
}

}  // namespace
}  // namespace apod::show
