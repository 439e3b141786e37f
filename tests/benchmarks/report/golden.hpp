#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace apod::report::testing {

/// Holds `actual` against tests/golden/report/`name`, byte by byte. With APOD_UPDATE_GOLDEN=1 in
/// the environment the file is written instead: look at its diff before you commit it.
inline void expect_golden(const std::string& name, const std::string& actual) {
  const auto path = std::filesystem::path(APOD_SOURCE_DIR) / "tests/golden/report" / name;
  const char* update = std::getenv("APOD_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " can't be read";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(expected.str(), actual) << "in " << name;
}

}  // namespace apod::report::testing
