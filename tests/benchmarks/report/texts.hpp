#pragma once

/// \file
/// What the tests of reports ask of a text.

#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/report/comparison_report.hpp"
#include "benchmarks/report/report.hpp"

namespace apod::report::testing {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The same, for a message that shows both.
inline ::testing::AssertionResult holds(const std::string& text, const std::string& part) {
  if (contains(text, part)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

/// How often the part is in the text.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::string written(const Comparison& comparison, ComparisonFormat format,
                           const ConsoleStyle& style = {}) {
  std::ostringstream out;
  write_comparison(out, comparison, format, style);
  return out.str();
}

inline std::string formatted(const Result& result, Format format, int width = 120,
                             const Shown& shown = {}) {
  std::ostringstream out;
  write(out, result, format, {.color = false, .width = width}, shown);
  return out.str();
}

}  // namespace apod::report::testing
