#pragma once

/// \file
/// A result file of ours, with nothing found in it yet.

#include <string>

#include "benchmarks/files/read_result.hpp"

namespace apod::look {

/// `file` is relative to the sources. Throws std::exception where it is no result.
inline Result read_result(const std::string& file) {
  auto result = files::read_result(APOD_SOURCE_DIR "/" + file);
  result.findings.clear();
  return result;
}

}  // namespace apod::look
