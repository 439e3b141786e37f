#pragma once

/// \file
/// Where within a step a kernel was launched, and where a device waits for the host. Internal to
/// trace/.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
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

/// Waits of a device for the host, by their place.
class WaitPlaces {
 public:
  void add(const Activity& last, const Activity& next, const std::string& where, double seconds);

  /// The most specific place that has more than half of the waiting time: an operation before it,
  /// one behind it and a place of the host, or some of these. With one operation or none, these
  /// waits must also be longer than the others. Empty if there is none.
  WaitPlace most() const;

 private:
  using Place = std::tuple<std::string, std::string, std::string>;  ///< after, before, where
  const std::string& name_of(const Activity& operation);

  std::unordered_map<std::string_view, std::string> names_;  ///< as they are shown
  std::map<Place, Tally> places_;
};

}  // namespace apod::trace
