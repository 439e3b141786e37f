/// The estimator. One execution's time is told
///  - with three processes or more by the geometric mean of the processes' medians, its interval
///    from the spread between processes (t on their logarithms): a process keeps its own memory
///    layout and clocks, so that its samples agree with each other better than with the next
///    process;
///  - with one or two by the mean of all samples in the order taken, its interval from the samples
///    with their autocorrelation. A step between two processes counts as autocorrelation.
/// Throttled samples are left out. docs/measuring.md says it at length.

#include "benchmarks/model/summary.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "benchmarks/model/axes.hpp"
#include "benchmarks/model/busy_machine.hpp"
#include "benchmarks/stats/summary.hpp"

namespace apod {
namespace {

// Fewer medians than this say next to nothing of the spread between processes.
constexpr std::size_t enough_processes = 3;

bool is_throttled(const Measurement& measurement, std::size_t sample) {
  return sample < measurement.throttled.size() && measurement.throttled[sample] != 0;
}

std::size_t count_throttled(const Measurement& measurement) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < measurement.samples_s.size(); ++i) {
    count += is_throttled(measurement, i) ? 1 : 0;
  }
  return count;
}

std::vector<double> pick(const std::vector<double>& samples, const Measurement& measurement,
                         bool keep_throttled) {
  if (keep_throttled) return samples;
  std::vector<double> kept;
  kept.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!is_throttled(measurement, i)) kept.push_back(samples[i]);
  }
  return kept;
}

using Samples = std::vector<double> Measurement::*;

/// Samples of one kind (host clock or device clock) of all used processes of a case. They stay
/// where they are: a second copy of all samples of a large run would not be small.
class Series {
 public:
  Series() = default;
  Series(Samples kind, bool keep_throttled) : kind_(kind), keep_throttled_(keep_throttled) {}

  /// False when the process has no sample to use.
  bool add(const Measurement& measurement) {
    const auto kept = pick(measurement.*kind_, measurement, keep_throttled_);
    if (kept.empty()) return false;
    used_.push_back(&measurement);
    size_ += kept.size();
    medians_[measurement.process] = stats::median(kept);
    return true;
  }

  std::size_t size() const { return size_; }
  const std::map<int, double>& medians() const { return medians_; }
  bool between_processes() const { return medians_.size() >= enough_processes; }

  /// Of all samples in the order taken, one process after the other. Worked out once, as many cases
  /// may share one baseline.
  const stats::MeanEstimate& series_mean() {
    if (!mean_) {
      std::vector<double> samples;
      samples.reserve(size_);
      for (const auto* measurement : used_) {
        const auto kept = pick(measurement->*kind_, *measurement, keep_throttled_);
        samples.insert(samples.end(), kept.begin(), kept.end());
      }
      mean_ = stats::series_mean(samples);
    }
    return *mean_;
  }

 private:
  Samples kind_ = &Measurement::samples_s;
  bool keep_throttled_ = false;
  std::vector<const Measurement*> used_;
  std::size_t size_ = 0;
  std::map<int, double> medians_;  // by process
  std::optional<stats::MeanEstimate> mean_;
};

/// One case's measurements, and the series that both it and the cases compared with it need.
struct CaseData {
  std::vector<const Measurement*> measured;  ///< those with samples, that did not fail
  std::vector<const Measurement*> failed;
  Series host;
  Series device;
  std::size_t throttled = 0;
};

Estimate to_estimate(const stats::Interval& interval) {
  return {interval.estimate, interval.low, interval.high};
}

