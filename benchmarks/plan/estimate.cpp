#include "benchmarks/plan/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/plan/checks.hpp"

namespace apod::plan {

namespace {

struct Need {
  std::uint64_t bytes = 0;
  std::uint64_t limit = 0;
  const char* what = "";
  const Case* of = nullptr;
};

/// The larger of what is missing on the device and on the host; nothing when the case fits.
Need shortage(const CaseMemory& memory, BackendKind backend, const ExpandOptions& options) {
  // The host backend's device memory is the host's.
  const bool host = backend == BackendKind::host;
  const Need device{host ? 0 : memory.device_bytes, options.device_memory_bytes, "device memory"};
  const Need ram{memory.host_bytes + (host ? memory.device_bytes : 0), options.host_memory_bytes,
                 "host memory"};
  for (const auto& need : {device, ram}) {
    if (need.limit > 0 && need.bytes > need.limit) return need;
  }
  return {};
}

/// The axes beside the size that the case owes much of its memory to: with half of the value it
/// would take three quarters, or less.
std::vector<std::string> multipliers(const Plan& plan, const Case& c, const Registry& registry) {
  const auto bytes = [&](const Case& of) {
    const auto memory = memory_of(plan, of, registry);
    return memory.device_bytes + memory.host_bytes;
  };
  std::vector<std::string> names;
  for (const auto& [name, value] : c.params.entries()) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (name == size_axis || number == nullptr || *number <= 1) continue;
    Case less = c;
    less.params.set(name, *number / 2);
    const auto& shared = plan.experiment_of(c);
    if (!family_of(registry, shared)->rejects(less.params) && bytes(less) <= bytes(c) / 4 * 3)
      names.push_back(name);
  }
  return names;
}

}  // namespace

CaseMemory memory_of(const Plan& plan, const Case& c, const Registry& registry) {
  const auto& experiment = plan.experiment_of(c);
  const auto* family = family_of(registry, experiment);
  if (family == nullptr) return {};
  const auto footprint = family->footprint(c.params);
  CaseMemory memory;
  memory.device_bytes = footprint.input_bytes + footprint.output_bytes;
  const auto entry = variant_of(registry, experiment, c.variant);
  if (entry && entry->make) {
    memory.device_bytes += static_cast<std::uint64_t>(c.params.integer_or("streams", 1)) *
                           entry->make()->most_scratch_bytes(c.params);
  }
  // The data and the output that is verified; end to end, also the buffers of the transfers, which
  // are of the kind of host memory that the case asks for.
  memory.host_bytes = footprint.input_bytes + footprint.output_bytes;
  if (experiment.scope == Scope::end_to_end) memory.host_bytes *= 2;
  // A kernel file is checked with two further problems, and each keeps its reference too.
  if (experiment.kernel && !experiment.kernel->spec.captured) memory.host_bytes *= 4;
  // Each of the programs has data and buffers of its own.
  const auto programs = static_cast<std::uint64_t>(c.params.integer_or("programs", 1));
  memory.device_bytes *= programs;
  memory.host_bytes *= programs;
  return memory;
}

void check_memory(const ExperimentConfig& config, const Plan& plan, const Registry& registry,
                  const ExpandOptions& options, Diagnostics& diagnostics) {
  // The worst case of each size of each experiment; the key keeps the order of the plan.
  std::map<std::pair<std::size_t, AxisValue>, Need> worst;
  std::set<std::size_t> failed;
  for (const auto& c : plan.cases) {
    if (!c.skip.empty() || failed.count(c.experiment) > 0) continue;
    try {
      auto need = shortage(memory_of(plan, c, registry), c.backend, options);
      need.of = &c;
      const auto* size = c.params.find(size_axis);
      auto& entry = worst[{c.experiment, size == nullptr ? AxisValue{} : *size}];
      if (need.bytes > entry.bytes) entry = need;
    } catch (const std::exception& error) {
      failed.insert(c.experiment);
      diagnostics.push_back(
          {config.path, config.experiments[c.experiment].place, c.id + ": " + error.what(), ""});
    }
  }
  for (const auto& [key, need] : worst) {
    if (need.bytes == 0) continue;
    const auto& experiment = config.experiments[key.first];
    std::string with;
    std::string less;
    for (const auto& name : multipliers(plan, *need.of, registry)) {
      with +=
          (with.empty() ? " with " : ", ") + name + " " + to_string(*need.of->params.find(name));
      less += (less.empty() ? ", or a smaller value of " : ", ") + name;
    }
    diagnostics.push_back(
        {config.path, place_of_value(experiment, size_axis, key.second, experiment.place),
         std::string(size_axis) + " " + to_string(key.second) + with + " needs " +
             text::format_bytes(static_cast<double>(need.bytes)) + " of " + need.what +
             ", but there is only " + text::format_bytes(static_cast<double>(need.limit)),
         "use a smaller size" + less});
  }
}

