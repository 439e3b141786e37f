#include "benchmarks/base/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "benchmarks/base/clock_states.hpp"
#include "benchmarks/base/launch_phase.hpp"
#include "benchmarks/base/side.hpp"
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
  std::size_t throttled = 0;              ///< samples, of all processes
};

/// No fact is infinite or NaN.
void add_fact(CaseSummary& summary, const std::string& name, const Estimate& estimate) {
  if (std::isfinite(estimate.value)) summary.facts[name] = estimate;
}

void add_note(CaseSummary& summary, const std::string& note) {
  auto& notes = summary.notes;
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

/// Sums up the processes of a case, and drops those that don't count.
void gather(CaseData& data, CaseSummary& summary) {
  auto& processes = data.processes;
  for (const auto* measurement : data.measured) {
    processes.push_back(summarize_process(*measurement));
    data.throttled += count_throttled(*measurement);
  }
  std::ranges::sort(processes, [](const auto& a, const auto& b) { return a.process < b.process; });
  const auto all = processes;
  if (leave_out_throttled(processes) == 0) {
    if (processes.front().throttled)
      add_note(summary, "the device was throttled during all samples, so bench kept all samples");
    return;
  }
  for (const auto& process : all) {
    if (!process.throttled) continue;
    add_note(summary, "process " + std::to_string(process.process) +
                          " is left out: the device was throttled during all its samples");
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

/// Where each process timed both cases they are pairs.
std::optional<Estimate> delta_of(std::vector<ProcessSummary> processes,
                                 std::vector<ProcessSummary> base) {
  const auto process = [](const ProcessSummary& one) { return one.process; };
  std::ranges::sort(processes, {}, process);
  std::ranges::sort(base, {}, process);
  const auto median = [](const ProcessSummary& one) { return std::optional(one.median_s); };
  return estimate_delta(values_of(processes, median), values_of(base, median),
                        std::ranges::equal(processes, base, {}, process, process));
}

Verification worst_verification(const std::vector<const Measurement*>& measurements) {
  // A failed one is worse than a passed one, then the larger error counts, NaN being the largest.
  const auto better = [](const Verification& a, const Verification& b) {
    if (a.passed != b.passed) return a.passed;
    if (std::isnan(a.error) || std::isnan(b.error)) return !std::isnan(a.error);
    return a.error < b.error;
  };
  return (*std::ranges::max_element(measurements, better, &Measurement::verification))
      ->verification;
}

/// Rates of the case, and the peak that it comes closest to.
void add_rates(CaseSummary& summary, Scope scope, const Traffic& counted,
               const DeviceFacts& device) {
  const Traffic traffic = stated_work(counted, summary.info->params);
  summary.computes = computes(traffic);
  summary.replaces = counted.flops_replaced > 0;
  const double time = summary.time().value;
  const bool is_timed = time > 0;
  double bytes_per_s = is_timed ? (traffic.bytes_read + traffic.bytes_written) / time : 0;
  const double flops_per_s = is_timed ? traffic.flops() / time : 0;
  // Peaks are those of one device; a host case of a GPU run has none.
  const bool has_peaks = is_timed && summary.info->backend == device.backend;
  auto& peak = summary.peak;
  double share = 0;
  const auto consider = [&](Bound bound, double rate, double at_peak) {
    if (!has_peaks || !(at_peak > 0) || !(rate / at_peak > share)) return;
    // Operations that a variant replaces may be fewer than the stated ones.
    if (is_arithmetic(bound) && counted.flops_replaced > 0 && rate > at_peak) return;
    share = rate / at_peak;
    peak.rate = at_peak;
    peak.bound = bound;
  };
  if (scope == Scope::end_to_end) {
    if (const auto* transferred = summary.fact("transfer_bytes"); transferred && is_timed) {
      bytes_per_s = transferred->value / time;
      // The link works in both directions at once, and its peak is that of one.
      const double longer =
          std::max(summary.value("upload_bytes"), summary.value("download_bytes"));
      const bool in_turn = summary.value("transfers_in_turn") > 0;
      const double bound = longer > 0 && !in_turn ? longer : transferred->value;
      consider(Bound::transfer, bound / time, device.peak_transfer_bytes_per_s);
    }
  } else {
    // No device tells the peak of its matrix units or of its links to others, and a share of
    // another peak says nothing.
    if (traffic.bytes_linked > 0) {
      peak.bound = Bound::peer;
    } else if (traffic.flops_tensor + traffic.flops_tf32 + traffic.flops_bf16 > 0) {
      peak.bound = Bound::tensor;
    } else {
      consider(Bound::memory, bytes_per_s, device.peak_memory_bytes_per_s);
      consider(Bound::fp32, is_timed ? traffic.flops_fp32 / time : 0, device.peak_fp32_flops);
      consider(Bound::fp64, is_timed ? traffic.flops_fp64 / time : 0, device.peak_fp64_flops);
      peak.exceeded = share > 1;
    }
  }
  add_fact(summary, "bandwidth", {bytes_per_s});
  add_fact(summary, "flops", {flops_per_s});
  if (share > 0) add_fact(summary, "share_of_peak", {share});
}

/// Whether both run one kernel on the same work, as two experiments of a file may.
bool run_alike(const Plan& plan, const Case& a, const Case& b) {
  const Experiment& of_a = plan.experiment_of(a);
  const Experiment& of_b = plan.experiment_of(b);
  const auto is_built_in = [](const Experiment& one) {
    return !one.command && !one.kernel && one.scope == Scope::kernel;
  };
  return is_built_in(of_a) && is_built_in(of_b) && of_a.workload == of_b.workload &&
         a.backend == b.backend && a.variant == b.variant && a.params == b.params &&
         of_a.data == of_b.data && of_a.measure.cache == of_b.measure.cache;
}

/// By the counters of the case. One whose counters were not read has those of the same kernel in
/// another experiment, so that a kernel has one bound in all of them.
BusiestUnit busiest_of(const CaseSummary& summary, const std::vector<const CaseSummary*>& counted,
                       const Plan& plan) {
  auto own = busiest_unit(summary.values());
  if (own.bound != Bound::unknown) return own;
  const auto other = std::ranges::find_if(
      counted, [&](const CaseSummary* one) { return run_alike(plan, *summary.info, *one->info); });
  if (other == counted.end()) return own;
  auto found = busiest_unit((*other)->values());
  found.counted_in = plan.experiment_of(*(*other)->info).name;
  return found;
}

/// Absent where no ceiling of the case's device is known.
std::optional<Roofline> roofline_of(const CaseSummary& summary, const BusiestUnit& busiest,
                                    Traffic traffic, const Result& result) {
  const Experiment& experiment = result.plan.experiment_of(*summary.info);
  const bool has_ceilings =
      result.ceilings &&
      (experiment.command || summary.info->backend == result.environment.device.backend);
  if (!has_ceilings) return std::nullopt;
  const double time = summary.time().value;
  // The bus bandwidth of a collective is what each link carries one way (PERFORMANCE.md of
  // nccl-tests), whatever the collective sends over it.
  if (const auto* bus = summary.fact("bus_bandwidth")) traffic.bytes_linked = bus->value * time;
  Work work = work_of(traffic, time, experiment.scope == Scope::end_to_end, summary.info->params,
                      summary.values());
  work.busiest = busiest;
  const auto found = roofline(work, *result.ceilings);
  if (!found.is_known()) return std::nullopt;
  return found;
}

/// As FactSums has them. A measurement keeps the ends of an interval as NAME_low and NAME_high.
std::map<std::string, Estimate> mean_facts(const std::vector<const Measurement*>& measurements) {
  FactSums sums;
  for (const auto* measurement : measurements) sums.add(facts_of(*measurement));
  std::map<std::string, Estimate> facts;
  for (const auto& [name, mean] : sums.means()) facts[name.str()] = {mean};
  for (auto& [name, estimate] : facts) {
    const auto low = facts.find(name + "_low");
    const auto high = facts.find(name + "_high");
    if (low == facts.end() || high == facts.end()) continue;
    estimate.low = low->second.value;
    estimate.high = high->second.value;
    facts.erase(low);
    facts.erase(high);
  }
  return facts;
}

/// What is done in a time has the interval of its inverse.
void add_intervals_of_rates(CaseSummary& summary) {
  const Estimate time = summary.time();
  if (!time.has_interval() || !(time.low > 0)) return;
  for (const char* name :
       {"bandwidth", "bus_bandwidth", "flops", "share_of_peak", "share_of_ceiling"}) {
    const auto found = summary.facts.find(name);
    if (found == summary.facts.end() || found->second.has_interval()) continue;
    Estimate& rate = found->second;
    rate.low = rate.value * time.value / time.high;
    rate.high = rate.value * time.value / time.low;
  }
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
  if (environment.cpu_count > 0 &&
      summary.value("other_load") >= busy_share * environment.cpu_count) {
    add_note(summary, "other processes kept at least a quarter of the CPU cores busy");
  }
  if (summary.value("other_gpu_processes") >= busy_gpu)
    add_note(summary, "other processes had contexts on the GPU");
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
    capped += std::ranges::any_of(clock.reasons, caps) ? 1 : 0;
  }
  if (read == 0) return;
  add_fact(summary, "sm_clock_min", {low});
  add_fact(summary, "sm_clock_max", {high});
  add_fact(summary, "power_capped", {static_cast<double>(capped) / read});
  if (const auto states = clock_states(data.measured)) add_note(summary, states->text());
  if (capped > 0) add_note(summary, "the power limit lowered the clock");
}

/// Says which limit came before the wanted precision, where one did.
void judge_precision(const CaseData& data, const MeasureSpec& measure,
                     const std::vector<double>& medians, double tick_s, CaseSummary& summary) {
  const Estimate time = summary.time();
  const bool short_of_samples = std::ranges::any_of(
      data.measured, [](const auto* measurement) { return !measurement->precision_reachable; });
  if (!time.has_interval()) {
    const bool is_told = std::ranges::any_of(
        summary.notes, [](const auto& note) { return note.starts_with("stopped at max_time"); });
    if (short_of_samples && !is_told)
      add_note(summary, "max_samples or max_time ended the sampling before the wanted precision");
    return;
  }
  constexpr std::size_t most = 1000;
  const auto wanted = processes_for(medians, measure.precision, most);
  add_fact(summary, "processes_wanted", {static_cast<double>(wanted)});
  if (const auto modes = stats::two_modes(medians);
      modes && modes->high - modes->low > measure.precision * modes->low) {
    const auto mode = [](std::size_t count, double seconds) {
      return std::to_string(count) + " at " + text::format_time(seconds);
    };
    // A rarer group is no mode, but processes that something disturbed.
    constexpr std::size_t rarest = 5;
    const bool high_is_rare = rarest * modes->high_count < medians.size();
    const bool is_rare = high_is_rare || rarest * modes->low_count < medians.size();
    const auto rare = mode(modes->high_count, modes->high);
    const auto usual = mode(modes->low_count, modes->low);
    add_note(summary, is_rare
                          ? "the times of a few processes differ clearly from others: " +
                                (high_is_rare ? rare + ", and " + usual : usual + ", and " + rare)
                          : "the process times form two groups: " + usual + " and " + rare);
  }
  if (time.half_width() <= measure.precision * time.value * (1 + 1e-9)) return;
  const auto processes = static_cast<int>(data.measured.size());
  double spent_s = 0;
  for (const auto* measurement : data.measured) spent_s += measurement->wall_s;
  const bool timer = tick_s / std::sqrt(12.0) > measure.precision * time.value;
  const char* why = timer                                        ? "the timer is too coarse"
                    : measure.max_processes == measure.processes ? "raise processes"
                    : processes >= measure.max_processes         ? "raise max_processes"
                    : spent_s >= measure.budget_s                ? "raise budget"
                                                                 : "the run ended";
  add_note(summary, std::string("the interval is wider than wanted: ") + why);
}

/// Notes that phases differ by more than the precision, and what that says about the time.
void note_phases(double precision, CaseSummary& summary) {
  const double spread = summary.value("phase_spread");
  if (!(spread > precision)) return;
  const double period = summary.value("phase_period");
  const auto alike = weigh_alike(period, summary.value("phases_visited"));
  add_note(summary, "the time of one execution varies by " + text::format_percent(spread) +
                        " with the launch phase (number of earlier launches modulo " +
                        std::to_string(std::lround(period)) +
                        (!alike   ? ")"
                         : *alike ? "): all phases count equally in the time"
                                  : "): some phases count more than others in the time"));
}

void describe_measured(const CaseData& data, const Experiment& experiment, const Result& result,
                       CaseSummary& summary) {
  summary.status = CaseStatus::measured;
  const auto medians = [](const ProcessSummary& process) { return process.median_s; };
  const auto device = [](const ProcessSummary& process) { return process.device_median_s; };
  const auto spread = [](const ProcessSummary& process) { return process.sample_spread; };
  const auto& device_facts = result.environment.device;
  const auto& first = *data.measured.front();
  const double tick_s = device_facts.backend == summary.info->backend
                            ? device_facts.timer_tick_s / first.launches_per_sample
                            : 0;
  const auto process_medians = units_of(data.processes, medians);
  summary.verification = worst_verification(data.measured);
  summary.facts = mean_facts(data.measured);
  const auto add = [&](const char* name, double value) { add_fact(summary, name, {value}); };
  const Estimate time = estimate_time(process_medians, tick_s);
  add_fact(summary, "time", time);
  add("precision", time.half_width() / time.value);
  const auto device_medians = units_of(data.processes, device);
  if (experiment.scope == Scope::end_to_end && !device_medians.empty()) {
    const Estimate device_time = estimate_time(device_medians);
    if (device_time.value > 0) add_fact(summary, "device_time", device_time);
  }
  const auto spreads = values_of(data.processes, spread);
  if (!spreads.empty()) add("sample_spread", stats::mean(spreads));
  std::size_t samples = 0;
  for (const auto& process : data.processes) samples += process.samples;
  add("samples", static_cast<double>(samples));
  add("processes", static_cast<double>(data.processes.size()));
  add("throttled", static_cast<double>(data.throttled));
  if (!experiment.command) add("error", summary.verification.error);
  note_others(result.environment, summary);
  if (summary.info->backend == BackendKind::cuda) describe_clock(data, summary);
  note_phases(experiment.measure.precision, summary);
  // The output of a command says what there is to say of its rates.
  if (!experiment.command) add_rates(summary, experiment.scope, first.traffic, device_facts);
  if (summary.value("bandwidth") <= 0 && summary.value("flops") > 0) summary.computes = true;
  if (const auto machines = machines_of(data.processes); machines > 1) {
    return add_note(summary, "measured by " + std::to_string(machines) +
                                 " machines: the interval includes their differences");
  }
  judge_precision(data, experiment.measure, process_medians, tick_s, summary);
}

/// The theoretical peak of the unit whose measured ceiling is the nearest, so that the bound, the
/// rate and both shares of a case are of one roof.
void hold_against_one_roof(const Roofline& roof, Scope scope, const DeviceFacts& device,
                           CaseSummary& summary) {
  NearestPeak& peak = summary.peak;
  const Bound unit = roof.nearest != Bound::unknown ? roof.nearest : roof.bound;
  const bool has_peak =
      summary.info->backend == device.backend && (unit == Bound::memory || is_arithmetic(unit));
  // Of work on matrix units memory's peak says nothing either: theirs may be nearer.
  if (peak.bound == Bound::tensor) return;
  if (scope != Scope::kernel || peak.exceeded || !has_peak || peak.bound == unit) return;
  peak = {unit, unit == Bound::memory ? device.peak_memory_bytes_per_s
                : unit == Bound::fp32 ? device.peak_fp32_flops
                : unit == Bound::fp64 ? device.peak_fp64_flops
                                      : 0};
  summary.facts.erase("share_of_peak");
  if (!(peak.rate > 0)) return;
  const double rate = summary.value(unit == Bound::memory ? "bandwidth" : "flops");
  add_fact(summary, "share_of_peak", {rate / peak.rate});
}

/// What keeps each measured case from being faster, when the counters of all cases are known.
void add_limits(const std::vector<CaseData>& data, const Result& result,
                std::vector<CaseSummary>& summaries) {
  std::vector<const CaseSummary*> counted;
  for (const CaseSummary& summary : summaries) {
    if (summary.status != CaseStatus::measured) continue;
    if (busiest_unit(summary.values()).bound != Bound::unknown) counted.push_back(&summary);
  }
  for (CaseSummary& summary : summaries) {
    if (summary.status != CaseStatus::measured) continue;
    const Traffic& traffic = data[summary.info->index].measured.front()->traffic;
    const auto busiest = busiest_of(summary, counted, result.plan);
    summary.roofline = roofline_of(summary, busiest, traffic, result);
    if (summary.roofline && summary.roofline->nearest != Bound::unknown)
      add_fact(summary, "share_of_ceiling", {summary.roofline->share});
    if (summary.roofline && summary.fact("bandwidth") != nullptr) {
      hold_against_one_roof(*summary.roofline, result.plan.experiment_of(*summary.info).scope,
                            result.environment.device, summary);
    }
    add_intervals_of_rates(summary);
  }
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
    return add_note(summary,
                    "no delta: several machines measured the case (to separate the machines: bench "
                    "merge --by device)");
  }
  const auto delta = delta_of(own, data[index].processes);
  if (!delta) return add_note(summary, "no delta: the time of the case or of its baseline is 0");
  add_fact(summary, "delta", *delta);
  add_fact(summary, "speedup",
           {1 / (1 + delta->value), 1 / (1 + delta->high), 1 / (1 + delta->low)});
}

}  // namespace

