#pragma once

/// \file
/// Where within a step a kernel was launched. Internal to trace/.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "benchmarks/base/enclosing_ranges.hpp"
#include "benchmarks/base/recording.hpp"
#include "benchmarks/look/trace/device_time.hpp"
#include "benchmarks/look/trace/find_steps.hpp"

namespace apod::trace {

/// An NVTX range of the step, or a pass of PyTorch; empty where neither is known.
class LaunchPlaces {
 public:
  LaunchPlaces(const Trace& trace, const DeviceTime& device, const ThreadNames& threads,
               const Marks& marks);
  std::string of(const ApiCall& call, const Mark& mark) const;
  /// Of what the thread of a launch did at an instant before it. To be asked for in order of time.
  std::string before(const ApiCall& call, std::int64_t at, const Mark& mark, bool is_first);

 private:
  std::string pass_of(const ApiCall& call, const Mark& mark) const;

  const ThreadNames& threads_;
  std::optional<EnclosingRanges> at_waits_;
  std::unordered_map<std::uint32_t, const NvtxRange*> ranges_;
  std::map<std::uint32_t, std::vector<std::int64_t>> backward_;
  std::vector<std::int64_t> layers_;  ///< launches of their kernels outside of backward, in order
};

}  // namespace apod::trace