namespace {

double positive_or(double value, double otherwise) {
  return value > 0 ? value : otherwise;
}

/// Round figures of a backend's speed, from its theoretical peaks where they are known.
struct Speeds {
  double start_s = 0;        ///< of a process, device included
  double wake_up_s = 0;      ///< before the first sample, for a device that idled
  double settle_s = 0;       ///< until its clock and power are steady; 0: it has no such clock
  double sample_s = 0;       ///< least of one sample on the wall: launch, events, wait
  double flush_s = 0;        ///< of the caches, before a cold sample
  double lanes = 1;          ///< parts of the work that run at once when it is split over streams
  double memory_rate = 0;    ///< bytes/s of one lane
  double fp32_rate = 0;      ///< FLOP/s of one lane
  double fp64_rate = 0;      ///< likewise
  double transfer_rate = 0;  ///< bytes/s, between host and device
  double pageable_rate = 0;  ///< likewise, for pageable memory
  double scatter = 0;        ///< standard deviation of the samples / their mean
  double threads = 1;        ///< of the host, which make the data
};

/// Of this machine, or of one on paper.
enum class Of : std::uint8_t { here, paper };

double host_threads(Of of) {
  constexpr double on_paper = 16;
  return of == Of::paper ? on_paper : std::max(1u, std::thread::hardware_concurrency());
}

Speeds host_speeds(const DeviceFacts& facts, double threads) {
  // A host variant works with one thread a stream.
  const double cache_bytes = positive_or(static_cast<double>(facts.l2_bytes), 32e6);
  return {.start_s = 0.02,
          .sample_s = 2e-5,
          .flush_s = 2 * cache_bytes / 4e10,
          .lanes = threads,
          .memory_rate = 2e10,
          .fp32_rate = 1e10,
          .fp64_rate = 5e9,
          .transfer_rate = 1e10,
          .pageable_rate = 1e10,
          .scatter = 0.1,
          .threads = threads};
}

Speeds cuda_speeds(const DeviceFacts& facts, double threads) {
  // Kernels reach a part of the peaks, and that of an unknown device is a modest one's.
  const double memory_rate = 0.7 * positive_or(facts.peak_memory_bytes_per_s, 1e12);
  return {.start_s = 1,
          .wake_up_s = 0.3,
          .settle_s = 2,
          .sample_s = 1e-4,
          .flush_s = 2 * static_cast<double>(facts.l2_bytes) / memory_rate,
          .memory_rate = memory_rate,
          .fp32_rate = 0.3 * positive_or(facts.peak_fp32_flops, 2e13),
          .fp64_rate = 0.3 * positive_or(facts.peak_fp64_flops, 5e11),
          .transfer_rate = 0.8 * positive_or(facts.peak_transfer_bytes_per_s, 2.5e10),
          .pageable_rate = 8e9,
          .scatter = 0.01,
          .threads = threads};
}

Speeds speeds_of(BackendKind kind, const Registry& registry, Of of) {
  DeviceFacts facts;
  const auto* entry = registry.backend(kind);
  if (entry != nullptr && of == Of::here) {
    std::string why;
    const auto devices = entry->devices(why);
    if (!devices.empty()) facts = devices.front();
  }
  const double threads = host_threads(of);
  return kind == BackendKind::host ? host_speeds(facts, threads) : cuda_speeds(facts, threads);
}

/// What one case costs, from the parts of a process' work on it.
struct Costs {
  double prepare_s = 0;  ///< data, reference, buffers, upload
  double once_s = 0;     ///< one execution
  double verify_s = 0;   ///< download and comparison, beside the execution
};

Costs costs_of(const Experiment& experiment, const Case& c, const CaseMemory& memory,
               const Family& family, const Speeds& speeds) {
  const auto traffic = family.traffic(c.params);
  const bool end_to_end = experiment.scope == Scope::end_to_end;
  const auto streams = static_cast<double>(c.params.integer_or("streams", 1));
  // Programs share the device, or the host's processors; each prepares for itself.
  const auto programs = static_cast<double>(c.params.integer_or("programs", 1));
  const double lanes = std::min(speeds.lanes / programs, streams);
  const double memory_s = (traffic.bytes_read + traffic.bytes_written) / speeds.memory_rate;
  const double compute_s = (traffic.flops() - traffic.flops_fp64) / speeds.fp32_rate +
                           traffic.flops_fp64 / speeds.fp64_rate;

  Costs costs;
  costs.once_s = speeds.sample_s + std::max(memory_s, compute_s) / lanes;
  if (end_to_end) {
    const auto kind = c.params.choice_or("host_memory", MemoryKind::pinned);
    const auto footprint = family.footprint(c.params);
    costs.once_s += programs * static_cast<double>(footprint.input_bytes + footprint.output_bytes) /
                    (kind == MemoryKind::pageable ? speeds.pageable_rate : speeds.transfer_rate);
  }
  // The host makes data and references with all its threads, until its memory is the limit: each
  // byte is touched a few times. A reference is computed in fp64, and normal data takes a logarithm
  // and a cosine a value.
  const double threads = speeds.threads;
  const double touch_rate = std::min(threads * 1e9, 8e9);
  const auto host_bytes = static_cast<double>(memory.host_bytes);
  const double values = host_bytes / sizeof(float);
  const double made_s =
      experiment.data.kind == DataSpec::Kind::normal ? 2e-8 * values / threads : 0;
  costs.prepare_s = 3e-3 + made_s + programs * family.reference_flops(c.params) / (threads * 3e9) +
                    (programs > 1 ? speeds.start_s : 0) +
                    (host_bytes + static_cast<double>(memory.device_bytes)) / touch_rate;
  costs.verify_s = host_bytes / (2 * touch_rate);
  return costs;
}

/// The samples that the wanted precision takes when their mean has the interval of independent
/// ones; the sampler takes twice as many, for they are not.
double samples_wanted(const MeasureSpec& measure, double scatter) {
  const double ratio = 1.96 * scatter / measure.precision;
  return std::clamp(2 * ratio * ratio, static_cast<double>(measure.min_samples),
                    static_cast<double>(std::max(measure.min_samples, measure.max_samples)));
}

/// Warm-up with the pilot, and timed samples, as the sampler takes them.
double sampling_seconds(const Experiment& experiment, const Costs& costs, const Speeds& speeds) {
  const auto& measure = experiment.measure;
  const bool graph = experiment.scope == Scope::kernel && measure.launch == LaunchMode::graph;
  const bool cold = measure.cache != CacheMode::hot && !graph;
  const bool rests = speeds.settle_s > 0 && measure.clocks == ClockMode::burst;
  const double sample_s =
      (costs.once_s * (graph ? measure.graph_launches : 1) + (cold ? speeds.flush_s : 0)) *
      (rests ? 2 : 1);
  const double pilot_s = std::max({2 * sample_s, std::min(20 * sample_s, measure.max_time_s / 4),
                                   std::min(200 * sample_s, 0.02)});
  const double warm_up_s = std::max(measure.warmup_s, sample_s + pilot_s);
  const double timed_s =
      std::max(2 * sample_s,
               std::min(measure.max_time_s, samples_wanted(measure, speeds.scatter) * sample_s));
  const double settle_s = measure.clocks == ClockMode::steady ? speeds.settle_s : 0;
  return warm_up_s + settle_s + timed_s;
}

/// One run that is watched, and one for each of four passes; see docs/inspecting.md.
constexpr double counted_runs = 5;

/// Of an idle and of a busy device.
constexpr double energy_s = 6.5;

/// Keeps what is the same for all cases: asking a device for its facts takes milliseconds.
class Estimator {
 public:
  Estimator(const Plan& plan, const Registry& registry, Of of = Of::here)
      : plan_(plan), registry_(registry), of_(of) {}

