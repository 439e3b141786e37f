#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/export/export_side.hpp"
#include "tests/benchmarks/show/golden.hpp"
#include "tests/benchmarks/show/sample_comparison.hpp"
#include "tests/support/texts.hpp"

namespace apod::exports {
namespace {

using nlohmann::json;

SideCase measured(std::string name, std::vector<ProcessTime> times) {
  SideCase c;
  c.name = std::move(name);
  c.times = std::move(times);
  return c;
}

/// Two sessions of one machine; the driver was replaced between them.
Side sample_side() {
  Side side;
  side.label = "monday/";
  side.sessions = {{"monday/1.json",
                    "apod",
                    {{"backend", "cuda"},
                     {"build_type", "release"},
                     {"commit", "1a2b3c4"},
                     {"cpus", "16"},
                     {"date", "2026-03-02T09:00:00+00:00"},
                     {"driver", "570.1"},
                     {"gpu", "NVIDIA H200"},
                     {"host", "lab-7"},
                     {"load_average", "0.25"},
                     {"power_limit_w", "700"}}},
                   {"monday/2.json", "apod", {{"backend", "cuda"}, {"driver", "580.2"}}}};
  side.cases = {measured("streams/4", {{1e-3, 0}, {2e-3, 0}, {4e-3, 1}}),
                measured("streams/8 pinned", {{2.5e-4, 1}})};
  side.cases[0].facts = {{"bytes", 4e6}, {"sm_clock", 1980}};
  SideCase failed;
  failed.name = "streams/16";
  failed.failed = "wrong result\nat 7";
  side.cases.push_back(failed);
  return side;
}

Side hostile_side() {
  Side side;
  side.label = show::hostile_texts()[4];
  side.sessions.push_back({show::hostile_texts()[6], "google", {}});
  for (const auto& text : show::hostile_texts()) {
    side.sessions[0].environment[text] = text;
    side.sessions[0].environment["gpu"] = text;
    side.cases.push_back(measured(text, {{1e-3, 0}, {1.1e-3, 0}}));
    side.cases.push_back(measured(text + " ", {{1e-3, 0}}));
    side.cases.push_back(measured("", {}));
    side.cases.back().failed = text;
  }
  return side;
}

std::string exported(const Side& side, ExportFormat format) {
  std::ostringstream out;
  export_side(out, side, format);
  return out.str();
}

TEST(Export, LooksAsItShould) {
  show::expect_golden("export_google.json", exported(sample_side(), ExportFormat::google));
  show::expect_golden("export_bmf.json", exported(sample_side(), ExportFormat::bmf));
  show::expect_golden("export_smaller_is_better.json",
                      exported(sample_side(), ExportFormat::smaller_is_better));
  show::expect_golden("export_go.txt", exported(sample_side(), ExportFormat::go));
}

TEST(ExportBmf, ARateIsItsThroughput) {
  auto side = sample_side();
  side.is_rate = true;
  const json bmf = json::parse(exported(side, ExportFormat::bmf));
  EXPECT_EQ(bmf.at("streams/8 pinned"), json({{"throughput", {{"value", 4000.0}}}}));
  const auto& interval = bmf.at("streams/4").at("throughput");
  EXPECT_LT(interval.at("lower_value"), interval.at("value"));
  EXPECT_GT(interval.at("upper_value"), interval.at("value"));
}

TEST(Export, CountsTheCasesThatHaveATime) {
  for (const auto format : {ExportFormat::google, ExportFormat::bmf,
                            ExportFormat::smaller_is_better, ExportFormat::go}) {
    std::ostringstream out;
    EXPECT_EQ(export_side(out, sample_side(), format), 2u);
    EXPECT_EQ(export_side(out, {}, format), 0u);
  }
}

TEST(Export, OfNothingIsValid) {
  EXPECT_EQ(json::parse(exported({}, ExportFormat::google)).at("benchmarks"), json::array());
  EXPECT_EQ(json::parse(exported({}, ExportFormat::bmf)), json::object());
  EXPECT_EQ(json::parse(exported({}, ExportFormat::smaller_is_better)), json::array());
  EXPECT_EQ(exported({}, ExportFormat::go), "");
}

TEST(ExportGoogle, InventsNoContext) {
  const json bare = json::parse(exported({}, ExportFormat::google)).at("context");
  for (const char* name : {"date", "host_name", "num_cpus", "library_build_type", "gpu"}) {
    EXPECT_FALSE(bare.contains(name)) << name;
  }
}

TEST(Export, OfHostileNamesIsValidAndKeepsThemApart) {
  const Side side = hostile_side();
  const std::size_t cases = 2 * show::hostile_texts().size();
  const json google = json::parse(exported(side, ExportFormat::google));
  std::set<std::string> names;
  for (const auto& row : google.at("benchmarks")) names.insert(row.at("name"));
  EXPECT_EQ(names.size(), cases);
  const json bmf = json::parse(exported(side, ExportFormat::bmf));
  EXPECT_EQ(bmf.size(), cases);
  for (const auto& [name, measures] : bmf.items()) EXPECT_LE(text::display_width(name), 1024u);
  EXPECT_EQ(json::parse(exported(side, ExportFormat::smaller_is_better)).size(), cases);
}

TEST(Export, NumbersNamesThatBecomeEqual) {
  Side side;
  side.sessions.resize(1);
  for (const char* name : {"a b", "a_b", "A_b", "A_b#01"}) {
    side.cases.push_back(measured(name, {{1e-9, 0}}));
  }
  std::set<std::string> names;
  for (const auto& line : lines_of(exported(side, ExportFormat::go))) {
    if (line.find("Benchmark") == 0) names.insert(line);
  }
  EXPECT_EQ(names, (std::set<std::string>{"BenchmarkA_b-1 1 1 ns/op", "BenchmarkA_b#01-1 1 1 ns/op",
                                          "BenchmarkA_b#02-1 1 1 ns/op",
                                          "BenchmarkA_b#01#01-1 1 1 ns/op"}));
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

/// "key: value" or "key:"; the key begins with a lower-case letter, and has neither a space nor a
/// capital before its colon.
bool is_configuration(const std::string& line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos || !is_lower(line[0])) return false;
  const bool key = std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                               [](char c) { return is_lower(c) || c == '-'; });
  return key && (colon + 1 == line.size() || (line[colon + 1] == ' ' && colon + 2 < line.size()));
}

/// Name, count, then pairs of value and unit. What follows "Benchmark" is no lower-case letter, and
/// the name ends with a number of processors.
bool is_result(const std::string& line) {
  std::istringstream fields(line);
  std::vector<std::string> field;
  for (std::string text; std::getline(fields, text, ' ');) field.push_back(text);
  if (field.size() != 4 || field[0].size() < 12 || is_lower(field[0][9])) return false;
  std::size_t read = 0;
  const double value = std::stod(field[2], &read);
  return field[0].substr(field[0].size() - 2) == "-1" && field[1] == "1" &&
         read == field[2].size() && value > 0 && field[3] == "ns/op";
}

/// The rules by which Go's own reader (golang.org/x/perf/benchfmt) takes a file: UTF-8, lines of
/// less than 64 KiB, each a result (it begins with "Benchmark"), a configuration, or passed over,
/// as is one that begins with "#". No space of Unicode inside a name.
void expect_benchstat_reads(const std::string& text) {
  for (const auto& line : lines_of(text)) {
    EXPECT_LT(line.size(), 64u * 1024);
    EXPECT_EQ(text::printable(line), line) << "neither a control character nor broken UTF-8";
    if (line.empty() || line[0] == '#') continue;
    if (line.find("Benchmark") != 0) {
      EXPECT_TRUE(is_configuration(line)) << line;
      continue;
    }
    EXPECT_TRUE(is_result(line)) << line;
    for (const char* space : {"\u0085", "\u00A0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202F",
                              "\u205F", "\u3000"}) {
      EXPECT_FALSE(contains(line, space));
    }
  }
}

TEST(ExportGo, TakesBackOnlyWhatAnEarlierSessionSaid) {
  auto side = sample_side();
  side.sessions[1].environment.erase("backend");
  const auto lines = lines_of(exported(side, ExportFormat::go));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "backend:"), 1);
  side.sessions[0].environment.erase("backend");
  for (const auto& line : lines_of(exported(side, ExportFormat::go))) {
    EXPECT_FALSE(line == "backend:" || line == "ranks:") << "no session has one";
  }
}

TEST(ExportGo, KeepsToBenchstatsRules) {
  expect_benchstat_reads(exported(sample_side(), ExportFormat::go));
  auto side = sample_side();
  for (const char* name : {"été", "ünïcode\u3000\u00A0x", "1st", "_x", "B", "\u2028"}) {
    side.cases.push_back(measured(name, {{1.25e-10, 0}, {123456.789, 0}}));
  }
  expect_benchstat_reads(exported(side, ExportFormat::go));
  side = hostile_side();
  side.sessions[0].environment["gpu"] = std::string(100'000, 'x');
  side.cases.push_back(measured(std::string(100'000, 'y'), {{1e-3, 0}}));
  expect_benchstat_reads(exported(side, ExportFormat::go));
}

}  // namespace
}  // namespace apod::exports
