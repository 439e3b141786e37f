#pragma once

/// \file
/// What a device was measured to reach, which is less than its data sheet says.

#include <string>
#include <vector>

namespace apod {

/// 0 means: not measured.
struct Ceilings {
  // What they were measured on; they hold for nothing else.
  std::string gpu;
  std::string driver;
  std::string cuda;
  double power_limit_w = 0;
  std::string date;    ///< ISO 8601
  std::string commit;  ///< of the program
  std::string file{};  ///< where a run found them; empty where that is not known

  double read_bytes_per_s = 0;   ///< device memory, cold
  double copy_bytes_per_s = 0;   ///< device memory, read and written bytes together
  double fp32_flops = 0;         ///< FLOP/s, a fused multiply-add counting as two
  double fp64_flops = 0;         ///< likewise
  double tensor_fp16_flops = 0;  ///< fp16 with fp32 accumulators
  double tensor_tf32_flops = 0;
  double h2d_pageable_bytes_per_s = 0;
  double h2d_pinned_bytes_per_s = 0;
  double d2h_pageable_bytes_per_s = 0;
  double d2h_pinned_bytes_per_s = 0;
  double launch_s = 0;  ///< from one launch of an empty kernel to the next, back to back

  bool operator==(const Ceilings&) const = default;
};

/// A ceiling and how a person calls it.
struct NamedCeiling {
  const char* name;
  double value;
  const char* unit;  ///< of one, per second; empty for a time
};
std::vector<NamedCeiling> named_ceilings(const Ceilings& ceilings);

/// The names of those that were measured in `these` and were not in `others`.
std::vector<std::string> measured_only_in(const Ceilings& these, const Ceilings& others);

}  // namespace apod