  struct Seconds {
    double measure = 0;   ///< one process that measures the case
    double trace = 0;     ///< the one that traces it
    double counters = 0;  ///< the one that counts it
    double energy = 0;    ///< the one that measures its energy
  };
  Seconds of(const Case& c) {
    const auto& experiment = plan_.experiment_of(c);
    const auto* family = family_of(registry_, experiment);
    if (family == nullptr) return {};
    const auto& speeds = speeds_for(c.backend);
    const auto costs = costs_of(experiment, c, memory_of(plan_, c, registry_), *family, speeds);
    const double checked_s = costs.prepare_s + costs.once_s + costs.verify_s;
    // A GPU falls asleep while the host makes its data for half a second.
    const double wake_up_s = checked_s > 0.5 ? speeds.wake_up_s : 0;
    const double most = experiment.measure.timeout_s;
    // What was timed is verified too.
    return {std::min(most, checked_s + wake_up_s + sampling_seconds(experiment, costs, speeds) +
                               costs.verify_s),
            std::min(most, checked_s + costs.once_s),
            std::min(most, checked_s + counted_runs * costs.once_s),
            std::min(most, checked_s + energy_s + speeds.settle_s)};
  }

  /// All processes and passes of a case.
  double all_of(const Case& c) {
    const auto& measure = plan_.experiment_of(c).measure;
    const auto seconds = of(c);
    return measure.processes * seconds.measure + (measure.trace ? seconds.trace : 0) +
           (measure.counters ? seconds.counters : 0) + (measure.energy ? seconds.energy : 0);
  }

