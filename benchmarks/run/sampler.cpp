#include "benchmarks/run/sampler.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/launch_phase.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/series.hpp"
#include "benchmarks/run/settle.hpp"
#include "kernels/api/several_streams.hpp"

namespace apod::run {

namespace {

/// Our own reporters read the raw samples. Of Google Benchmark's summary the processor time is
/// kept, which nothing else measures.
class ProcessorTime : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.iterations > 0)
        per_iteration_s = run.cpu_accumulated_time / static_cast<double>(run.iterations);
    }
  }
  double per_iteration_s = 0;
};

/// Calls `iteration`, which returns its own time in seconds, `iterations` times as the Google
/// Benchmark named `name` with manual time. Returns the processor time of this thread an iteration,
/// in seconds. The only place that knows Google Benchmark. An exception ends the loop and comes out
/// of here.
double execute(const std::string& name, std::size_t iterations,
               const std::function<double()>& iteration) {
  std::exception_ptr failure;
  benchmark::RegisterBenchmark(name.c_str(),
                               [&](benchmark::State& state) {
                                 try {
                                   for ([[maybe_unused]] auto _ : state)
                                     state.SetIterationTime(iteration());
                                 } catch (...) {
                                   failure = std::current_exception();
                                   state.SkipWithError("failed");
                                 }
                               })
      ->UseManualTime()
      ->Iterations(static_cast<benchmark::IterationCount>(iterations))
      ->Repetitions(1);  // whatever BENCHMARK_REPETITIONS in the environment says
  ProcessorTime reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, ".");
  benchmark::ClearRegisteredBenchmarks();
  if (failure) std::rethrow_exception(failure);
  return reporter.per_iteration_s;
}

// Of the last runs of the warm-up. Short kernels get more of them.
constexpr std::size_t pilot_samples = fewest_for_period;
constexpr std::size_t pilot_samples_most = 200;
constexpr double pilot_seconds = 0.005;

// A pilot of milliseconds can't see the slow drifts that the timed samples will. They widen the
// interval through the autocorrelation time; twice the samples keep it within what was asked for.
constexpr double drift_allowance = 2;

// Reading the clock takes tens of microseconds, so it is read between samples, this often.
constexpr double clock_interval_s = 0.02;

// A burst is shorter than the time over which power is compared with its limit. The rest after it
// is as long as its timed work: flushes and waits between take little power.
constexpr double burst_s = 0.001;

// A device whose clock is so near its highest is awake.
constexpr double awake_share = 0.99;

/// Reads the clock now and then: it is that of the samples between two readings that have none of
/// their own. They are marked where one of the two says that the device was throttled.
class ClockWatch {
 public:
  ClockWatch(const SamplerHooks& hooks, Measurement& measurement)
      : hooks_(hooks), measurement_(measurement) {
    look();
  }
  void after_sample(double mhz) {
    measurement_.clock.sample_mhz.push_back(static_cast<int>(std::lround(mhz)));
    if (available_ && hooks_.now() - last_ > clock_interval_s) look();
  }
  void finish() {
    if (available_) look();
    sum_up();
    const auto& marks = measurement_.throttled;
    if (std::ranges::none_of(marks, [](auto mark) { return mark != 0; }))
      measurement_.throttled.clear();
  }

 private:
  void look() {
    const auto reading = hooks_.clock();
    last_ = hooks_.now();
    available_ = reading.valid;
    if (!available_) return;
    auto& clock = measurement_.clock;
    ++clock.readings;
    for (; seen_ < clock.sample_mhz.size(); ++seen_) {
      auto& mhz = clock.sample_mhz[seen_];
      if (mhz == 0) mhz = static_cast<int>(std::lround(reading.sm_mhz));
    }
    auto& reasons = clock.reasons;
    if (!reading.reason.empty() && std::ranges::find(reasons, reading.reason) == reasons.end())
      reasons.push_back(reading.reason);
    auto& marks = measurement_.throttled;
    marks.resize(measurement_.samples_s.size(), was_throttled_ || reading.throttled ? 1 : 0);
    was_throttled_ = reading.throttled;
  }

  void sum_up() {
    auto& clock = measurement_.clock;
    std::vector<double> known;
    for (const int mhz : clock.sample_mhz) {
      if (mhz > 0) known.push_back(mhz);
    }
    if (known.empty()) {
      clock.sample_mhz.clear();
      return;
    }
    clock.min_mhz = *std::ranges::min_element(known);
    clock.max_mhz = *std::ranges::max_element(known);
    clock.mean_mhz = stats::mean(known);
  }

  const SamplerHooks& hooks_;
  Measurement& measurement_;
  double last_ = 0;       ///< when it was read, s
  std::size_t seen_ = 0;  ///< samples whose clock is settled
  bool available_ = false;
  bool was_throttled_ = false;
};

