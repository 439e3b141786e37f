#pragma once

/// \file
/// What reports come to as text.

#include <sstream>
#include <string>

#include "benchmarks/report/comparison_report.hpp"
#include "benchmarks/report/report.hpp"
#include "tests/support/texts.hpp"

namespace apod::report {

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

}  // namespace apod::report
