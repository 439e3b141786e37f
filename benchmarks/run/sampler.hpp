#pragma once

/// \file
/// Warm-up, whose last runs are the pilot, then timed samples. Their number is fixed before the
/// first of them, so that the decision to stop can't bias the result.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/measurement.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/look/trace/ranges.hpp"
#include "benchmarks/run/launch_turns.hpp"
#include "benchmarks/run/pipeline.hpp"
#include "kernels/api/backend.hpp"

namespace apod::run {

/// One timed execution. In end-to-end scope `seconds` is host time and `device_seconds` the
/// device's own time; otherwise `device_seconds` is negative.
struct Sample {
  double seconds = 0;
  double device_seconds = -1;
  double mhz = 0;                           ///< the SM clock meanwhile; 0: not known
  std::optional<std::uint64_t> launches{};  ///< before it, where their phase matters
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
  std::function<void()> begin = [] {};            ///< the next sample is the first that counts
  std::size_t places = 1;                         ///< in memory: sample i uses place i modulo this
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
/// each takes `wall_seconds_per_sample`; at least 2. A multiple of `multiple`, if that fits, from
/// 2 of them on; from 1 sample on if phases_matter for so short a time.
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

/// How the samples of one case are launched and timed.
class Launcher {
 public:
  /// Records the launch mode in `measurement`, with a note if it is not the one asked for.
  Launcher(Backend& backend, Pipeline& pipeline, const record::WorkItem& item,
           const Variant& variant, Measurement& measurement);

  /// The next sample is the first that counts: with it begin a round of the phases and the places.
  void begin() {
    turns_.begin_round();
    pipeline_.begin_places();
  }
  /// One sample; throws BackendError. One that does not count leaves the phase of its launch to
  /// another.
  Sample take(bool counts = true) { return end_to_end_ ? take_end_to_end() : take_kernel(counts); }
  /// Does work between two samples, and counts its launches.
  void aside(const std::function<void()>& work);

 private:
  bool can_block();
  /// Why the work can't be recorded; empty when it was.
  std::string record_graph();
  Sample take_end_to_end();
  Sample take_kernel(bool counts);
  Backend& backend_;
  Pipeline& pipeline_;
  const MeasureSpec& spec_;
  bool end_to_end_;
  LaunchMode mode_;
  const bool restores_;
  std::unique_ptr<Event> start_, stop_;
  std::unique_ptr<Graph> graph_;
  bool has_phases_ = false;
  bool has_places_ = false;  ///< of memory, which the samples visit in turn
  LaunchTurns turns_;
};

}  // namespace apod::run
