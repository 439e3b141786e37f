// docs/findings.md knows every finding and every threshold with its value.

#include <gtest/gtest.h>

#include "benchmarks/base/finding.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

TEST(FindingsDocumentation, HasASectionForEachFinding) {
  const auto text = content_of(APOD_SOURCE_DIR "/docs/findings.md");
  for (const auto& finding : known_findings()) {
    EXPECT_TRUE(contains(text, "### " + std::string(finding.id) + "\n")) << finding.id;
  }
}

}  // namespace
}  // namespace apod::look
