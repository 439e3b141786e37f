#include "benchmarks/run/sampler.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "benchmarks/run/executor.hpp"
#include "benchmarks/stats/series.hpp"

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr std::size_t pilot_samples = 20;
constexpr std::size_t pilot_samples_most = 200;
constexpr double pilot_seconds = 0.02;  // short kernels get more pilot samples

// A pilot of milliseconds can't see the slow drifts that the timed samples will. They widen the
// interval through the autocorrelation time; twice the samples keep it within what was asked for.
constexpr double drift_allowance = 2;

// Reading the clock takes tens of microseconds, so it is read between samples, this often.
constexpr double clock_interval_s = 0.02;

/// Reads the clock now and then, and marks the samples between two readings of which one says that
/// the device was throttled.
class ClockWatch {
 public:
  ClockWatch(const std::function<ClockReading()>& read, Measurement& measurement)
      : read_(read), measurement_(measurement) {
    look();
  }
  void after_sample() {
    if (available_ && seconds_since(last_) > clock_interval_s) look();
  }
  void finish() {
    if (available_) look();
    auto& clock = measurement_.clock;
    if (clock.readings > 0) clock.mean_mhz = sum_mhz_ / static_cast<double>(clock.readings);
    const auto& marks = measurement_.throttled;
    if (std::none_of(marks.begin(), marks.end(), [](auto mark) { return mark != 0; })) {
      measurement_.throttled.clear();
    }
  }

 private:
  void look() {
    const auto reading = read_();
    last_ = Clock::now();
    available_ = reading.valid;
    if (!available_) return;
    auto& clock = measurement_.clock;
    clock.min_mhz = clock.readings == 0 ? reading.sm_mhz : std::min(clock.min_mhz, reading.sm_mhz);
    clock.max_mhz = std::max(clock.max_mhz, reading.sm_mhz);
    sum_mhz_ += reading.sm_mhz;
    ++clock.readings;
    auto& reasons = clock.reasons;
    if (!reading.reason.empty() &&
        std::find(reasons.begin(), reasons.end(), reading.reason) == reasons.end()) {
      reasons.push_back(reading.reason);
    }
    auto& marks = measurement_.throttled;
    marks.resize(measurement_.samples_s.size(), was_throttled_ || reading.throttled ? 1 : 0);
    was_throttled_ = reading.throttled;
  }

  const std::function<ClockReading()>& read_;
  Measurement& measurement_;
  Clock::time_point last_{};
  double sum_mhz_ = 0;
  bool available_ = false;
  bool was_throttled_ = false;
};

Sample take(const SamplerHooks& hooks) {
  if (hooks.cancelled()) throw Cancelled{};
  return hooks.take();
}

void timed_samples(const std::string& name, std::size_t count, const SamplerHooks& hooks,
                   trace::PhaseTimers& timers, Measurement& measurement) {
  hooks.stage("sample");
  measurement.samples_s.reserve(count);
  ClockWatch watch(hooks.clock, measurement);
  std::uint64_t index = 0;
  execute(name, count, [&] {
    Sample sample;
    {
      trace::Phase phase(timers, "sample", trace::Color::sample, index++);
      sample = take(hooks);
    }
    measurement.samples_s.push_back(sample.seconds);
    if (sample.device_seconds >= 0) measurement.device_samples_s.push_back(sample.device_seconds);
    watch.after_sample();
    return sample.seconds;
  });
  watch.finish();
}

}  // namespace

SampleCount choose_samples(std::span<const double> pilot, double wall_seconds_per_sample,
                           const MeasureSpec& spec) {
  const auto wanted = std::ceil(
      drift_allowance * static_cast<double>(stats::samples_for_precision(pilot, spec.precision)));
  const auto least = std::max(wanted, static_cast<double>(spec.min_samples));
  double count = std::min(least, static_cast<double>(spec.max_samples));
  if (wall_seconds_per_sample > 0) {
    count = std::min(count, std::floor(spec.max_time_s / wall_seconds_per_sample));
  }
  count = std::max(count, 2.0);
  return {static_cast<std::size_t>(count), count >= wanted};
}

void sample_case(const std::string& name, const MeasureSpec& spec, double extra_warmup_s,
                 const SamplerHooks& hooks, trace::PhaseTimers& timers, Measurement& measurement) {
  hooks.stage("warm-up");
  {
    trace::Phase phase(timers, "warm-up", trace::Color::warmup);
    const auto start = Clock::now();
    int runs = 0;
    // One warm-up run of a case that takes longer than its warm-up time is enough.
    while (runs < 1 || seconds_since(start) < spec.warmup_s + extra_warmup_s) {
      take(hooks);
      ++runs;
    }
  }
  hooks.stage("pilot");
  std::vector<double> pilot;
  double wall_per_sample = 0;
  {
    trace::Phase phase(timers, "pilot", trace::Color::warmup);
    const auto start = Clock::now();
    // The pilot counts towards the time of the case; two samples are the least that say anything.
    while (pilot.size() < 2 ||
           (pilot.size() < pilot_samples && seconds_since(start) < spec.max_time_s / 4) ||
           (pilot.size() < pilot_samples_most && seconds_since(start) < pilot_seconds)) {
      pilot.push_back(take(hooks).seconds);
    }
    wall_per_sample = seconds_since(start) / static_cast<double>(pilot.size());
  }
  const auto chosen = choose_samples(pilot, wall_per_sample, spec);
  measurement.pilot_samples = pilot.size();
  measurement.precision_reachable = chosen.precision_reachable;
  timed_samples(name, chosen.samples, hooks, timers, measurement);
}

void sample_fixed(const std::string& name, int runs, const SamplerHooks& hooks,
                  trace::PhaseTimers& timers, Measurement& measurement) {
  timed_samples(name, static_cast<std::size_t>(runs), hooks, timers, measurement);
}

}  // namespace apod::run
