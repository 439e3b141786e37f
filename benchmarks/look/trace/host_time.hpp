#pragma once

/// \file
/// What the host did while a device had nothing to do. Internal to trace/.

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "benchmarks/base/steps.hpp"
#include "kernels/api/activity.hpp"

namespace apod::trace {

/// Where no thread is in a call for so long, the part is `StepPart::no_call`; a shorter pause is
/// the preparation of the next launch. Ours: with it the recordings of two programs of PyTorch,
/// with and without their shortest calls, have the same parts.
inline constexpr std::int64_t no_call_ns = 250'000;

/// The first launch of a kernel loads its code where it takes so long. Ours: other launches take
/// less than a tenth of it.
inline constexpr std::int64_t loading_launch_ns = 100'000;

/// By its name alone.
StepPart part_of(const ApiCall& call);

/// Whether it starts a kernel or a graph.
bool is_launch(const ApiCall& call);

/// Whether tracing took the time; else the driver did, which loaded or compiled code.
bool is_of_recorder(const Overhead& overhead);

/// The part of each instant for some threads together. Where several are in calls, loading goes
/// first, then allocating, copying, launching, other calls and last waiting, for a thread that
/// waits while another works is no cause. The recorder goes before all.
class HostTime {
 public:
  /// Of `threads`; of all where it is empty. `first_launches`: correlations of the kernels that
  /// were launched for the first time.
  HostTime(const Trace& trace, const std::unordered_set<std::uint32_t>& threads,
           const std::unordered_set<std::uint32_t>& first_launches);

  using Visit = std::function<void(StepPart part, std::int64_t from_ns, std::int64_t to_ns)>;
  /// Calls `visit` for each piece of [from_ns, to_ns).
  void walk(std::int64_t from_ns, std::int64_t to_ns, const Visit& visit) const;

 private:
  struct Segment {
    std::int64_t start_ns;
    StepPart part;
  };
  std::vector<Segment> segments_;  ///< each lasts until the next one starts
};

}  // namespace apod::trace
