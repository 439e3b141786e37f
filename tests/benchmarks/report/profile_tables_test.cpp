// nvprof's summary and the statistics of NVTX ranges.

#include "benchmarks/report/profile_tables.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "benchmarks/report/findings_text.hpp"

namespace apod::test {
namespace {

using report::format_nvprof_time;
using report::write_findings;
using report::write_findings_csv;
using report::write_ranges;
using report::write_ranges_csv;
using report::write_summary;
using report::write_summary_csv;

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

template <class Write>
std::string text_of(const Write& write) {
  std::ostringstream out;
  write(out);
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
  const auto text = text_of([](auto& out) { write_summary(out, convolution(), {false, 120}); });
  EXPECT_EQ(
      text,
      "  Type             Time(%)      Time  Calls       Avg       Min       Max  Name\n"
      "  ───────────────  ───────  ────────  ─────  ────────  ────────  ────────  "
      "────────────────────────\n"
      "  GPU activities:   93.56%  420.61us      1  420.61us  420.61us  420.61us  convolve\n"
      "                     6.22%  27.969us      3  9.3230us     704ns  13.697us  [CUDA memcpy "
      "HtoD]\n"
      "                     0.22%  1.0000us      1  1.0000us  1.0000us  1.0000us  [CUDA memset]\n"
      "  API calls:        99.56%  117.78ms      1  117.78ms  117.78ms  117.78ms  "
      "cuDevicePrimaryCtxRetain\n"
      "                     0.44%  515.48us      1  515.48us  515.48us  515.48us  cuLinkCreate\n"
      "  ───────────────  ───────  ────────  ─────  ────────  ────────  ────────  "
      "────────────────────────\n");
}

TEST(ProfileTables, OneKernelWithSeveralGridsIsOneRow) {
  Profile profile;
  for (const std::uint32_t blocks : {1u, 2u}) {
    profile.kernels.push_back({.name = "k", .grid = {blocks, 1, 1}});
    profile.kernels.back().time = tally(2, blocks * 2e-6, blocks * 1e-6, blocks * 1e-6);
  }
  const auto text = text_of([&](auto& out) { write_summary_csv(out, profile); });
  EXPECT_EQ(text,
            "Type,Time(%),Time(ns),Calls,Avg(ns),Min(ns),Max(ns),Name\n"
            "GPU activities,100,6000,4,1500,1000,2000,k\n");
}

TEST(ProfileTables, CsvKeepsEveryNanosecond) {
  Profile profile;
  profile.calls.push_back({.name = "cudaHostAlloc"});
  profile.calls.back().time = tally(40, 2.399582015, 3892e-9, 0.193182111);
  EXPECT_NE(text_of([&](auto& out) {
              write_summary_csv(out, profile);
            }).find("API calls,100,2399582015,40,59989550.4,3892,193182111,cudaHostAlloc"),
            std::string::npos);
}

TEST(ProfileTables, RangesHaveTheirDomainAndMarksAreLeftOut) {
  Profile profile;
  profile.ranges.push_back({"", "a, \"b\"", tally(2, 3e-3, 1e-3, 2e-3)});
  profile.ranges.push_back({"mine", "inner", tally(1, 1e-3, 1e-3, 1e-3)});
  profile.ranges.push_back({"", "mark", tally(5, 0, 0, 0)});
  EXPECT_EQ(text_of([&](auto& out) { write_ranges_csv(out, profile); }),
            "Time(%),Total(ns),Instances,Avg(ns),Min(ns),Max(ns),Range\n"
            "75,3000000,2,1500000,1000000,2000000,\"a, \"\"b\"\"\"\n"
            "25,1000000,1,1000000,1000000,1000000,mine:inner\n");
  const auto text = text_of([&](auto& out) { write_ranges(out, profile, {}); });
  EXPECT_NE(text.find("75.00%  3.0000ms          2  1.5000ms"), std::string::npos) << text;
  EXPECT_EQ(text.find("mark"), std::string::npos);
}

TEST(ProfileTables, AnEmptyProfileSaysSo) {
  EXPECT_EQ(text_of([](auto& out) { write_summary(out, {}, {}); }),
            "  no GPU activities and no API calls were recorded\n");
  EXPECT_EQ(text_of([](auto& out) { write_ranges(out, {}, {}); }), "  no ranges were recorded\n");
  EXPECT_EQ(text_of([](auto& out) { write_summary_csv(out, {}); }),
            "Type,Time(%),Time(ns),Calls,Avg(ns),Min(ns),Max(ns),Name\n");
}

TEST(ProfileTables, OfALongNameTheNameIsKept) {
  Profile profile;
  profile.kernels.push_back({.name = "void ns::reduce<float, " + std::string(80, 'x') +
                                     ">(float const*, " + std::string(80, 'y') + ")"});
  profile.kernels.push_back(
      {.name = "void ns::map<double>(double*, " + std::string(80, 'y') + ")"});
  for (auto& kernel : profile.kernels) kernel.time = tally(1, 1e-6, 1e-6, 1e-6);
  const auto text = text_of([&](auto& out) { write_summary(out, profile, {false, 100}); });
  EXPECT_NE(text.find("  ns::reduce\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  void ns::map<double>\n"), std::string::npos) << text;
}

TEST(ProfileTables, ANarrowTerminalKeepsTheNames) {
  Profile profile;
  profile.calls.push_back({"cudaStreamCreateWithFlags", false, tally(3, 1e-4, 1e-5, 1e-5)});
  const auto text = text_of([&](auto& out) { write_summary(out, profile, {false, 80}); });
  EXPECT_NE(text.find("  cudaStreamCreateWithFlags\n"), std::string::npos) << text;
  const auto narrow = text_of([&](auto& out) { write_summary(out, profile, {false, 70}); });
  EXPECT_NE(narrow.find("  cudaStreamCreateWithFlags\n"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("not shown for want of width: Min"), std::string::npos) << narrow;
}

TEST(ProfileTables, NamesCantWriteToTheTerminal) {
  Profile profile;
  profile.kernels.push_back({.name = "\x1b[31mred\nline"});
  profile.kernels.back().time = tally(1, 1e-6, 1e-6, 1e-6);
  const auto text = text_of([&](auto& out) { write_summary(out, profile, {}); });
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("red line"), std::string::npos);
}

TEST(FindingsText, EachHasItsEvidenceAndItsAdvice) {
  const std::vector<Finding> findings{
      {"pageable-transfer", Severity::warning, "copies", "400 MB at 7.7 GB/s", "pin it", 0.5},
      {"memory-bound", Severity::note, "", "98 % of the ceiling", "", 0}};
  EXPECT_EQ(text_of([&](auto& out) {
              write_findings(out, findings, {false, 80});
            }),
            "  warning pageable-transfer: copies (up to 50.0 % of the time)\n"
            "    400 MB at 7.7 GB/s\n"
            "    pin it\n"
            "  note memory-bound\n"
            "    98 % of the ceiling\n");
  EXPECT_EQ(text_of([&](auto& out) { write_findings_csv(out, findings); }),
            "id,severity,subject,evidence,advice,gain\n"
            "pageable-transfer,warning,copies,400 MB at 7.7 GB/s,pin it,0.5\n"
            "memory-bound,note,,98 % of the ceiling,,0\n");
  EXPECT_EQ(text_of([](auto& out) { write_findings(out, {}, {}); }),
            "  nothing was found that loses time\n");
}

TEST(FindingsText, ALongNameIsCutToTheLine) {
  const auto head_of = [](const std::string& subject) {
    const auto text = text_of([&](auto& out) {
      write_findings(out, {{"small-grid", Severity::warning, subject, "1 block", "", 0.5}},
                     {false, 80});
    });
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(head_of("void ns::sum<float>"),
            "  warning small-grid: void ns::sum<float> (up to 50.0 % of the time)");
  EXPECT_EQ(head_of("void ns::sum<" + std::string(2000, 'x') + ">"),
            "  warning small-grid: ns::sum (up to 50.0 % of the time)");
  const auto plain = head_of("first " + std::string(2000, 'x') + " last");
  EXPECT_EQ(plain.size(), 80u) << plain;
  EXPECT_TRUE(plain.starts_with("  warning small-grid: first xx")) << plain;
  EXPECT_TRUE(plain.ends_with("x last (up to 50.0 % of the time)")) << plain;
}

TEST(FindingsText, ATimelineShowsTheFactsThatThereAre) {
  EXPECT_EQ(report::timeline_line({}), "");
  EXPECT_EQ(report::timeline_line({{"span", 6.76e-3}, {"busy", 0.5}, {"traced_streams", 4}}),
            "span 6.760 ms, busy 50.0 %, streams 4");
  EXPECT_EQ(report::timeline_lines({{"span", 6.76e-3}, {"busy", 0.5}, {"traced_streams", 4}}, 23),
            (std::vector<std::string>{"span 6.760 ms,", "busy 50.0 %, streams 4"}))
      << "broken between facts";
  EXPECT_EQ(report::timeline_line({{"busy", 0.5},
                                   {"idle", 0.5},
                                   {"overlap", 0},
                                   {"copies", 0},
                                   {"copy_time", 0},
                                   {"traced_streams", 1},
                                   {"kernels", 2}}),
            "busy 50.0 %, streams 1, kernels 2")
      << "without what follows from the others";
}

}  // namespace
}  // namespace apod::test
