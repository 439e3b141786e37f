#pragma once

/// \file
/// A result file of ours, with nothing found in it yet.

#include <string>

#include "benchmarks/results/read_result.hpp"

namespace apod::inspect {

/// `file` is relative to the sources. Throws std::exception where it is no result.
inline Result read_result(const std::string& file) {
  auto result = results::read_result(APOD_SOURCE_DIR "/" + file);
  result.findings.clear();
  return result;
}

}  // namespace apod::inspect
