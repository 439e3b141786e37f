#pragma once

/// \file
/// The workload `slowed`: a kernel of a known duration and a known slowdown, so that it can be
/// measured which changes a comparison finds.

#include <cstdint>

#include "kernels/api/workload.hpp"

namespace apod::faults {

/// The work of a case, in steps of a spin: `length` * (1 + `slowdown` / 1000).
inline std::int64_t spin_steps(const Params& params) {
  const auto length = params.integer("length");
  return length + length * params.integer("slowdown") / 1000;
}

}  // namespace apod::faults
