#include "benchmarks/base/estimator.hpp"

#include <bitset>
#include <ranges>

#include "benchmarks/base/launch_phase.hpp"
#include "benchmarks/base/stats/means.hpp"

namespace apod {
namespace {

/// All that were taken; of what belongs to each if the samples themselves were not read.
std::size_t count_samples(const Measurement& measurement) {
  if (measurement.quantiles) return measurement.quantiles->samples;
  return std::max({measurement.samples_s.size(), measurement.throttled.size(),
                   measurement.launch_phases.size()});
}

/// An interval of few values is left out: it is that of t with one degree of freedom at most.
Estimate with_interval(const Estimate& interval, std::size_t processes) {
  if (processes < fewest_processes_for_interval) return {interval.value};
  return interval;
}

bool all_positive(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value > 0; });
}

}  // namespace

Estimate estimate_time(std::span<const double> medians, double tick_s) {
  if (!all_positive(medians)) return {};
  auto time = with_interval(stats::log_mean_interval(medians), medians.size());
  const double least_s = tick_s / std::sqrt(12.0);
  if (time.has_interval()) {
    time.low = std::min(time.low, time.value - least_s);
    time.high = std::max(time.high, time.value + least_s);
  }
  return time;
}

std::size_t processes_for(std::span<const double> medians, double precision, std::size_t most) {
  std::vector<double> logarithms;
  for (const double median : medians) logarithms.push_back(std::log(median));
  const double deviation = stats::standard_deviation(logarithms);
  const auto is_enough = [&](std::size_t n) {
    return stats::t_quantile(0.975, static_cast<double>(n - 1)) * deviation /
               std::sqrt(static_cast<double>(n)) <=
           precision;
  };
  // The width falls with n.
  const auto counts = std::views::iota(std::size_t{2}, std::max(std::size_t{2}, most));
  const auto least = std::ranges::partition_point(counts, std::not_fn(is_enough));
  return 2 + static_cast<std::size_t>(least - counts.begin());
}

std::optional<Estimate> estimate_delta(std::span<const double> medians,
                                       std::span<const double> base_medians, bool paired) {
  if (medians.empty() || base_medians.empty()) return std::nullopt;
  if (!all_positive(medians) || !all_positive(base_medians)) return std::nullopt;
  return with_interval(paired ? stats::paired_change(medians, base_medians)
                              : stats::unpaired_change(medians, base_medians),
                       std::min(medians.size(), base_medians.size()));
}

std::size_t count_throttled(const Measurement& measurement) {
  if (measurement.quantiles) return measurement.quantiles->throttled;
  const auto& marks = measurement.throttled;
  return marks.size() - static_cast<std::size_t>(std::count(marks.begin(), marks.end(), 0));
}

double throttled_share(const Measurement& measurement) {
  const auto samples = count_samples(measurement);
  if (samples == 0) return 0;
  return static_cast<double>(count_throttled(measurement)) / static_cast<double>(samples);
}

SampleQuantiles quantiles_of(const Measurement& measurement) {
  if (measurement.quantiles) return *measurement.quantiles;
  const auto samples = used(measurement, measurement.samples_s);
  const auto phases = used(measurement, measurement.launch_phases);
  const auto level = without_phases(samples, phases);
  SampleQuantiles quantiles{measurement.samples_s.size(), count_throttled(measurement),
                            stats::quantile(level, 0.25), phase_mean(samples, phases),
                            stats::quantile(level, 0.75), stats::quantile(level, 0.99)};
  const auto device = used(measurement, measurement.device_samples_s);
  if (!device.empty()) quantiles.device_median_s = stats::median(device);
  return quantiles;
}

std::size_t phases_visited(const Measurement& measurement) {
  std::bitset<launch_phases> visited;
  for (const auto phase : used(measurement, measurement.launch_phases)) visited.set(phase);
  return visited.count();
}

ProcessSummary summarize_process(const Measurement& measurement) {
  const auto quantiles = quantiles_of(measurement);
  ProcessSummary process;
  process.process = measurement.process;
  process.machine = measurement.machine;
  process.median_s = quantiles.median_s;
  process.throttled = throttled_share(measurement) == 1;
  process.samples = quantiles.samples - (process.throttled ? 0 : quantiles.throttled);
  process.device_median_s = quantiles.device_median_s;
  if (process.samples >= 2 && process.median_s > 0)
    process.sample_spread = (quantiles.p75_s - quantiles.p25_s) / process.median_s;
  return process;
}

void add_derived_facts(const Measurement& measurement, std::map<std::string, double>& facts) {
  const double bytes = measurement.traffic.bytes_read + measurement.traffic.bytes_written;
  if (bytes > 0) facts["bytes"] = bytes;
  if (measurement.clock.mean_mhz > 0) facts["sm_clock"] = measurement.clock.mean_mhz;
  facts["throttled_share"] = throttled_share(measurement);
  const auto visited = phases_visited(measurement);
  if (visited > 0) facts["phases_visited"] = static_cast<double>(visited);
  // Older versions wrote these facts for too few samples. One of the two alone is meaningless.
  const auto is_told = [&](const char* name) {
    const auto fact = facts.find(name);
    return fact != facts.end() && std::isfinite(fact->second);
  };
  if (count_samples(measurement) < fewest_for_period || !is_told("phase_period") ||
      !is_told("phase_spread"))
    std::erase_if(facts, [](const auto& fact) { return fact.first.starts_with("phase_"); });
}

std::map<std::string, double> facts_of(const Measurement& measurement) {
  auto facts = measurement.facts;
  add_derived_facts(measurement, facts);
  return facts;
}

}  // namespace apod
