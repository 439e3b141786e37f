#pragma once

/// \file
/// What reports come to as text.

#include <sstream>
#include <string>

#include "benchmarks/show/report.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {

/// A report on any subject.
template <class Subject>
std::string written(const Subject& subject, Format format, const ConsoleStyle& style = {}) {
  std::ostringstream out;
  write(out, report_of(subject), format, style);
  return out.str();
}

inline std::string formatted(const Result& result, Format format, int width = 120,
                             const Shown& shown = {}) {
  std::ostringstream out;
  write(out, report_of(result, shown), format, {.color = false, .width = width});
  return out.str();
}

}  // namespace apod::show
