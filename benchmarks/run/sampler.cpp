#include "benchmarks/run/sampler.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "benchmarks/run/executor.hpp"
#include "benchmarks/run/settle.hpp"
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
constexpr double clock_interval_s = 0.002;

// A burst is shorter than the time over which power is held against its limit.
constexpr double burst_s = 0.001;
constexpr double rest_share = 1;  // of the time that the burst took

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
    note_clock(marks.size(), reading.sm_mhz);
    marks.resize(measurement_.samples_s.size(), was_throttled_ || reading.throttled ? 1 : 0);
    was_throttled_ = reading.throttled;
  }

  /// The samples since the reading before have the clock of this one.
  void note_clock(std::uint64_t first, double mhz) {
    auto& steps = measurement_.clock.steps;
    if (!steps.empty() && steps.back().sample == first) steps.pop_back();
    if (steps.empty() || steps.back().mhz != mhz) steps.push_back({first, mhz});
  }

  const std::function<ClockReading()>& read_;
  Measurement& measurement_;
  Clock::time_point last_{};
  double sum_mhz_ = 0;
  bool available_ = false;
  bool was_throttled_ = false;
};

/// Takes samples, and lets the device rest between bursts of them where it should.
class Taker {
 public:
  Taker(const SamplerHooks& hooks, bool rests) : hooks_(hooks), rests_(rests) {}
  Sample take() {
    if (hooks_.cancelled()) throw Cancelled{};
    const auto start = Clock::now();
    const auto sample = hooks_.take();
    worked_s_ += seconds_since(start);
    return sample;
  }
  void rest() {
    if (!rests_ || worked_s_ < burst_s) return;
    std::this_thread::sleep_for(std::chrono::duration<double>(rest_share * worked_s_));
    worked_s_ = 0;
  }
  Sample take_and_rest() {
    const auto sample = take();
    rest();
    return sample;
  }

 private:
  const SamplerHooks& hooks_;
  const bool rests_;
  double worked_s_ = 0;  ///< since the last rest
};

void timed_samples(const std::string& name, std::size_t count, const SamplerHooks& hooks,
                   Taker& taker, trace::PhaseTimers& timers, Measurement& measurement) {
  hooks.stage("sample");
  measurement.samples_s.reserve(count);
  ClockWatch watch(hooks.clock, measurement);
  std::uint64_t index = 0;
  execute(name, count, [&] {
    Sample sample;
    {
      trace::Phase phase(timers, "sample", trace::Color::sample, index++);
      sample = taker.take();
    }
    measurement.samples_s.push_back(sample.seconds);
    if (sample.device_seconds >= 0) measurement.device_samples_s.push_back(sample.device_seconds);
    watch.after_sample();
    taker.rest();
    return sample.seconds;
  });
  watch.finish();
}

/// Until clock and power are what they will be.
void warm_until_steady(const SamplerHooks& hooks, Taker& taker, trace::PhaseTimers& timers,
                       Measurement& measurement) {
  hooks.stage("settle");
  trace::Phase phase(timers, "settle", trace::Color::warmup);
  const auto end = settle([&] { taker.take(); }, hooks.clock);
  measurement.facts["settling_time"] = end.seconds;
  if (end.settled) return;
  const auto whole = [](double value) { return std::to_string(std::lround(value)); };
  measurement.notes.push_back("clock and power did not settle within " + whole(end.seconds) +
                              " s (" + whole(end.low_mhz) + " to " + whole(end.high_mhz) +
                              " MHz in the last second)");
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
  Taker taker(hooks, hooks.has_clock && spec.clocks == ClockMode::burst);
  hooks.stage("warm-up");
  {
    trace::Phase phase(timers, "warm-up", trace::Color::warmup);
    const auto start = Clock::now();
    int runs = 0;
    // One warm-up run of a case that takes longer than its warm-up time is enough.
    while (runs < 1 || seconds_since(start) < spec.warmup_s + extra_warmup_s) {
      taker.take_and_rest();
      ++runs;
    }
  }
  if (spec.clocks == ClockMode::steady) warm_until_steady(hooks, taker, timers, measurement);
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
      pilot.push_back(taker.take_and_rest().seconds);
    }
    wall_per_sample = seconds_since(start) / static_cast<double>(pilot.size());
  }
  const auto chosen = choose_samples(pilot, wall_per_sample, spec);
  measurement.pilot_samples = pilot.size();
  measurement.precision_reachable = chosen.precision_reachable;
  timed_samples(name, chosen.samples, hooks, taker, timers, measurement);
}

void sample_fixed(const std::string& name, int runs, const SamplerHooks& hooks,
                  trace::PhaseTimers& timers, Measurement& measurement) {
  Taker taker(hooks, false);
  timed_samples(name, static_cast<std::size_t>(runs), hooks, taker, timers, measurement);
}

}  // namespace apod::run
