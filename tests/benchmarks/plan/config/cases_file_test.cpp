#include <gtest/gtest.h>

#include <filesystem>

#include "benchmarks/plan/expand.hpp"
#include "tests/benchmarks/plan/config/loaded.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::config {
namespace {

class CasesFile : public testing::Test {
 protected:
  LoadOutcome load(const std::string& cases, const std::string& more = "",
                   const LoadOptions& options = {}) const {
    return load_text(
        "schema: 1\nexperiments:\n  - kernel: {file: k.cu, name: k}\n    grid: rows\n    block: "
        "32\n"
        "    args: [{name: y, type: f32, shape: [rows, columns], role: out}]\n" +
            more + "    cases: " + cases + "\n",
        folder_.path("k.yaml"), test::fake_registry(), options);
  }
  /// The values of each axis, an axis a line.
  std::string axes(const std::string& cases, const std::string& more = "") const {
    const auto outcome = load(cases, more);
    std::string text;
    for (const auto& d : outcome.diagnostics) text += d.message + "|" + d.hint + "\n";
    if (!text.empty() || !outcome.config) return text;
    for (const auto& group : outcome.config->experiments.front().groups) {
      for (const auto& axis : group.axes) {
        if (axis.name == "variant") continue;
        text += axis.name;
        for (const auto& value : axis.values) text += " " + to_string(value);
        text += "\n";
      }
    }
    return text + "weight " + outcome.config->experiments.front().weight;
  }
  CasesFile() {
    folder_.write("k.cu", "");
    folder_.write("s.csv", "rows,columns,launches\n8,16,3\n64,1024,5\n");
  }
  TemporaryFolder folder_;
};

TEST_F(CasesFile, EachRowIsACase) {
  EXPECT_EQ(axes("{file: s.csv, weight: launches}"),
            "rows 8 64\ncolumns 16 1024\nlaunches 3 5\nweight launches");
  EXPECT_EQ(axes("{file: s.csv, columns: [columns, rows]}"), "columns 16 1024\nrows 8 64\nweight ");
  folder_.write("s.jsonl", "{\"rows\": 8, \"columns\": 16}\n\n{\"rows\": 64, \"columns\": 1024}\n");
  EXPECT_EQ(axes("s.jsonl"), "rows 8 64\ncolumns 16 1024\nweight ");
  const auto outcome = load("s.jsonl", "    zip: [{TILE: [1, 2], BLOCK: [3, 4]}]\n");
  ASSERT_TRUE(outcome.config);
  EXPECT_EQ(outcome.config->experiments.front().groups.size(), 3U) << "with the variant's";
}

TEST_F(CasesFile, ALinkLeadsNotOutOfTheFolder) {
  const TemporaryFolder other;
  const auto secret = other.write("secret", "machine api password hunter2\n");
  std::filesystem::create_symlink(secret, folder_.path("g.csv"));
  const auto refused = axes("g.csv");
  EXPECT_NE(refused.find("'g.csv' is outside the study's folder|to allow it, add --trust"),
            std::string::npos);
  EXPECT_EQ(refused.find("machine"), std::string::npos) << refused;
  other.write("secret", "rows,columns\n8,16\n");
  EXPECT_TRUE(load("g.csv", "", {.trusted = true}).config) << "annexed data are links";
  std::filesystem::create_symlink("s.csv", folder_.path("own.csv"));
  EXPECT_NE(axes("own.csv").find("rows 8 64"), std::string::npos);
}

TEST_F(CasesFile, WhatIsWrongHasItsPlace) {
  const auto wrong = [&](const std::string& text, const std::string& cases = "s.csv") {
    folder_.write("s.csv", text);
    return axes(cases);
  };
  EXPECT_NE(axes("none.csv").find("none.csv"), std::string::npos);
  EXPECT_NE(axes("s.txt").find("must be a .csv or a .jsonl"), std::string::npos);
  EXPECT_NE(axes("{file: s.csv, weight: launch}")
                .find("s.csv has no column 'launch'|did you mean 'launches'?"),
            std::string::npos)
      << axes("{file: s.csv, weight: launch}");
  EXPECT_NE(wrong("rows,columns\n1,2\n3\n").find("s.csv:3: has 1 values, but there are 2 columns"),
            std::string::npos);
  EXPECT_NE(wrong("rows,columns\n").find("has no row"), std::string::npos);
  EXPECT_NE(wrong("rows,rows\n1,2\n").find("has two columns 'rows'"), std::string::npos);
  EXPECT_NE(wrong("rows,columns\n\"1\n2\",3\n")
                .find("s.csv:2: has a quoted cell without a closing quote"),
            std::string::npos);
  EXPECT_EQ(wrong("\xEF\xBB\xBFrows,columns\n1,2\n"), "rows 1\ncolumns 2\nweight ")
      << "as Excel writes it";
  EXPECT_NE(wrong("rows,columns\n1,x\n").find("x"), std::string::npos);
}

}  // namespace
}  // namespace apod::config
