#include "benchmarks/run/spot_checks.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/units.hpp"

namespace apod::run {
namespace {

constexpr std::size_t least_checks = 5;
/// Times in a row whose median counts. Behind one run that does not they are runs 2 to 4 after a
/// pause, so that where a clock climbs their median is that of run 3.
constexpr int in_a_row = 3;
/// Clocks as far apart as this are the same.
constexpr double same_clock = 0.05;
/// The lowest that excuses a longer time, of the other clock.
constexpr double least_clock = 0.5;

/// Whether work takes longer on some inputs than on others by more than the order of blocks
/// explains; end to end what the host has just written is also uploaded out of its caches. Behind a
/// pause the SM clock is lower for a while: where it is known, the work must take more cycles, too.
/// Not these alone, for what waits for memory takes fewer of them at a lower clock.
bool is_longer(const Sample& some, const Sample& others, Scope scope) {
  const bool known = some.mhz > 0 && others.mhz > 0;
  const double at_their_clock =
      some.seconds * (known ? std::clamp(some.mhz / others.mhz, least_clock, 1.0) : 1);
  return scope == Scope::kernel ? at_their_clock > 1.25 * others.seconds + 2e-6
                                : at_their_clock > 1.5 * others.seconds + 20e-6;
}

/// A disturbance only adds to a time.
Sample shortest(const std::vector<Sample>& samples) {
  return *std::ranges::min_element(samples, {}, &Sample::seconds);
}

/// The shortest sample at the clock of `reference`, or else at the nearest clock. How much of a
/// time a lower clock explains is not known.
Sample shortest_beside(const Sample& reference, const std::vector<Sample>& samples) {
  const auto rank = [&](const Sample& sample) {
    const double apart =
        reference.mhz > 0 ? std::abs(sample.mhz - reference.mhz) / reference.mhz : 0;
    return std::pair(std::floor(apart / same_clock), sample.seconds);
  };
  return *std::min_element(samples.begin(), samples.end(),
                           [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

/// Peaks are those of the data sheet; times this far below what they allow are no noise.
constexpr double floor_margin = 0.9;

std::vector<Sample> samples_of(const Measurement& measurement) {
  const auto& mhz = measurement.clock.sample_mhz;
  std::vector<Sample> samples;
  for (const double seconds : measurement.samples_s) {
    const auto i = samples.size();
    samples.push_back({.seconds = seconds, .mhz = i < mhz.size() ? double(mhz[i]) : 0});
  }
  return samples;
}

double time_of(double amount, double rate) {
  return rate > 0 ? amount / rate : 0;
}

}  // namespace

Sample median_of(const std::vector<Sample>& samples) {
  std::vector<double> seconds, mhz;
  for (const auto& sample : samples) {
    seconds.push_back(sample.seconds);
    if (sample.mhz > 0) mhz.push_back(sample.mhz);
  }
  const bool known = 2 * mhz.size() > samples.size();
  return {.seconds = stats::median(seconds), .mhz = known ? stats::median(mhz) : 0};
}

double least_seconds(const Traffic& traffic, const DeviceFacts& device, CacheMode cache) {
  const auto held = static_cast<double>(device.l2_bytes);
  const double bytes = cache == CacheMode::hot
                           ? traffic.bytes_read + traffic.bytes_written - held
                           : traffic.bytes_read + std::max(0.0, traffic.bytes_written - held);
  return std::max({0.0, time_of(bytes, device.peak_memory_bytes_per_s),
                   time_of(traffic.flops_fp32, device.peak_fp32_flops),
                   time_of(traffic.flops_fp64, device.peak_fp64_flops)});
}

std::string why_not_its_work(std::vector<Sample> firsts, const Sample& again, const Sample& usual,
                             Scope scope) {
  const auto slow = [](const Sample& sample) {
    return "new inputs take " + text::format_time(sample.seconds);
  };
  const auto first = shortest_beside(again, firsts);
  if (is_longer(first, again, scope)) {
    return slow(first) + ", but a second run with the same inputs takes " +
           text::format_time(again.seconds) + ": the kernel keeps results of earlier calls";
  }
  // Those of the samples are what it has seen most often.
  firsts.push_back(again);
  const auto other = shortest_beside(usual, firsts);
  if (!is_longer(other, usual, scope)) return "";
  return slow(other) + ", but the inputs of the samples take " + text::format_time(usual.seconds) +
         ": the kernel recognises the inputs of the samples";
}

SpotChecks::SpotChecks(const PreparedCase& prepared,
                       std::vector<std::shared_ptr<const Problem>> fresh, Taking taking)
    : prepared_(prepared),
      fresh_(std::move(fresh)),
      taking_(std::move(taking)),
      chance_(std::random_device{}()) {
  until_next_ = draw(gap_);
}

void SpotChecks::look_at_output(const Problem& problem, const char* what) {
  auto& pipeline = prepared_.pipeline;
  Verification check;
  taking_.aside([&] { check = problem.look(pipeline.download(), pipeline.chunks(), chance_()); });
  // A changed input explains a wrong answer, and not the other way round.
  look_at_input(problem);
  if (!check.passed) throw std::runtime_error(what + (": " + check.detail));
}

void SpotChecks::look_at_input(const Problem& problem) const {
  bool holds = false;
  taking_.aside([&] { holds = prepared_.pipeline.holds_input(problem); });
  if (holds) return;
  throw std::runtime_error("invalid: the kernel changed a read-only input");
}

void SpotChecks::take_fresh() {
  const auto take = [&] { return taking_.sample(false); };
  // Inputs that the kernel has not seen come first: later, a kernel that keeps many answers knows
  // the other inputs.
  const bool is_new = pairs_ < fresh_.size();
  const auto& problem = *fresh_[is_new ? pairs_ : draw(fresh_.size() - 1)];
  ++pairs_;
  auto& pipeline = prepared_.pipeline;
  // Where samples begin with hot caches, these must not: new inputs are in none.
  const auto take_cold = [&] {
    if (is_hot()) {
      prepared_.backend.end_persistence();
      taking_.aside([&] { prepared_.backend.flush_cache(pipeline.stream(), CacheMode::cold); });
    }
    return take();
  };
  look_at_input(prepared_.problem);
  take();  // the device must not have idled before the sample that counts
  if (is_hot()) {
    // The kernel is in the state of the samples: its inputs have not just been loaded again.
    std::vector<Sample> own;
    for (int i = 0; i < in_a_row; ++i) own.push_back(take_cold());
    usual_.push_back(median_of(own));
  }
  take();  // the next is run 3 after the pause
  taking_.aside([&] { pipeline.load(problem); });
  const auto first = take();
  look_at_output(problem, "invalid: wrong answer for new inputs");
  if (is_new) first_.push_back(first);
  take();  // likewise; and a kernel that knows the time finds no pause before the next
  for (int i = 0; i < in_a_row; ++i) again_.push_back(take_cold());
  taking_.aside([&] { pipeline.load(prepared_.problem); });
  // What is left of it in the output, and in hot caches, is the case's own again.
  take();
}

Sample SpotChecks::take_own() {
  // Nothing was done before this sample that is not done before each.
  const auto sample = taking_.sample(true);
  ++looked_at_;
  look_at_output(prepared_.problem, "invalid: wrong answer after a timed sample");
  return sample;
}

Sample SpotChecks::take() {
  if (!active_ || until_next_-- > 0) return taking_.sample(true);
  gap_ += gap_ / 2;
  until_next_ = draw(2 * gap_);
  if (!fresh_.empty() && draw(1) == 0) take_fresh();
  return take_own();
}

void SpotChecks::finish() {
  auto& measurement = prepared_.measurement;
  while (pairs_ < fresh_.size()) take_fresh();
  while (looked_at_ + pairs_ < least_checks) take_own();
  measurement.facts["spot_checks"] = static_cast<double>(looked_at_ + pairs_);
  if (fresh_.empty() && !prepared_.problem.input().empty()) {
    measurement.notes.push_back(
        "the inputs come from files or formulas, or are too large to make twice, so all runs used "
        "the same inputs");
  }
  const auto& spec = prepared_.item.experiment.measure;
  if (!first_.empty()) {
    // A kernel that is honest for a while behind new inputs is slow in some of its usual times too.
    const auto usual = is_hot() ? shortest(usual_) : median_of(samples_of(measurement));
    const auto why =
        why_not_its_work(first_, median_of(again_), usual, prepared_.item.experiment.scope);
    if (!why.empty()) throw std::runtime_error("invalid: " + why);
  }
  if (prepared_.item.experiment.scope != Scope::kernel) return;
  const double time = stats::median(measurement.samples_s);
  const auto is_too_short = [&](double least) { return time < floor_margin * least; };
  auto stated = measurement.traffic;
  const auto& kernel = prepared_.item.experiment.kernel;
  const auto is_said = [&](const char* what) {
    return !kernel || kernel->spec.captured || kernel->spec.traffic.contains(what);
  };
  if (!is_said("read")) stated.bytes_read = 0;
  if (!is_said("write")) stated.bytes_written = 0;
  if (const double least = least_seconds(stated, prepared_.device, spec.cache);
      is_too_short(least)) {
    throw std::runtime_error("invalid: " + text::format_time(time) + " is less than the " +
                             text::format_time(least) +
                             " that the device needs at its peak rates for this traffic: the "
                             "kernel does not do all its work, or 'traffic' is too large");
  }
  // The user did not state its traffic, so it may touch a part of its arrays.
  if (is_too_short(least_seconds(measurement.traffic, prepared_.device, spec.cache))) {
    measurement.traffic = stated;
    measurement.notes.push_back(
        "the kernel is too fast to read and write all its arrays, so it uses only a part: to get a "
        "rate, state 'traffic'");
  }
}

}  // namespace apod::run
