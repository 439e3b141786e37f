#pragma once

/// \file
/// Sections of tests/data/stats/fixtures.json, which make_fixtures.py writes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace apod::stats {

using Values = std::vector<double>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline const nlohmann::json& fixtures(const std::string& section) {
  static const nlohmann::json all = [] {
    std::ifstream in(APOD_SOURCE_DIR "/tests/data/stats/fixtures.json");
    return nlohmann::json::parse(in);
  }();
  return all.at(section);
}

/// Equal but for a relative slack, however small the numbers are.
inline testing::AssertionResult close(double actual, double expected, double slack = 1e-9) {
  const double allowed = slack * std::max(std::abs(actual), std::abs(expected));
  if (std::abs(actual - expected) <= allowed) return testing::AssertionSuccess();
  return testing::AssertionFailure() << actual << " is not " << expected;
}

}  // namespace apod::stats
