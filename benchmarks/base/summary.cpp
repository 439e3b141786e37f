#include "benchmarks/base/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "benchmarks/base/busy_machine.hpp"
#include "benchmarks/base/clock_states.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/modes.hpp"
#include "benchmarks/base/text/units.hpp"

namespace apod {
namespace {

/// One case's measurements, and what their processes say.
struct CaseData {
  std::vector<const Measurement*> measured;  ///< those with samples that did not fail
  std::vector<const Measurement*> failed;
  std::vector<ProcessSummary> processes;  ///< those that count, by number
};

void add_note(CaseSummary& summary, const std::string& note) {
  auto& notes = summary.notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

/// Sums up the processes of a case, and drops those that don't count.
void gather(CaseData& data, CaseSummary& summary) {
  auto& processes = data.processes;
  for (const auto* measurement : data.measured) {
    processes.push_back(summarize_process(*measurement));
    summary.throttled += count_throttled(*measurement);
  }
  std::sort(processes.begin(), processes.end(),
            [](const auto& a, const auto& b) { return a.process < b.process; });
  const auto all = processes;
  if (leave_out_throttled(processes) == 0) {
    if (processes.front().throttled)
      add_note(summary, "all samples were taken while throttled, so they were kept");
    return;
  }
  for (const auto& process : all) {
    if (!process.throttled) continue;
    add_note(summary, "process " + std::to_string(process.process) +
                          " left out: all its samples were taken while throttled");
  }
}

/// The values that `of` gives of the processes, but for those where it is absent.
template <class Of>
std::vector<double> values_of(const std::vector<ProcessSummary>& processes, Of of) {
  std::vector<double> values;
  for (const auto& process : processes) {
    if (const std::optional<double> value = of(process)) values.push_back(*value);
  }
  return values;
}

std::size_t machines_of(const std::vector<ProcessSummary>& processes) {
  std::set<std::string> names;
  for (const auto& process : processes) names.insert(process.machine);
  return names.size();
}

/// What an interval is between: the processes, or the machines where several measured the case,
/// since processes of one machine agree with each other better than with those of the next. Of a
/// machine it is the geometric mean.
template <class Of>
std::vector<double> units_of(const std::vector<ProcessSummary>& processes, Of of) {
  std::map<std::string, std::vector<ProcessSummary>> machines;
  for (const auto& process : processes) machines[process.machine].push_back(process);
  if (machines.size() < 2) return values_of(processes, of);
  std::vector<double> means;
  for (const auto& [machine, its] : machines) {
    const auto values = values_of(its, of);
    if (!values.empty()) means.push_back(estimate_time(values).value);
  }
  return means;
}

std::optional<Estimate> delta_of(const std::vector<ProcessSummary>& processes,
                                 const std::vector<ProcessSummary>& base) {
  std::vector<double> medians;
  std::vector<double> base_medians;
  for (const auto& process : processes) {
    const auto same = std::find_if(base.begin(), base.end(), [&](const ProcessSummary& other) {
      return other.process == process.process;
    });
    if (same == base.end()) continue;
    medians.push_back(process.median_s);
    base_medians.push_back(same->median_s);
  }
  return estimate_delta(medians, base_medians);
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
    throughput.peak = peak;
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

/// What the output of a command says of it.
Throughput throughput_read(const std::map<std::string, double>& facts) {
  const auto fact = [&](const char* name) {
    const auto found = facts.find(name);
    return found == facts.end() ? 0 : found->second;
  };
  Throughput throughput;
  throughput.bytes_per_s = fact("bandwidth");
  throughput.flops_per_s = fact("flops");
  return throughput;
}

/// Absent where no ceiling of the case's device is known.
std::optional<Roofline> roofline_of(const CaseSummary& summary, Scope scope, const Traffic& traffic,
                                    const Result& result) {
  const bool has_ceilings =
      result.ceilings && summary.info->backend == result.environment.device.backend;
  if (!has_ceilings) return std::nullopt;
  const auto found = roofline(work_of(traffic, summary.time_s.value, scope == Scope::end_to_end,
                                      summary.info->params, summary.facts),
                              *result.ceilings);
  if (found.bound == Bound::unknown) return std::nullopt;
  return found;
}

/// The mean over the processes that have the fact.
std::map<std::string, double> mean_facts(const std::vector<const Measurement*>& measurements) {
  std::map<std::string, std::vector<double>> values;
  for (const auto* measurement : measurements) {
    for (const auto& [name, value] : facts_of(*measurement)) values[name].push_back(value);
  }
  std::map<std::string, double> facts;
  for (const auto& [name, of_processes] : values) {
    const double mean = stats::mean(of_processes);
    if (std::isfinite(mean)) facts[name] = mean;
  }
  return facts;
}

void add_derived_facts(CaseSummary& summary, const Experiment& experiment) {
  const auto set = [&](const char* name, double value) {
    if (std::isfinite(value)) summary.facts[name] = value;
  };
  const Estimate& time = summary.time_s;
  set("time", time.value);
  set("time_low", time.low);
  set("time_high", time.high);
  set("precision", time.half_width() / time.value);
  if (summary.sample_spread) set("sample_spread", *summary.sample_spread);
  set("samples", static_cast<double>(summary.samples));
  set("processes", summary.processes);
  set("throttled", static_cast<double>(summary.throttled));
  if (experiment.scope == Scope::end_to_end && summary.device_time_s.value > 0) {
    set("device_time", summary.device_time_s.value);
  }
  if (!experiment.command) {
    set("bandwidth", summary.throughput.bytes_per_s);
    set("flops", summary.throughput.flops_per_s);
  }
  if (!summary.throughput.bound.empty()) set("share_of_peak", summary.throughput.share);
  if (summary.roofline && summary.roofline->nearest != Bound::unknown) {
    set("share_of_ceiling", summary.roofline->share);
  }
  if (summary.delta) {
    set("delta", summary.delta->value);
    set("speedup", 1 / (1 + summary.delta->value));
  }
  if (!experiment.command) set("error", summary.verification.error);
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

/// The range of the SM clock over all processes, and how many of them the power limit held back.
void describe_clock(const CaseData& data, CaseSummary& summary) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  int read = 0;
  int capped = 0;
  for (const auto* measurement : data.measured) {
    const auto& clock = measurement->clock;
    if (!(clock.mean_mhz > 0)) continue;
    ++read;
    low = std::min(low, clock.min_mhz);
    high = std::max(high, clock.max_mhz);
    const auto caps = [](const std::string& reason) {
      return reason.find("sw_power_cap") != std::string::npos;
    };
    capped += std::any_of(clock.reasons.begin(), clock.reasons.end(), caps) ? 1 : 0;
  }
  if (read == 0) return;
  summary.facts["sm_clock_min"] = low;
  summary.facts["sm_clock_max"] = high;
  summary.facts["power_capped"] = static_cast<double>(capped) / read;
  if (const auto states = clock_states(data.measured)) add_note(summary, states->text());
  if (capped > 0) add_note(summary, "the power limit held the clock down");
}

/// Says which limit came before the wanted precision, where one did.
void judge_precision(const CaseData& data, const MeasureSpec& measure,
                     const std::vector<double>& medians, double tick_s, CaseSummary& summary) {
  const Estimate& time = summary.time_s;
  const bool short_of_samples =
      std::any_of(data.measured.begin(), data.measured.end(),
                  [](const auto* measurement) { return !measurement->precision_reachable; });
  if (!time.has_interval()) {
    if (short_of_samples) {
      add_note(summary, "stopped before the wanted precision (max_samples or max_time)");
    }
    return;
  }
  constexpr std::size_t most = 1000;
  const auto wanted = processes_for(medians, measure.precision, most);
  summary.facts["processes_wanted"] = static_cast<double>(wanted);
  if (const auto modes = stats::two_modes(medians);
      modes && modes->high - modes->low > measure.precision * modes->low) {
    const auto mode = [](std::size_t count, double seconds) {
      return std::to_string(count) + " of " + text::format_time(seconds);
    };
    add_note(summary, "its processes fall into two modes: " + mode(modes->low_count, modes->low) +
                          " and " + mode(modes->high_count, modes->high));
  }
  if (time.half_width() <= measure.precision * time.value * (1 + 1e-9)) return;
  const auto processes = static_cast<int>(data.measured.size());
  double spent_s = 0;
  for (const auto* measurement : data.measured) spent_s += measurement->wall_s;
  const bool timer = tick_s / std::sqrt(12.0) > measure.precision * time.value;
  const char* limit = timer                                        ? "the timer's tick"
                      : measure.max_processes == measure.processes ? "processes"
                      : processes >= measure.max_processes         ? "max_processes"
                      : spent_s >= measure.budget_s                ? "budget"
                                                                   : "the run's end";
  add_note(summary, std::string("wider than the wanted precision (limit: ") + limit + ")");
}

/// That launches before it matter, where that is more than the precision that is wanted. Samples of
/// all phases weigh alike, so it says nothing against the time.
void describe_phases(const CaseData& data, double precision, CaseSummary& summary) {
  const auto spread = summary.facts.find("phase_spread");
  if (spread == summary.facts.end()) return;
  // What most processes show: a mean of periods is none.
  std::map<double, int> processes;
  for (const auto* measurement : data.measured) {
    const auto found = measurement->facts.find("phase_period");
    if (found != measurement->facts.end()) ++processes[found->second];
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(processes.begin(), processes.end(), fewer);
  if (most == processes.end()) return;
  const double period = summary.facts["phase_period"] = most->first;
  if (period == 1 || spread->second <= precision) return;
  add_note(summary, "depends on the launches before it, modulo " +
                        std::to_string(std::lround(period)) + ", by " +
                        text::format_percent(spread->second) + ": all phases weigh alike");
}

void describe_measured(const CaseData& data, const Experiment& experiment, const Result& result,
                       CaseSummary& summary) {
  summary.status = CaseStatus::measured;
  summary.processes = static_cast<int>(data.processes.size());
  for (const auto& process : data.processes) summary.samples += process.samples;
  const auto medians = [](const ProcessSummary& process) { return process.median_s; };
  const auto device = [](const ProcessSummary& process) { return process.device_median_s; };
  const auto spread = [](const ProcessSummary& process) { return process.sample_spread; };
  const auto& device_facts = result.environment.device;
  const auto& first = *data.measured.front();
  const double tick_s = device_facts.backend == summary.info->backend
                            ? device_facts.timer_tick_s / first.launches_per_sample
                            : 0;
  const auto process_medians = units_of(data.processes, medians);
  summary.time_s = estimate_time(process_medians, tick_s);
  const auto device_medians = units_of(data.processes, device);
  if (!device_medians.empty()) summary.device_time_s = estimate_time(device_medians);
  const auto spreads = values_of(data.processes, spread);
  if (!spreads.empty()) summary.sample_spread = stats::mean(spreads);
  summary.verification = worst_verification(data.measured);
  summary.facts = mean_facts(data.measured);
  note_others(result.environment, summary);
  if (summary.info->backend == BackendKind::cuda) describe_clock(data, summary);
  describe_phases(data, experiment.measure.precision, summary);
  const Traffic& traffic = first.traffic;
  summary.throughput = experiment.command ? throughput_read(summary.facts)
                                          : throughput_of(summary, experiment.scope, traffic,
                                                          result.environment.device);
  summary.roofline = roofline_of(summary, experiment.scope, traffic, result);
  if (const auto machines = machines_of(data.processes); machines > 1) {
    return add_note(summary, "measured by " + std::to_string(machines) +
                                 " machines: the interval is between them");
  }
  judge_precision(data, experiment.measure, process_medians, tick_s, summary);
}

void compare_with_baseline(const std::vector<CaseData>& data,
                           const std::vector<CaseSummary>& summaries, CaseSummary& summary) {
  const std::size_t index = *summary.info->baseline;
  const CaseSummary& base = summaries.at(index);
  if (base.status != CaseStatus::measured) {
    add_note(summary, "no delta: its baseline was not measured");
    return;
  }
  const auto& own = data[summary.info->index].processes;
  if (machines_of(own) > 1 || machines_of(data[index].processes) > 1) {
    return add_note(summary, "no delta: several machines measured it (bench merge --by device)");
  }
  summary.delta = delta_of(own, data[index].processes);
  if (!summary.delta) add_note(summary, "no delta: no process timed both it and its baseline");
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
    CaseSummary& summary = summaries[measurement.case_index];
    for (const auto& note : measurement.notes) add_note(summary, note);
    if (summary.profile->empty()) summary.profile = &measurement.profile;
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
    add_derived_facts(summary, plan.experiment_of(*summary.info));
  }
  return summaries;
}

}  // namespace apod
