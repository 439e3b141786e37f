#pragma once

/// \file
/// What a device did, by hand. Times are in nanoseconds.

#include <cstdint>

#include "benchmarks/look/trace/timeline.hpp"

namespace apod::trace {

constexpr double ns = 1e-9;      // seconds
constexpr double slack = 1e-18;  // seconds: what rounding may take

inline Activity kernel(std::int64_t start, std::int64_t end, std::uint32_t stream = 1,
                       std::uint32_t correlation = 0) {
  Activity activity;
  activity.start_ns = start;
  activity.end_ns = end;
  activity.stream = stream;
  activity.correlation = correlation;
  return activity;
}

inline Activity copy(std::int64_t start, std::int64_t end, std::uint32_t stream, MemoryKind source,
                     MemoryKind target, std::uint64_t bytes = 100) {
  Activity activity = kernel(start, end, stream);
  activity.kind = Activity::Kind::copy;
  activity.source = source;
  activity.target = target;
  activity.bytes = bytes;
  return activity;
}

}  // namespace apod::trace
