#include "benchmarks/files/read_result.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <sstream>

#include "benchmarks/files/record/archive.hpp"
#include "benchmarks/files/write_result.hpp"
#include "benchmarks/show/report.hpp"
#include "tests/benchmarks/show/sample_result.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::files {
namespace {

using record::Json;

std::string json_of(const Result& result) {
  std::ostringstream text;
  write_json(text, result);
  return text.str();
}

/// The place of the first value of `part` that `whole` lacks; empty: it has them all. What old
/// programs wrote as an id alone is a finding now.
std::string lacks(const Json& whole, const Json& part, const std::string& place = "") {
  if (part.is_object()) {
    for (const auto& [key, value] : part.items()) {
      if (!whole.is_object() || !whole.contains(key)) return place + "/" + key;
      if (auto found = lacks(whole[key], value, place + "/" + key); !found.empty()) return found;
    }
    return "";
  }
  if (part.is_array()) {
    if (!whole.is_array() || whole.size() != part.size()) return place;
    for (std::size_t i = 0; i < part.size(); ++i) {
      auto found = lacks(whole[i], part[i], place + "/" + std::to_string(i));
      if (!found.empty()) return found;
    }
    return "";
  }
  const bool id =
      whole.is_object() && part.is_string() && whole.value("id", "") == part.get<std::string>();
  return id || whole == part ? "" : place;
}

/// What the file says, by the meaning that its fields have today.
Json as_of_today(Json file) {
  auto& schema = file["context"]["apod"]["schema"];
  for (auto& experiment : file["apod_experiments"]) {
    auto& cache = experiment["measure"]["cache"];
    if (schema == 1 && cache == "cold") cache = "flushed";
  }
  if (schema == 1) schema = 2;
  // Old programs wrote the samples as iterations, the time as cpu_time, and one thread.
  for (auto& row : file["benchmarks"]) {
    for (const char* field : {"cpu_time", "iterations", "threads"}) row.erase(field);
  }
  return file;
}

TEST(ReadResult, EveryKeptResultIsWrittenAgainAsItWas) {
  const std::filesystem::path root = APOD_SOURCE_DIR;
  const TemporaryFolder folder;
  int count = 0;
  for (const char* kept :
       {"tests/data/inspect", "tests/data/results/apod", "tests/data/results/kept"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / kept)) {
      if (entry.path().extension() != ".json") continue;
      const auto before = Json::parse(content_of(entry.path()));
      // A recording is no result, and a thin file has no samples to write again.
      if (!before.contains("benchmarks")) continue;
      ++count;
      const auto after = json_of(read_result(entry.path().string()));
      // Files of older programs lack fields that are written now; none of theirs is lost.
      EXPECT_EQ(lacks(Json::parse(after), as_of_today(before)), "") << entry;
      EXPECT_EQ(json_of(read_result(folder.write("again.json", after))), after) << entry;
    }
  }
  EXPECT_GE(count, 9);
}

/// A result of which all text is UTF-8: other bytes can't be written.
Result some_result() {
  Result result = show::sample_with_findings();
  const auto mend = [](std::string& text) { text = Json::parse(record::dump(Json(text))); };
  for (Case& c : result.plan.cases) {
    mend(c.id), mend(c.variant), mend(c.skip);
    if (const auto* variant = c.params.find("variant")) {
      auto word = std::get<std::string>(*variant);
      mend(word);
      c.params.set("variant", word);
    }
  }
  mend(result.plan.config_text);
  for (Measurement& m : result.measurements) {
    m.case_id = result.plan.cases[m.case_index].id;
    mend(m.failed);
    for (auto& note : m.notes) mend(note);
  }
  for (auto& note : result.environment.device.notes) mend(note);
  for (auto& outcome : result.expectations) mend(outcome.rule);
  for (auto& finding : result.findings[4]) mend(finding.advice);
  return result;
}

TEST(ReadResult, ShowsWhatTheRunShowed) {
  const Result run = some_result();
  const TemporaryFolder folder;
  const Result saved = read_result(folder.write("r.json", json_of(run)));
  EXPECT_EQ(json_of(saved), json_of(run));
  const show::ConsoleStyle narrow{true, 80};
  const show::Shown everything{{}, true, true};
  for (const auto format : {show::Format::console, show::Format::markdown, show::Format::csv}) {
    const auto shown = [&](const Result& result) {
      std::ostringstream text;
      show::write(text, show::report_of(result, everything), format, narrow);
      return text.str();
    };
    EXPECT_EQ(shown(saved), shown(run)) << static_cast<int>(format);
  }
}

