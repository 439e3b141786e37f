// docs/findings.md knows every finding and every threshold with its value.

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "benchmarks/inspect/thresholds.hpp"
#include "benchmarks/model/finding.hpp"

namespace apod::inspect {
namespace {

std::string documentation() {
  std::ifstream file(APOD_SOURCE_DIR "/docs/findings.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(FindingsDocumentation, HasASectionForEachFinding) {
  const auto text = documentation();
  for (const auto& finding : known_findings()) {
    EXPECT_NE(text.find("### " + std::string(finding.id) + "\n"), std::string::npos) << finding.id;
  }
}

TEST(FindingsDocumentation, HasEachThresholdWithItsValue) {
  const auto text = documentation();
  std::set<std::string> names;
  for (const auto& threshold : thresholds) {
    EXPECT_TRUE(names.insert(threshold.name).second) << threshold.name << " stands twice";
    EXPECT_NE(std::string(threshold.source), "") << threshold.name;
    char value[32];
    std::snprintf(value, sizeof value, "%g", threshold.value);
    const auto row = "| `" + std::string(threshold.name) + "` | " + value + " " + threshold.unit;
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace apod::inspect
