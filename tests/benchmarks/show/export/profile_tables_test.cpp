// nvprof's summary and the statistics of NVTX ranges.

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "benchmarks/show/export/kernel_table.hpp"
#include "tests/support/texts.hpp"

namespace apod::exports {
namespace {

Tally tally(std::uint64_t count, double total_s, double min_s, double max_s) {
  return {count, total_s, min_s, max_s};
}

/// What nvprof showed of the convolution of its tutorial.
Profile convolution() {
  Profile profile;
  profile.kernels.push_back({.name = "convolve", .grid = {7, 7, 1}, .block = {32, 32, 1}});
  profile.kernels.back().time = tally(1, 420.61e-6, 420.61e-6, 420.61e-6);
  profile.copies.push_back({.name = "HtoD", .source = MemoryKind::pageable});
  profile.copies.back().time = tally(2, 14.272e-6, 704e-9, 13.568e-6);
  profile.copies.push_back({.name = "HtoD", .source = MemoryKind::pinned});
  profile.copies.back().time = tally(1, 13.697e-6, 13.697e-6, 13.697e-6);
  profile.copies.push_back({.name = "memset"});
  profile.copies.back().time = tally(1, 1e-6, 1e-6, 1e-6);
  profile.calls.push_back({.name = "cuLinkCreate", .driver = true});
  profile.calls.back().time = tally(1, 515.48e-6, 515.48e-6, 515.48e-6);
  profile.calls.push_back({.name = "cuDevicePrimaryCtxRetain", .driver = true});
  profile.calls.back().time = tally(1, 117.78e-3, 117.78e-3, 117.78e-3);
  return profile;
}

std::string terminal(show::Table table, int width = 120) {
  show::Document document;
  document.add(std::move(table));
  std::ostringstream out;
  show::render_terminal(out, document, {false, width});
  return out.str();
}

std::string csv(const show::Table& table) {
  std::ostringstream out;
  show::render_csv(out, table);
  return out.str();
}

TEST(ProfileTables, TimesAreWrittenAsNvprofDoes) {
  EXPECT_EQ(format_nvprof_time(420.61e-6), "420.61us");
  EXPECT_EQ(format_nvprof_time(27.969e-6), "27.969us");
  EXPECT_EQ(format_nvprof_time(9.323e-6), "9.3230us");
  EXPECT_EQ(format_nvprof_time(704e-9), "704ns");
  EXPECT_EQ(format_nvprof_time(117.78e-3), "117.78ms");
  EXPECT_EQ(format_nvprof_time(1.5), "1.5000s");
  EXPECT_EQ(format_nvprof_time(123456.7), "123457s");
  EXPECT_EQ(format_nvprof_time(0), "0ns");
  EXPECT_EQ(format_nvprof_time(999.9999e-6), "1.0000ms");
  EXPECT_EQ(format_nvprof_time(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(ProfileTables, TheSummaryGroupsByNameAndSharesAreOfTheGroup) {
  const auto text = terminal(summary_table(convolution()), 120);
  EXPECT_EQ(text,
            "  Type            Time(%)      Time  Calls       Avg    Min       Max  Name\n"
            "  ──────────────  ───────  ────────  ─────  ────────  ─────  ────────  "
            "────────────────────────\n"
            "  GPU activities   93.56%  420.61us      1         -      -         -  convolve\n"
            "  GPU activities    6.22%  27.969us      3  9.3230us  704ns  13.697us  [CUDA memcpy "
            "HtoD]\n"
            "  GPU activities    0.22%  1.0000us      1         -      -         -  [CUDA "
            "memset]\n"
            "  API calls        99.56%  117.78ms      1         -      -         -  "
            "cuDevicePrimaryCtxRetain\n"
            "  API calls         0.44%  515.48us      1         -      -         -  "
            "cuLinkCreate\n"
            "  ──────────────  ───────  ────────  ─────  ────────  ─────  ────────  "
            "────────────────────────\n")
      << "of one call the average says nothing more";
}

TEST(ProfileTables, OneKernelWithSeveralGridsIsOneRow) {
  Profile profile;
  for (const std::uint32_t blocks : {1u, 2u}) {
    profile.kernels.push_back({.name = "k", .grid = {blocks, 1, 1}});
    profile.kernels.back().time = tally(2, blocks * 2e-6, blocks * 1e-6, blocks * 1e-6);
  }
  const auto text = csv(summary_table(profile));
  EXPECT_EQ(text,
            "Type,Time(%),Time(ns),Calls,Avg(ns),Min(ns),Max(ns),Name\n"
            "GPU activities,100,6000,4,1500,1000,2000,k\n");
}

TEST(ProfileTables, CsvKeepsEveryNanosecond) {
  Profile profile;
  profile.calls.push_back({.name = "cudaHostAlloc"});
  profile.calls.back().time = tally(40, 2.399582015, 3892e-9, 0.193182111);
  EXPECT_TRUE(contains(csv(summary_table(profile)),
                       "API calls,100,2399582015,40,59989550.4,3892,193182111,cudaHostAlloc"));
}

TEST(ProfileTables, RangesHaveTheirDomainAndMarksAreLeftOut) {
  Profile profile;
  profile.ranges.push_back({"", "a, \"b\"", tally(2, 3e-3, 1e-3, 2e-3)});
  profile.ranges.push_back({"mine", "inner", tally(1, 1e-3, 1e-3, 1e-3)});
  profile.ranges.push_back({"", "mark", tally(5, 0, 0, 0)});
  EXPECT_EQ(csv(ranges_table(profile)),
            "Time(%),Total(ns),Instances,Avg(ns),Min(ns),Max(ns),Range\n"
            "75,3000000,2,1500000,1000000,2000000,\"a, \"\"b\"\"\"\n"
            "25,1000000,1,1000000,1000000,1000000,mine:inner\n");
  const auto text = terminal(ranges_table(profile));
  EXPECT_TRUE(contains(text, "75.00%  3.0000ms          2  1.5000ms"));
  EXPECT_FALSE(contains(text, "mark"));
}

TEST(ProfileTables, OfAnEmptyProfileHaveNoRows) {
  EXPECT_EQ(csv(summary_table({})), "Type,Time(%),Time(ns),Calls,Avg(ns),Min(ns),Max(ns),Name\n");
  EXPECT_TRUE(ranges_table({}).rows.empty());
}

TEST(ProfileTables, ANarrowTerminalKeepsTheNames) {
  Profile profile;
  profile.calls.push_back({"cudaStreamCreateWithFlags", false, tally(3, 1e-4, 1e-5, 1e-5)});
  const auto text = terminal(summary_table(profile), 80);
  EXPECT_TRUE(contains(text, "  cudaStreamCreateWithFlags\n"));
  const auto narrow = terminal(summary_table(profile), 70);
  EXPECT_TRUE(contains(narrow, "  cudaStreamCreateWithFlags\n"));
  EXPECT_TRUE(contains(narrow, "not shown (no room): Min"));
}

}  // namespace
}  // namespace apod::exports
