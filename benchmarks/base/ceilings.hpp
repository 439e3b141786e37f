#pragma once

/// \file
/// The rates that a device was measured to reach, which are below those of its data sheet.

#include <string>
#include <vector>

#include "kernels/api/backend.hpp"
#include "kernels/api/types.hpp"

namespace apod {

/// How fast one GPU fetches from the memory of another, by the beginnings of their UUIDs.
struct Link {
  std::string to;
  std::string from;
  double one_way_bytes_per_s = 0;
  double both_ways_bytes_per_s = 0;  ///< the sum of both directions at the same time

  bool operator==(const Link&) const = default;
};

/// 0 means: not measured.
struct Ceilings {
  // The conditions of the measurement. The rates hold only under these.
  std::string gpu;
  std::string driver;
  std::string cuda;
  double power_limit_w = 0;
  std::string date;    ///< ISO 8601
  std::string commit;  ///< of the program
  std::string file{};  ///< where a run found them; empty if unknown

  double read_bytes_per_s = 0;   ///< device memory, cold
  double copy_bytes_per_s = 0;   ///< device memory, read and written bytes together
  double fp32_flops = 0;         ///< FLOP/s, a fused multiply-add counting as two
  double fp64_flops = 0;         ///< likewise
  double tensor_fp16_flops = 0;  ///< fp16 with fp32 accumulators
  double tensor_tf32_flops = 0;
  double tensor_bf16_flops = 0;  ///< bf16 with fp32 accumulators
  double h2d_pageable_bytes_per_s = 0;
  double h2d_pinned_bytes_per_s = 0;
  double d2h_pageable_bytes_per_s = 0;
  double d2h_pinned_bytes_per_s = 0;
  double both_ways_bytes_per_s = 0;  ///< pinned, as much up as down at once, both together
  double launch_s = 0;        ///< from one launch of an empty kernel to the next, back to back
  std::vector<Link> links{};  ///< between the GPUs of a machine

  /// The rate of a type; fp16, bf16 and TF32 in products of matrices.
  double& flops(Number type);
  double flops(Number type) const { return const_cast<Ceilings&>(*this).flops(type); }

  bool operator==(const Ceilings&) const = default;
};

/// One way, of the slowest pair of GPUs; 0 if none was measured.
double slowest_link(const Ceilings& ceilings);

/// A ceiling and how a person calls it.
struct NamedCeiling {
  const char* name;
  double value;
  const char* unit;  ///< of one, per second; empty for a time
};
std::vector<NamedCeiling> named_ceilings(const Ceilings& ceilings);

/// What the device can't be: "device memory, read: 2.6 GB/s is not a rate of a device whose peak is
/// 3350 GB/s". Empty where each rate lies between a hundredth and twice its theoretical peak, which
/// some devices exceed a little by their clock.
std::string contradiction(const Ceilings& ceilings, const DeviceFacts& device);

/// The names of the rates measured in `these` but not in `others`.
std::vector<std::string> measured_only_in(const Ceilings& these, const Ceilings& others);

}  // namespace apod
