// docs/findings.md knows every finding and every threshold with its value.

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "benchmarks/base/finding.hpp"
#include "benchmarks/look/thresholds.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

TEST(FindingsDocumentation, HasASectionForEachFinding) {
  const auto text = content_of(APOD_SOURCE_DIR "/docs/findings.md");
  for (const auto& finding : known_findings()) {
    EXPECT_TRUE(contains(text, "### " + std::string(finding.id) + "\n")) << finding.id;
  }
}

TEST(FindingsDocumentation, HasEachThresholdWithItsValue) {
  const auto text = content_of(APOD_SOURCE_DIR "/docs/findings.md");
  std::set<std::string> names;
  for (const auto& threshold : thresholds) {
    EXPECT_TRUE(names.insert(threshold.name).second) << threshold.name << " stands twice";
    EXPECT_NE(std::string(threshold.source), "") << threshold.name;
    char value[32];
    std::snprintf(value, sizeof value, "%g", threshold.value);
    const auto row = "| `" + std::string(threshold.name) + "` | " + value + " " + threshold.unit;
    EXPECT_TRUE(contains(text, row)) << row;
  }
}

}  // namespace
}  // namespace apod::look
