#pragma once

/// \file
/// How many samples, and under which clock: warm-up, pilot, then a number of timed samples that is
/// fixed before the first of them, so that stopping can't bias the result.

#include <functional>
#include <span>
#include <string>

#include "benchmarks/model/experiment.hpp"
#include "benchmarks/model/measurement.hpp"
#include "benchmarks/trace/ranges.hpp"
#include "kernels/api/backend.hpp"

namespace apod::run {

/// One timed execution. `device_seconds` is the device's own time where `seconds` is the host's
/// (end_to_end), and negative otherwise.
struct Sample {
  double seconds = 0;
  double device_seconds = -1;
};

/// Thrown between two samples when the run was cancelled.
struct Cancelled {};

/// What the sampler needs of its surroundings.
struct SamplerHooks {
  std::function<Sample()> take;                   ///< one sample
  std::function<ClockReading()> clock;            ///< the device's clock now
  std::function<void(const std::string&)> stage;  ///< "warm-up", "pilot", "sample"
  std::function<bool()> cancelled;                ///< asked before every sample
};

/// Samples a timed loop would need, and why it may be fewer than wanted.
struct SampleCount {
  std::size_t samples = 0;
  bool precision_reachable = true;
};

/// From a pilot (seconds, in order) and what one sample costs on the wall: the number for
/// `spec.precision`, at least min_samples, at most max_samples, and no more than fit max_time (but
/// never fewer than 2).
SampleCount choose_samples(std::span<const double> pilot, double wall_seconds_per_sample,
                           const MeasureSpec& spec);

/// Runs warm-up, pilot and timed samples of one case into `measurement`. `extra_warmup_s` is added
/// for the first case of a process, whose device may still be asleep. Throws Cancelled, and
/// whatever `take` throws.
void sample_case(const std::string& name, const MeasureSpec& spec, double extra_warmup_s,
                 const SamplerHooks& hooks, trace::PhaseTimers& timers, Measurement& measurement);

/// Exactly `runs` samples with neither warm-up nor pilot, for --profile.
void sample_fixed(const std::string& name, int runs, const SamplerHooks& hooks,
                  trace::PhaseTimers& timers, Measurement& measurement);

}  // namespace apod::run