const Estimate* CaseSummary::fact(const std::string& name) const {
  const auto found = facts.find(name);
  return found == facts.end() ? nullptr : &found->second;
}

double CaseSummary::value(const std::string& name) const {
  const auto* found = fact(name);
  return found == nullptr ? 0 : found->value;
}

std::optional<double> CaseSummary::number(const std::string& name) const {
  if (const auto* found = fact(name)) return found->value;
  for (const auto& [suffix, end] : {std::pair{std::string_view("_low"), &Estimate::low},
                                    std::pair{std::string_view("_high"), &Estimate::high}}) {
    if (!name.ends_with(suffix)) continue;
    const auto* whole = fact(name.substr(0, name.size() - suffix.size()));
    if (whole != nullptr && whole->has_interval()) return whole->*end;
  }
  return std::nullopt;
}

Estimate CaseSummary::time() const {
  const auto* found = fact("time");
  return found == nullptr ? Estimate{} : *found;
}

std::map<std::string, double> CaseSummary::values() const {
  std::map<std::string, double> all;
  for (const auto& [name, estimate] : facts) all.emplace(name, estimate.value);
  return all;
}

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
    } else if (measurement.is_timed()) {
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
  add_limits(data, result, summaries);
  for (CaseSummary& summary : summaries) {
    const bool is_compared = summary.status == CaseStatus::measured && summary.info->baseline;
    if (is_compared) compare_with_baseline(data, summaries, summary);
  }
  return summaries;
}

}  // namespace apod