TEST(ReadResult, OfTheContextNoMoreThanItIsRead) {
  const TemporaryFolder folder;
  const auto all = json_of(some_result());
  const auto head = all.substr(0, all.find("\"benchmarks\"") + 20);
  const auto run = read_context(folder.write("r.json", head));
  EXPECT_EQ(run.environment.host_name, some_result().environment.host_name);
  EXPECT_TRUE(run.measurements.empty());
  EXPECT_EQ(error_of([&] { read_context(folder.write("r.json", "{}")); }), "context: missing");
}

TEST(ReadResult, WhatIsDamagedIsRefusedWithItsPlace) {
  const Json good = Json::parse(json_of(some_result()));
  const TemporaryFolder folder;
  const auto refusal = [&](const std::function<void(Json&)>& change) {
    Json document = good;
    change(document);
    return error_of([&] { read_result(folder.write("r.json", document.dump())); });
  };
  EXPECT_EQ(refusal([](Json&) {}), "");
  const struct {
    const char* pointer;
    Json value;
    const char* message;
  } table[] = {
      {"/context/apod/schema", 4, "context: apod: schema: 4, but this bench reads schemas 1 to 3"},
      {"/context/apod/wall_s", "long", "context: apod: wall_s: not a number"},
      {"/context/apod/device/ecc", 1, "context: apod: device: ecc: not a boolean"},
      {"/context/caches/0/size", -1, "context: caches: [0]: size: integer out of range"},
      {"/benchmarks/2/name", "other", "benchmarks[10]: the case is streams/"},
      {"/benchmarks/1/apod/samples_s/3", -1e-6, "benchmarks[1]: samples_s: [3]: "},
      {"/benchmarks/1/apod/samples_s/3", nullptr,
       "benchmarks[1]: samples_s: [3]: null is not a time"},
      {"/benchmarks/1/apod/clock/mean_mhz", 1e9, "benchmarks[1]: clock: "},
      {"/benchmarks/1/real_time", 1.5,
       "benchmarks[1]: real_time: 1.5 is not the median of the samples"},
      {"/benchmarks/1/apod/verification/passed", false, "benchmarks[1]: verification: failed"},
      {"/benchmarks/1/apod/notes", std::vector<std::string>(1001, "x"),
       "benchmarks[1]: notes: 1001 entries, more than 1000"},
      {"/benchmarks/1/apod/process", -1, "benchmarks[1]: process: -1 is not a count"},
      {"/benchmarks/1/apod/launches_per_sample", -1, "benchmarks[1]: launches_per_sample: "},
      {"/apod_failed/0/verification/passed", 3, "apod_failed[0]: verification: passed: "},
      {"/apod_experiments/0/scope", "galaxy", "apod_experiments[0]: scope: unknown value 'galaxy'"},
      {"/apod_cases/1/index", 99, "case 1 ("},
      {"/apod_cases/1/status", "ok", "apod_cases[1]: status: unknown value 'ok'"},
      {"/apod_cases/1/params/size", 1.5, "apod_cases[1]: params: size: not an integer"},
      {"/apod_cases/4/findings/0/severity", "huge", "apod_cases[4]: findings: [0]: severity: "},
      {"/apod_cases/1/params/streams", 5, "apod_cases[1]: streams/"},
      {"/benchmarks/1/apod/facts/phase_period", 2.5,
       "benchmarks[1]: phase_period: 2.5 is not a number of launches from 1 to 1024"},
      {"/benchmarks/1/apod/facts/phase_period", 0, "benchmarks[1]: phase_period: 0 is not"},
      {"/benchmarks/1/apod/facts/phase_period", 1e300, "benchmarks[1]: phase_period: 1e+300 is"},
      {"/benchmarks/1/apod/facts/phase_spread", -0.5, "benchmarks[1]: phase_spread: -0.5 is not"},
      {"/benchmarks/1/apod/facts/phases_visited", 9,
       "benchmarks[1]: phases_visited: 9 is not a number of phases from 1 to 8"},
      {"/apod_untimed/0/facts/overlap", 5.0,
       "apod_untimed[0]: overlap: 5 is not a share between 0 and 1"},
      {"/benchmarks/1/apod/verification/error", 1e9,
       "benchmarks[1]: verification: error: 1e+09 is not within the tolerance, but the case "
       "passed"},
      {"/apod_expectations/0/met", "yes", "apod_expectations[0]: met: not a boolean"},
  };
  for (const auto& [pointer, value, message] : table) {
    const auto reason =
        refusal([&](Json& document) { document[Json::json_pointer(pointer)] = value; });
    EXPECT_TRUE(reason.starts_with(message)) << pointer << ": " << reason;
  }
}

}  // namespace
}  // namespace apod::files
