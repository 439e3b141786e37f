#include <gtest/gtest.h>

#include <filesystem>

#include "benchmarks/files/record/archive.hpp"
#include "benchmarks/show/comparison_report.hpp"
#include "tests/benchmarks/show/sample_comparison.hpp"
#include "tests/benchmarks/show/texts.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::show {
namespace {

/// Whether all that `before` holds is in `after` as it was. Fields that came later are added.
bool keeps(const record::Json& before, const record::Json& after) {
  if (before.is_array()) {
    if (!after.is_array() || before.size() != after.size()) return false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!keeps(before[i], after[i])) return false;
    }
    return true;
  }
  if (!before.is_object()) return before == after;
  for (const auto& [name, value] : before.items()) {
    if (!after.contains(name) || !keeps(value, after[name])) return false;
  }
  return true;
}

TEST(ReadComparison, EveryKeptComparisonIsWrittenAgainAsItWas) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(APOD_SOURCE_DIR "/tests/data/results/comparisons")) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    const auto again = written(read_comparison(entry.path().string()), Format::json);
    auto before = record::Json::parse(content_of(entry.path()));
    auto after = record::Json::parse(again);
    // What older files say of sessions is no more; blocks need none of it.
    for (const char* gone : {"session_deviations", "session_deviation", "session_source"}) {
      before["options"].erase(gone);
      for (auto& c : before["cases"]) c.erase(gone);
    }
    if (before.contains("common")) before["common"].erase("p");
    // Words that follow from the rest may have been put otherwise then.
    before.erase("verdict"), after.erase("verdict");
    EXPECT_TRUE(keeps(before, after)) << entry.path();
  }
  EXPECT_GT(files, 0U);
}

TEST(ReadComparison, ShowsWhatWasShown) {
  Comparison comparison = sample_comparison();
  // Bytes that are no UTF-8 can't be kept.
  for (auto& c : comparison.cases) c.name = record::Json::parse(record::dump(record::Json(c.name)));
  const TemporaryFolder folder;
  const auto saved_json = written(comparison, Format::json);
  const Comparison saved = read_comparison(folder.write("c.json", saved_json));
  for (const auto format : {Format::json, Format::console, Format::markdown, Format::junit}) {
    EXPECT_EQ(written(saved, format), written(comparison, format)) << to_string(format);
  }
}

TEST(ReadComparison, WhatIsDamagedIsRefusedWithItsPlace) {
  const auto good = written(sample_comparison(), Format::json);
  const TemporaryFolder folder;
  const auto refusal = [&](const char* pointer, const record::Json& value) {
    auto saved_json = record::Json::parse(good);
    saved_json[record::Json::json_pointer(pointer)] = value;
    return error_of([&] { read_comparison(folder.write("c.json", saved_json.dump())); });
  };
  EXPECT_EQ(refusal("/schema", 7), "schema: this bench reads only schema 1");
  EXPECT_EQ(refusal("/cases/1/verdict", "fine"), "cases[1]: verdict: unknown value 'fine'");
  EXPECT_EQ(refusal("/cases/0/base_s", "1"), "cases[0]: base_s: not a number");
  EXPECT_TRUE(contains(refusal("/cases/1/change", -0.5), "does not match its times on both sides"));
  EXPECT_TRUE(
      contains(refusal("/cases/1/new_s", 700e-6), "does not match its times on both sides"));
  EXPECT_TRUE(contains(refusal("/cases/1/change_low", 0.5), "outside its interval"));
  EXPECT_TRUE(contains(refusal("/cases/1/verdict", "improvement"),
                       "does not fit the verdict 'improvement'"));
  const auto half = folder.write("half.json", R"({"kind": "comparison", "schema": 1})");
  EXPECT_THROW(read_comparison(half), std::runtime_error);
  EXPECT_EQ(refusal("/seed", -1), "seed: integer out of range");
}

}  // namespace
}  // namespace apod::show