/// Takes samples, and lets the device rest between bursts of them where it should.
class Taker {
 public:
  /// Each sample is of so many launches.
  Taker(const SamplerHooks& hooks, bool rests, int launches)
      : hooks_(hooks), rests_(rests), launches_(launches) {}
  Sample take() {
    if (hooks_.cancelled()) throw Cancelled{};
    const auto sample = hooks_.take();
    worked_s_ += sample.seconds * launches_;
    return sample;
  }
  void rest() {
    if (!rests_ || worked_s_ < burst_s) return;
    std::this_thread::sleep_for(std::chrono::duration<double>(worked_s_));
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
  const int launches_;
  double worked_s_ = 0;  ///< since the last rest
};

/// The samples without what places in memory differ by.
std::vector<double> without_places(std::span<const double> samples, std::size_t places) {
  std::vector<std::uint8_t> of_samples;
  for (std::size_t i = 0; places > 1 && i < samples.size(); ++i)
    of_samples.push_back(static_cast<std::uint8_t>(i % places));
  return without_phases(samples, of_samples);
}

void timed_samples(const std::string& name, std::size_t count, const SamplerHooks& hooks,
                   Taker& taker, trace::PhaseTimers& timers, Measurement& measurement) {
  hooks.stage("sample");
  hooks.begin();
  measurement.samples_s.reserve(count);
  ClockWatch watch(hooks, measurement);
  std::uint64_t index = 0;
  std::vector<std::uint64_t> launches;
  measurement.facts["cpu_time"] = execute(name, count, [&] {
    Sample sample;
    {
      trace::Phase phase(timers, "sample", trace::Color::sample, index++);
      sample = taker.take();
    }
    measurement.samples_s.push_back(sample.seconds);
    if (sample.launches) launches.push_back(*sample.launches);
    if (sample.device_seconds >= 0) measurement.device_samples_s.push_back(sample.device_seconds);
    watch.after_sample(sample.mhz);
    taker.rest();
    return sample.seconds;
  });
  watch.finish();
  if (launches.empty() || launches.size() != count) return;
  measurement.launch_phases = phases_of(launches);
  measurement.facts["phases_visited"] = static_cast<double>(phases_visited(measurement));
  if (count < fewest_for_period) return;
  const auto level = without_places(measurement.samples_s, hooks.places);
  const auto effect = phase_effect(used(measurement, level), used(measurement, launches));
  measurement.facts["phase_spread"] = effect ? effect->spread : 0;
  measurement.facts["phase_period"] = effect ? effect->period : 1;
}

struct Pilot {
  std::vector<double> seconds;  ///< without what phases differ by
  bool has_phases = false;
  double wall_s = 0;  ///< that a sample takes, with its flush and rest
};

/// At least as long as asked, `wake_up_s` longer unless the device is awake before, and until there
/// are enough runs behind the first for a pilot. The last of them are the pilot.
Pilot warm_up(const MeasureSpec& spec, double wake_up_s, const SamplerHooks& hooks, Taker& taker,
              trace::PhaseTimers& timers) {
  hooks.stage("warm-up");
  trace::Phase phase(timers, "warm-up", trace::Color::warmup);
  const double start = hooks.now();
  std::vector<double> seconds;
  std::vector<std::uint64_t> launches;
  std::vector<double> ends;  ///< of each run, s
  bool awake = false;
  const auto is_enough = [&] {
    const auto runs = seconds.size() - 1;
    const double took_s = ends.back() - ends.front();
    // They count towards the time of the case; two are the least that say anything.
    return ends.back() >= spec.warmup_s + (awake ? 0 : wake_up_s) && runs >= 2 &&
           (runs >= pilot_samples || took_s >= spec.max_time_s / 4) &&
           (runs >= pilot_samples_most || took_s >= pilot_seconds);
  };
  do {
    const auto run = taker.take_and_rest();
    awake = hooks.highest_mhz > 0 && run.mhz >= awake_share * hooks.highest_mhz;
    seconds.push_back(run.seconds);
    if (run.launches) launches.push_back(*run.launches);
    ends.push_back(hooks.now() - start);
  } while (!is_enough());
  auto first =
      std::max<std::size_t>(1, seconds.size() - std::min(seconds.size(), pilot_samples_most));
  while (seconds.size() - first > pilot_samples && ends.back() - ends[first - 1] > pilot_seconds) {
    ++first;
  }
  Pilot pilot;
  pilot.has_phases = launches.size() == seconds.size();
  const auto last = without_places(std::span(seconds).subspan(first), hooks.places);
  const auto phases = phases_of(launches);
  const bool matter = pilot.has_phases && phases_matter(stats::median(last), spec.precision);
  pilot.seconds = without_phases(
      last, matter ? std::span(phases).subspan(first) : std::span<const std::uint8_t>());
  pilot.wall_s = (ends.back() - ends[first - 1]) / static_cast<double>(pilot.seconds.size());
  return pilot;
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

double steady_seconds() {
  const std::chrono::duration<double> since = std::chrono::steady_clock::now().time_since_epoch();
  return since.count();
}

SampleCount choose_samples(std::span<const double> pilot, double wall_seconds_per_sample,
                           const MeasureSpec& spec, std::size_t multiple) {
  // Medians don't heed how far the farthest lie.
  const auto needed = stats::samples_for_precision(stats::within_fences(pilot), spec.precision);
  const auto wanted = std::ceil(drift_allowance * static_cast<double>(needed));
  const auto least = std::max(wanted, static_cast<double>(spec.min_samples));
  auto most = static_cast<double>(spec.max_samples);
  if (wall_seconds_per_sample > 0)
    most = std::min(most, std::floor(spec.max_time_s / wall_seconds_per_sample));
  double count = std::min(least, most);
  const auto of = static_cast<double>(multiple);
  const bool short_enough = phases_matter(stats::median(pilot), spec.precision);
  if (multiple > 1 && (count >= 2 * of || short_enough)) {
    const double more = of * std::ceil(count / of);
    const double fewer = of * std::floor(count / of);
    if (more <= most) {
      count = more;
    } else if (fewer >= std::max(of, static_cast<double>(spec.min_samples))) {
      count = fewer;
    }
  }
  count = std::max(count, 2.0);
  return {static_cast<std::size_t>(count), count >= wanted};
}

void sample_case(const std::string& name, const MeasureSpec& spec, double wake_up_s,
                 const SamplerHooks& hooks, trace::PhaseTimers& timers, Measurement& measurement) {
  Taker taker(hooks, hooks.has_clock && spec.clocks == ClockMode::burst,
              measurement.launches_per_sample);
  if (spec.clocks == ClockMode::steady) warm_until_steady(hooks, taker, timers, measurement);
  const auto pilot = warm_up(spec, wake_up_s, hooks, taker, timers);
  const auto chosen =
      choose_samples(pilot.seconds, pilot.wall_s, spec, pilot.has_phases ? launch_phases : 1);
  measurement.pilot_samples = pilot.seconds.size();
  measurement.precision_reachable = chosen.precision_reachable;
  if (chosen.samples < static_cast<std::size_t>(spec.min_samples))
    measurement.notes.emplace_back("stopped at max_time before min_samples was reached");
  timed_samples(name, chosen.samples, hooks, taker, timers, measurement);
  if (!measurement.launch_phases.empty() && phases_visited(measurement) < launch_phases &&
      phases_matter(stats::median(measurement.samples_s), spec.precision)) {
    measurement.notes.emplace_back(
        "too few samples to cover all launch phases: the time depends on earlier launches");
  }
}

void sample_fixed(const std::string& name, int runs, const SamplerHooks& hooks,
                  trace::PhaseTimers& timers, Measurement& measurement) {
  Taker taker(hooks, false, measurement.launches_per_sample);
  timed_samples(name, static_cast<std::size_t>(runs), hooks, taker, timers, measurement);
}

using Clock = std::chrono::steady_clock;

namespace {

bool uses_several_streams(const Variant& variant, const Params& params) {
  const auto* several = dynamic_cast<const SeveralStreams*>(&variant);
  return several != nullptr && several->uses_several(params);
}

}  // namespace

Launcher::Launcher(Backend& backend, Pipeline& pipeline, const record::WorkItem& item,
                   const Variant& variant, Measurement& measurement)
    : backend_(backend),
      pipeline_(pipeline),
      spec_(item.experiment.measure),
      end_to_end_(item.experiment.scope == Scope::end_to_end),
      mode_(spec_.launch),
      restores_(variant.needs_restore()),
      start_(backend.create_event()),
      stop_(backend.create_event()),
      turns_(
          {static_cast<std::uint32_t>(item.process), static_cast<std::uint32_t>(item.info.index)}) {
  if (end_to_end_) {
    measurement.launch = "end_to_end";
    return;
  }
  if (mode_ != LaunchMode::stream && variant.waits(item.info.params)) {
    mode_ = LaunchMode::stream;
    measurement.notes.push_back("launch: stream used, because the variant waits for the device");
  }
  if (mode_ == LaunchMode::graph) {
    const auto why_not = record_graph();
    if (why_not.empty()) {
      measurement.launches_per_sample = spec_.graph_launches;
    } else {
      mode_ = LaunchMode::stream;
      measurement.notes.push_back("launch: stream used, because " + why_not);
    }
  }
  // ncu waits for each kernel to end before it launches the next, and the blocking one would never
  // end.
  if (mode_ == LaunchMode::blocked && item.pass == record::Pass::profile)
    mode_ = LaunchMode::stream;
  // With hot caches the place hardly matters. A captured kernel needs its own addresses.
  const auto& kernel = item.experiment.kernel;
  has_places_ = item.pass == record::Pass::measure && mode_ != LaunchMode::graph &&
                spec_.cache != CacheMode::hot && !(kernel && kernel->spec.captured);
  // The first flush makes what it needs: later it would wait for the stream, or find no memory.
  if (mode_ == LaunchMode::blocked || has_places_) {
    backend_.flush_cache(pipeline_.stream(), spec_.cache);
    pipeline_.stream().synchronize();
  }
  if (mode_ == LaunchMode::blocked && !can_block()) {
    mode_ = LaunchMode::stream;
    measurement.notes.push_back(
        "launch: stream was used, because the work can't wait in a blocked stream "
        "(CUDA_LAUNCH_BLOCKING is "
        "set, or there are too many launches for a stream)");
  }
  measurement.launch = std::string(to_string(mode_));
  // Launches of other streams would be counted, but have no effect. Where the launch itself is
  // timed, empty ones before it would hide it. A profiler is to see the work alone.
  has_phases_ = item.pass != record::Pass::profile &&
                !uses_several_streams(variant, item.info.params) &&
                (mode_ == LaunchMode::blocked ||
                 (mode_ == LaunchMode::stream && spec_.cache != CacheMode::hot));
  if (has_places_) pipeline_.add_places();
}

std::string Launcher::record_graph() {
  if (restores_) return "the buffers must be restored between two launches";
  try {
    graph_ = backend_.capture(pipeline_.stream(), [&] {
      for (int i = 0; i < spec_.graph_launches; ++i) pipeline_.enqueue();
    });
    return graph_ ? "" : "the backend has no graphs";
  } catch (const BackendError& error) {
    if (error.code() != BackendError::Code::unsupported) throw;
    return error.what();
  }
}

/// Whether the case's own work can be enqueued behind a held stream. A busy host gets a second try.
bool Launcher::can_block() {
  for (int attempt = 0; attempt < 2; ++attempt) {
    pipeline_.restore();
    if (!backend_.block(pipeline_.stream())) return false;
    pipeline_.enqueue();
    const bool in_time = backend_.unblock();
    pipeline_.stream().synchronize();
    if (in_time) return true;
  }
  return false;
}

Sample Launcher::take_end_to_end() {
  pipeline_.restore();
  if (spec_.cache != CacheMode::hot) backend_.end_persistence();
  backend_.flush_cache(pipeline_.stream(), spec_.cache);
  pipeline_.stream().synchronize();
  const auto begin = Clock::now();
  const double device = pipeline_.transfer_and_compute();
  return {std::chrono::duration<double>(Clock::now() - begin).count(), device};
}

void Launcher::aside(const std::function<void()>& work) {
  if (!has_phases_) return work();
  auto& stream = pipeline_.stream();
  backend_.begin_launches(stream, 0);
  work();
  backend_.end_launches(stream);
  stream.synchronize();
  if (const auto counted = backend_.counted_launches()) turns_.skip(1 + *counted);
}

Sample Launcher::take_kernel(bool counts) {
  auto& stream = pipeline_.stream();
  if (has_places_ && counts) pipeline_.next_place();
  // The blocking kernel ends by itself after a second. If the launch took longer, the sample
  // includes launch time, and is taken again.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (spec_.cache != CacheMode::hot) backend_.end_persistence();
    if (has_phases_) backend_.begin_launches(stream, turns_.empty());
    pipeline_.restore();
    const bool held = mode_ == LaunchMode::blocked && backend_.block(stream);
    backend_.flush_cache(stream, spec_.cache);
    start_->record(stream);
    if (graph_) {
      graph_->launch(stream);
    } else {
      pipeline_.enqueue();
    }
    stop_->record(stream);
    const bool valid = !held || backend_.unblock();
    if (has_phases_) backend_.end_launches(stream);
    stream.synchronize();
    auto counted = has_phases_ ? backend_.counted_launches() : std::nullopt;
    // The kernel that ends the count is one; no counter that works shows as many as that.
    constexpr std::uint64_t most_counted = std::uint64_t{1} << 20;
    if (counted && (*counted == 0 || *counted > most_counted)) counted.reset();
    const auto launches_before =
        counted ? std::optional(turns_.turn(*counted, valid && counts)) : std::nullopt;
    if (valid) {
      const int launches = graph_ ? spec_.graph_launches : 1;
      return {.seconds = backend_.seconds_between(*start_, *stop_) / launches,
              .mhz = held ? backend_.held_clock_mhz() : 0,
              .launches = launches_before};
    }
  }
  throw BackendError(BackendError::Code::other,
                     "the blocking kernel ended before the launch three times in a row: the host "
                     "is too slow for launch: blocked (try launch: stream)");
}

}  // namespace apod::run
