#pragma once

/// \file
/// The log of NVIDIA's compute-sanitizer: what its memcheck, racecheck and initcheck found.

#include <cstdint>
#include <string>
#include <string_view>

namespace apod::files {

struct SanitizerLog {
  bool complete = false;     ///< it has the summary at its end
  std::uint64_t errors = 0;  ///< by the summary; warnings are not counted
  /// What it says of the first error, with its place: "Invalid __global__ write of size 4 bytes, at
  /// scale(float *)+0x110 in scale.cu:7, by thread (0,0,0) in block (4,0,0), ...". Empty if there
  /// is none.
  std::string first;
  std::string last;  ///< its last message of its own: why there is no summary
};

/// Never throws: what is not understood is skipped.
SanitizerLog read_sanitizer_log(std::string_view text);

}  // namespace apod::files
