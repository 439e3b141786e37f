#pragma once

/// \file
/// What reports come to as text.

#include <sstream>
#include <string>

#include "benchmarks/show/comparison_report.hpp"
#include "benchmarks/show/report.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {

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

}  // namespace apod::show
