#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/texts.hpp"

namespace apod::show {

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
  EXPECT_EQ(content_of(path), actual) << "in " << name;
}

}  // namespace apod::show
