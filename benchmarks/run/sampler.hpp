#pragma once

/// \file
/// Warm-up, whose last runs are the pilot, then timed samples. Their number is fixed before the
/// first of them, so that the decision to stop can't bias the result.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/measurement.hpp"
#include "benchmarks/look/trace/ranges.hpp"
#include "kernels/api/backend.hpp"

namespace apod::run {

/// One timed execution. In end-to-end scope `seconds` is host time and `device_seconds` the
/// device's own time; otherwise `device_seconds` is negative.
struct Sample {
  double seconds = 0;
  double device_seconds = -1;
  double mhz = 0;                       ///< the SM clock meanwhile; 0: not known
  std::optional<std::uint8_t> phase{};  ///< of its launch; see base/launch_phase.hpp
};

/// Thrown between two samples when the run was cancelled.
struct Cancelled {};

/// Since some moment, s.
double steady_seconds();

/// What the sampler calls.
struct SamplerHooks {
  std::function<Sample()> take;                   ///< one sample
  std::function<ClockReading()> clock;            ///< the device's clock now
  std::function<void(const std::string&)> stage;  ///< "warm-up", "sample"
  std::function<bool()> cancelled;                ///< asked before every sample
  bool has_clock = false;                         ///< the device boosts, and slows down by itself
  double highest_mhz = 0;                         ///< its highest SM clock; 0: not known
  std::function<double()> now = steady_seconds;   ///< s
};

/// The number of timed samples.
struct SampleCount {
  std::size_t samples = 0;
  bool precision_reachable = true;  ///< false: time or max_samples allow fewer than needed
};

/// The number for `spec.precision`, from a pilot (seconds, in order, without the differences
/// between launch phases): from min_samples to max_samples, and as many as fit into max_time if
/// each takes `wall_seconds_per_sample`; at least 2. From 2 `multiple` on a multiple of it.
SampleCount choose_samples(std::span<const double> pilot, double wall_seconds_per_sample,
                           const MeasureSpec& spec, std::size_t multiple = 1);

/// Fills `measurement` with the samples of one case, at the clocks that `spec` asks for.
/// `wake_up_s` is for a device that may have idled: so much longer it is warmed, unless its clock
/// is as high as it gets. Throws Cancelled, and whatever `take` throws.
void sample_case(const std::string& name, const MeasureSpec& spec, double wake_up_s,
                 const SamplerHooks& hooks, trace::PhaseTimers& timers, Measurement& measurement);

/// Exactly `runs` samples with neither warm-up nor pilot, for --profile.
void sample_fixed(const std::string& name, int runs, const SamplerHooks& hooks,
                  trace::PhaseTimers& timers, Measurement& measurement);

}  // namespace apod::run