void add_note(CaseSummary& summary, const std::string& note) {
  auto& notes = summary.notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

/// Fills the series of a case from its measurements. A process that has nothing but throttled
/// samples is left out while another has better ones.
void gather(CaseData& data, CaseSummary& summary) {
  std::size_t all = 0;
  for (const auto* measurement : data.measured) {
    data.throttled += count_throttled(*measurement);
    all += measurement->samples_s.size();
  }
  const bool keep_throttled = data.throttled == all;
  if (keep_throttled)
    add_note(summary, "all samples were taken while throttled, so they were kept");
  data.host = Series(&Measurement::samples_s, keep_throttled);
  data.device = Series(&Measurement::device_samples_s, keep_throttled);
  for (const auto* measurement : data.measured) {
    data.device.add(*measurement);
    if (data.host.add(*measurement)) continue;
    add_note(summary, "process " + std::to_string(measurement->process) +
                          " left out: all its samples were taken while throttled");
  }
}

std::vector<double> values_of(const std::map<int, double>& by_process) {
  std::vector<double> values;
  for (const auto& entry : by_process) values.push_back(entry.second);
  return values;
}

/// Of a time, which is never negative: where few samples disagree, t reaches below 0.
Estimate estimate_of(Series& series) {
  if (!series.between_processes()) {
    auto estimate = to_estimate(stats::t_interval(series.series_mean()));
    estimate.low = std::max(estimate.low, 0.0);
    return estimate;
  }
  const auto medians = values_of(series.medians());
  // A clock too coarse for the kernel reads 0, which has no logarithm.
  const bool positive = *std::min_element(medians.begin(), medians.end()) > 0;
  return to_estimate(positive ? stats::log_mean_interval(medians) : stats::mean_interval(medians));
}

/// time / baseline time - 1; nothing where a clock read 0.
std::optional<Estimate> change(Series& series, Series& base) {
  std::vector<double> ours;
  std::vector<double> theirs;
  for (const auto& [process, median] : series.medians()) {
    const auto other = base.medians().find(process);
    if (other == base.medians().end()) continue;
    ours.push_back(median);
    theirs.push_back(other->second);
  }
  const auto interval = ours.size() >= enough_processes
                            ? stats::paired_change(ours, theirs)
                            : stats::relative_change(series.series_mean(), base.series_mean());
  if (!std::isfinite(interval.estimate)) return std::nullopt;
  return to_estimate(interval);
}

Verification worst_verification(const std::vector<const Measurement*>& measurements) {
  // A failed one is worse than a passed one, then the larger error counts, NaN being the largest.
  const auto better = [](const Verification& a, const Verification& b) {
    if (a.passed != b.passed) return a.passed;
    if (std::isnan(a.error) || std::isnan(b.error)) return !std::isnan(a.error);
    return a.error < b.error;
  };
  Verification worst = measurements.front()->verification;
  for (const auto* measurement : measurements) {
    if (better(worst, measurement->verification)) worst = measurement->verification;
  }
  return worst;
}

Throughput throughput_of(const CaseSummary& summary, Scope scope, const Traffic& traffic,
                         const DeviceFacts& device) {
  Throughput throughput;
  const double time = summary.time_s.value;
  if (!(time > 0)) return throughput;
  // Peaks are those of one device; a host case of a GPU run has none.
  const bool has_peaks = summary.info->backend == device.backend;
  const auto consider = [&](const char* bound, double rate, double peak) {
    if (!has_peaks || !(peak > 0) || !(rate / peak > throughput.share)) return;
    throughput.share = rate / peak;
    throughput.bound = bound;
  };
  throughput.bytes_per_s = (traffic.bytes_read + traffic.bytes_written) / time;
  throughput.flops_per_s = traffic.flops() / time;
  if (scope == Scope::end_to_end) {
    const auto transferred = summary.facts.find("transfer_bytes");
    if (transferred == summary.facts.end()) return throughput;
    throughput.bytes_per_s = transferred->second / time;
    consider("transfer", throughput.bytes_per_s, device.peak_transfer_bytes_per_s);
    return throughput;
  }
  throughput.above_peak = has_peaks && device.peak_memory_bytes_per_s > 0 &&
                          throughput.bytes_per_s > device.peak_memory_bytes_per_s;
  consider("memory", throughput.bytes_per_s, device.peak_memory_bytes_per_s);
  consider("fp32", traffic.flops_fp32 / time, device.peak_fp32_flops);
  consider("fp64", traffic.flops_fp64 / time, device.peak_fp64_flops);
  return throughput;
}

/// Absent where no ceiling of the case's device is known.
std::optional<Roofline> roofline_of(const CaseSummary& summary, Scope scope, const Traffic& traffic,
                                    const Result& result) {
  const bool has_ceilings =
      result.ceilings && summary.info->backend == result.environment.device.backend;
  if (!has_ceilings) return std::nullopt;
  const auto fact = [&](const char* name) {
    const auto found = summary.facts.find(name);
    return found == summary.facts.end() ? 0 : found->second;
  };
  const bool end_to_end = scope == Scope::end_to_end;
  const auto found =
      roofline({.traffic = traffic,
                .busiest = busiest_unit(summary.facts),
                .time_s = summary.time_s.value,
                .end_to_end = end_to_end,
                .upload_bytes = fact("upload_bytes"),
                .download_bytes = fact("download_bytes"),
                .transfers_in_turn = fact("transfers_in_turn") > 0,
                .launches = end_to_end ? host_launches(summary.info->params, fact("kernels")) : 0},
               *result.ceilings);
  if (found.bound == Bound::unknown) return std::nullopt;
  return found;
}

/// The mean over the processes that have the fact.
std::map<std::string, double> mean_facts(const std::vector<const Measurement*>& measurements) {
  std::map<std::string, std::vector<double>> values;
  for (const auto* measurement : measurements) {
    for (const auto& [name, value] : measurement->facts) values[name].push_back(value);
    if (measurement->clock.readings > 0) values["sm_clock"].push_back(measurement->clock.mean_mhz);
  }
  std::map<std::string, double> facts;
  for (const auto& [name, of_processes] : values) {
    const double mean = stats::mean(of_processes);
    if (std::isfinite(mean)) facts[name] = mean;
  }
  return facts;
}

void add_derived_facts(CaseSummary& summary, Scope scope) {
  const auto set = [&](const char* name, double value) {
    if (std::isfinite(value)) summary.facts[name] = value;
  };
  const Estimate& time = summary.time_s;
  set("time", time.value);
  set("time_low", time.low);
  set("time_high", time.high);
  set("precision", time.half_width() / time.value);
  set("samples", static_cast<double>(summary.samples));
  set("processes", summary.processes);
  set("throttled", static_cast<double>(summary.throttled));
  if (scope == Scope::end_to_end && summary.device_time_s.value > 0) {
    set("device_time", summary.device_time_s.value);
  }
  set("bandwidth", summary.throughput.bytes_per_s);
  set("flops", summary.throughput.flops_per_s);
  if (!summary.throughput.bound.empty()) set("share_of_peak", summary.throughput.share);
  if (summary.roofline && summary.roofline->nearest != Bound::unknown) {
    set("share_of_ceiling", summary.roofline->share);
  }
  if (summary.delta) {
    set("delta", summary.delta->value);
    set("speedup", 1 / (1 + summary.delta->value));
  }
  set("error", summary.verification.error);
}

void describe_failure(const CaseData& data, CaseSummary& summary) {
  const Measurement& first = *data.failed.front();
  summary.status = CaseStatus::failed;
  summary.reason = (first.stage.empty() ? "" : first.stage + ": ") + first.failed;
  summary.verification = worst_verification(data.failed);
  if (!data.measured.empty()) {
    add_note(summary, std::to_string(data.failed.size()) + " of " +
                          std::to_string(data.failed.size() + data.measured.size()) +
                          " processes failed");
  }
}

/// A time that others may have had a part in.
void note_others(const Environment& environment, CaseSummary& summary) {
  const auto fact = [&](const char* name) {
    const auto found = summary.facts.find(name);
    return found == summary.facts.end() ? 0 : found->second;
  };
  if (environment.cpu_count > 0 && fact("other_load") >= busy_share * environment.cpu_count) {
    add_note(summary, "other processes kept a quarter of the processors busy, or more");
  }
  if (fact("other_gpu_processes") >= busy_gpu) {
    add_note(summary, "other processes had contexts on the GPU");
  }
}

void describe_measured(CaseData& data, const ExperimentPlan& experiment, const Result& result,
                       CaseSummary& summary) {
  summary.status = CaseStatus::measured;
  summary.processes = static_cast<int>(data.host.medians().size());
  summary.samples = data.host.size();
  summary.throttled = data.throttled;
  summary.time_s = estimate_of(data.host);
  summary.between_processes = data.host.between_processes();
  if (data.device.size() > 0) summary.device_time_s = estimate_of(data.device);
  summary.verification = worst_verification(data.measured);
  summary.facts = mean_facts(data.measured);
  note_others(result.environment, summary);
  const Traffic& traffic = data.measured.front()->traffic;
  summary.throughput = throughput_of(summary, experiment.scope, traffic, result.environment.device);
  summary.roofline = roofline_of(summary, experiment.scope, traffic, result);
  for (const auto* measurement : data.measured) {
    if (!measurement->precision_reachable) {
      add_note(summary, "stopped before the wanted precision (max_samples or max_time)");
    }
  }
}

void compare_with_baseline(std::vector<CaseData>& data, const std::vector<CaseSummary>& summaries,
                           CaseSummary& summary) {
  const std::size_t index = *summary.info->baseline;
  const CaseSummary& base = summaries.at(index);
  if (base.status != CaseStatus::measured) {
    add_note(summary, "no delta: its baseline was not measured");
    return;
  }
  summary.delta = change(data[summary.info->index].host, data[index].host);
}

}  // namespace