  /// The most processes of a case: further ones begin until it has taken its budget.
  int most_processes(const Case& c) {
    const auto& measure = plan_.experiment_of(c).measure;
    const double one_s = std::max(of(c).measure, 1e-6);
    const double in_budget = std::ceil(std::min(measure.budget_s / one_s, 1e6));
    return std::clamp(static_cast<int>(in_budget), measure.processes,
                      std::max(measure.processes, measure.max_processes));
  }

  TimeRange whole_run() {
    double total = 0;
    double further_s = 0;
    int processes = 0;
    int most = 0;
    bool traced = false;
    bool counted = false;
    bool energy = false;
    double start_s = 0;
    for (const auto& c : plan_.cases) {
      if (!c.skip.empty()) continue;
      const auto& measure = plan_.experiment_of(c).measure;
      total += all_of(c);
      processes = std::max(processes, measure.processes);
      const int its_most = most_processes(c);
      further_s += (its_most - measure.processes) * of(c).measure;
      most = std::max(most, its_most);
      traced = traced || measure.trace;
      counted = counted || measure.counters;
      energy = energy || measure.energy;
      start_s = std::max(start_s, speeds_for(c.backend).start_s);
    }
    total += start_s * (processes + (traced ? 1 : 0) + (counted ? 1 : 0) + (energy ? 1 : 0));
    return {total, total + further_s + start_s * (most - processes)};
  }

 private:
  const Speeds& speeds_for(BackendKind kind) {
    const auto found = speeds_.find(kind);
    return found != speeds_.end()
               ? found->second
               : speeds_.emplace(kind, speeds_of(kind, registry_, of_)).first->second;
  }

  const Plan& plan_;
  const Registry& registry_;
  Of of_;
  std::map<BackendKind, Speeds> speeds_;
};

}  // namespace

double estimate_seconds(const Plan& plan, const Case& c, const Registry& registry) {
  return Estimator(plan, registry).of(c).measure;
}

TimeRange estimate_run(const Plan& plan, const Registry& registry) {
  return Estimator(plan, registry).whole_run();
}

std::vector<double> weights_of(const Plan& plan, const Registry& registry) {
  Estimator estimator(plan, registry, Of::paper);
  std::vector<double> weights;
  weights.reserve(plan.cases.size());
  for (const auto& c : plan.cases) weights.push_back(c.skip.empty() ? estimator.all_of(c) : 0);
  return weights;
}

}  // namespace apod::plan