std::vector<CaseSummary> summarize(const Result& result) {
  const Plan& plan = result.plan;
  std::vector<CaseData> data(plan.cases.size());
  std::vector<CaseSummary> summaries(plan.cases.size());
  for (const auto& measurement : result.measurements) {
    if (measurement.case_index >= data.size()) {
      throw std::invalid_argument("measurement of case " + std::to_string(measurement.case_index) +
                                  ", but the plan has " + std::to_string(data.size()) + " cases");
    }
    CaseData& of_case = data[measurement.case_index];
    for (const auto& note : measurement.notes) add_note(summaries[measurement.case_index], note);
    if (!measurement.failed.empty()) {
      of_case.failed.push_back(&measurement);
    } else if (!measurement.samples_s.empty()) {
      of_case.measured.push_back(&measurement);
    }
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    CaseSummary& summary = summaries[i];
    summary.info = &plan.cases[i];
    if (i < result.findings.size()) summary.findings = result.findings[i];
    if (!data[i].failed.empty()) {
      describe_failure(data[i], summary);
    } else if (!data[i].measured.empty()) {
      gather(data[i], summary);
      describe_measured(data[i], plan.experiment_of(*summary.info), result, summary);
    } else if (!summary.info->skip.empty()) {
      summary.status = CaseStatus::skipped;
      summary.reason = summary.info->skip;
    }
  }
  for (CaseSummary& summary : summaries) {
    if (summary.status != CaseStatus::measured) continue;
    if (summary.info->baseline) compare_with_baseline(data, summaries, summary);
    add_derived_facts(summary, plan.experiment_of(*summary.info).scope);
  }
  return summaries;
}

}  // namespace apod
