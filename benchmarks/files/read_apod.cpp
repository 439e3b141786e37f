#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/files/apod_reader.hpp"
#include "benchmarks/files/side_formats.hpp"

namespace apod::files {
namespace {

/// What a comparison does not need, which is most of a file. "apod" is the record of a row, and a
/// part of the context.
const HiddenKeys unread_of_apod{
    {"", {"apod_failed", "apod_skipped", "apod_expectations"}},
    {"apod",
     {"ceilings", "command_line", "device_samples_s", "failed", "notes", "phases", "pilot_samples",
      "precision_reachable", "stage", "variables", "wall_s"}},
    {"apod_cases", {"backend", "variant"}},
    {"apod_untimed", {"phases"}},
    {"benchmarks",
     {"bytes_per_second", "cpu_time", "family_index", "items_per_second", "iterations",
      "per_family_instance_index", "repetition_index", "run_name", "run_type", "threads"}},
    {"clock", {"max_mhz", "min_mhz", "reasons"}},
    {"config", {"path", "text"}},
    {"context", {"caches"}},
    {"findings", {"advice", "gain", "severity"}},
    {"kernels",
     {"block", "counters", "dynamic_shared_bytes", "grid", "instructions", "limiter", "local_bytes",
      "operation", "registers_per_thread", "resident_blocks", "static_shared_bytes"}},
    {"profile", {"calls", "copies", "lanes", "overheads", "ranges"}},
    {"traffic", {"flops_fp32", "flops_fp64", "flops_tensor", "flops_tf32"}},
    {"verification", {"detail", "error", "measure", "tolerance"}},
};

/// Projects the records of one file: of each case what a comparison needs.
class ApodSide final : public ApodReader {
 public:
  explicit ApodSide(SideBuilder& side) : side_(side) {}

 private:
  /// There may be 100,000, so texts that many have are kept once, as an index.
  struct OneCase {
    CaseTally tally;
    CaseStatus status = CaseStatus::not_run;
    std::uint32_t experiment = 0;
    std::uint32_t launch = 0;   ///< launch mode really used, with the launches of a graph
    std::uint32_t machine = 0;  ///< of several that measured the result
  };
  /// Texts by their numbers; 0 is the empty one.
  class Texts {
   public:
    std::uint32_t number(const std::string& text) {
      const auto place = std::find(texts_.begin(), texts_.end(), text) - texts_.begin();
      if (place == std::ssize(texts_)) texts_.push_back(text);
      return static_cast<std::uint32_t>(place);
    }
    const std::string& operator[](std::uint32_t number) const { return texts_[number]; }

   private:
    std::vector<std::string> texts_{""};
  };
  struct Experiment {
    std::string way;       ///< how it measures
    double threshold = 0;  ///< least change that matters; 0: none of its own
  };

  void take_context(Result&& run) override {
    if (run.interrupted) {
      side_.note("the run was interrupted, so the cases after that are missing");
    }
    const Environment& e = run.environment;
    const auto machines = run.part.machines.size();
    if (machines > 1) side_.environment("machines", std::to_string(machines));
    side_.environment("date", e.date);
    side_.environment("host", e.host_name);
    if (e.cpu_count > 0) side_.environment("cpus", std::to_string(e.cpu_count));
    side_.environment("build_type", e.build_type);
    side_.environment("version", e.bench_version);
    side_.environment("commit", e.commit);
    side_.environment("compiler", e.compiler);
    side_.environment("cuda_compiler", e.cuda_compiler);
    side_.environment("os", e.os);
    side_.environment("cpu", e.cpu_model);
    side_.environment("config", run.plan.name);
    side_.environment("description", run.plan.description);
    if (!e.load_average.empty()) side_.environment("load_average", text_of(e.load_average[0]));
    tick_s_ = e.device.timer_tick_s;
    side_.environment("backend", std::string(to_string(e.device.backend)));
    on_gpu_ = e.device.backend == BackendKind::cuda;
    if (e.device.backend != BackendKind::cuda) return;
    side_.environment("gpu", e.device.name);
    side_.environment("gpu_uuid", e.device.uuid);
    side_.environment("driver", e.device.driver_version);
    side_.environment("cuda", e.device.runtime_version);
    side_.environment("ecc", text_of(e.device.ecc));
    side_.environment("mig", text_of(e.device.mig));
    const double limit_w = e.device.power_limit_w;
    if (limit_w != 0) side_.environment("power_limit_w", text_of(limit_w));
  }

  /// How its cases are measured is a text that is equal where they can be compared.
  void take_experiment(apod::Experiment&& plan) override {
    const auto& [kind, seed, file] = plan.data;
    const double threshold = plan.measure.threshold;
    // Files of before, and calibrations made of them, say nothing of clocks.
    const bool held = on_gpu_ && plan.measure.clocks != ClockMode::unheld;
    experiments_.push_back(
        {"scope:" + std::string(to_string(plan.scope)) + " data:" + std::string(to_string(kind)) +
             " seed:" + std::to_string(seed) + (file.empty() ? "" : " file:" + file) +
             " cache:" + std::string(to_string(plan.measure.cache)) +
             (held ? " clocks:" + std::string(to_string(plan.measure.clocks)) : ""),
         threshold > 0 && threshold < 1 ? threshold : 0});
  }

  void take_case(CaseEntry&& entry) override {
    OneCase& one = cases_[entry.info.index];
    one.tally.info.name = std::move(entry.info.id);
    one.status = entry.status;
    if (one.status != CaseStatus::measured) one.tally.fail(entry.reason);
    one.experiment = static_cast<std::uint32_t>(entry.info.experiment);
    for (const Finding& found : entry.findings) {
      one.tally.add_finding(found.id,
                            (found.subject.empty() ? "" : found.subject + ": ") + found.evidence);
    }
    auto& params = one.tally.info.params;
    params.reserve(entry.info.params.entries().size());
    for (const auto& [axis, value] : entry.info.params.entries()) {
      params.emplace_back(axis, to_string(value));
    }
    std::sort(params.begin(), params.end());
  }

  void take_measurement(Place place, Measurement&& m, const Piece& piece) override {
    if (place == Place::failed) return;
    OneCase& one = cases_[m.case_index];
    auto facts = place == Place::untimed ? m.facts : facts_of(m);
    for (const auto& [kernel, code] : m.kernel_code) one.tally.add_kernel(kernel, code);
    if (!side_.metric().is_time()) add_metric(one, numbers_of(facts, m, piece));
    add_kernel_times(facts, m.profile);
    one.tally.facts.add(facts);
    if (place == Place::untimed) return;
    const auto machine = machines_.number(m.machine);
    if (one.machine != 0 && one.machine != machine) {
      one.tally.fail(
          "measured by several machines, whose processes are no replicates of each other (bench "
          "merge --by host or --by device keeps them apart)");
    }
    one.machine = machine;
    if (side_.metric().is_time()) {
      side_.add_value(one.tally, {seconds_at(piece, "real_time", 1e-9)});
      if (side_.wants_spread()) one.tally.info.times.back().deviation = spread_of(m.samples_s);
      one.tally.info.times.back().throttled = throttled_share(m) == 1;
      const double tick_s = tick_s_ / std::max(1.0, static_cast<double>(m.launches_per_sample));
      one.tally.info.tick_s = std::max(one.tally.info.tick_s, tick_s);
    }
    launch(one, m);
  }

  /// Of all configurations that a kernel was launched with.
  static void add_kernel_times(std::map<std::string, double>& facts, const Profile& profile) {
    for (const auto& kernel : profile.kernels) {
      facts[std::string(kernel_time_of) + kernel.name] += kernel.time.total_s;
      facts[std::string(launches_of) + kernel.name] += static_cast<double>(kernel.time.count);
    }
  }

  /// The facts of a process, and what a comparison else has no use for: the rates of its row, and
  /// the device's own time.
  static std::map<std::string, double> numbers_of(std::map<std::string, double> numbers,
                                                  const Measurement& m, const Piece& row) {
    const auto rate = [&](const char* key, const char* name) {
      if (row.contains(key)) numbers.emplace(name, number_at(row, key));
    };
    rate("bytes_per_second", "bandwidth");
    rate("bytes_per_second", "bytes_per_second");
    rate("items_per_second", "items_per_second");
    if (m.traffic.flops() > 0 && row.contains("real_time")) {
      numbers.emplace("flops", m.traffic.flops() / seconds_at(row, "real_time", 1e-9));
    }
    if (!m.device_samples_s.empty()) {
      numbers.emplace("device_time", stats::median(m.device_samples_s));
    }
    return numbers;
  }

  /// Takes a fact as the time: one that is a time or a rate, or the number of a command's output.
  void add_metric(OneCase& one, const std::map<std::string, double>& facts) {
    for (const auto& [name, value] : facts) {
      const FactInfo* known = find_fact(name);
      const bool is_time = known != nullptr && known->unit == Unit::seconds;
      const bool is_rate = name.ends_with("_per_second") ||
                           (known != nullptr && (known->unit == Unit::bytes_per_second ||
                                                 known->unit == Unit::flop_per_second));
      if (known != nullptr && !is_time && !is_rate) continue;
      metrics_.insert(name);
      if (name != side_.metric().name) continue;
      side_.add_value(one.tally, is_time ? MetricValue{value}
                                         : value_of_counter(side_.metric(), value, is_rate));
    }
  }

  /// Standard deviation of ln of the samples.
  static double spread_of(const std::vector<double>& samples) {
    std::vector<double> logs;
    for (const double sample : samples) {
      if (sample > 0) logs.push_back(std::log(sample));
    }
    return stats::standard_deviation(logs);
  }

  void launch(OneCase& one, const Measurement& m) {
    std::string launch = m.launch;
    if (launch == "graph") launch += " graph_launches:" + std::to_string(m.launches_per_sample);
    const auto number = launches_.number(launch);
    if (one.launch == 0) {
      one.launch = number;
    } else if (one.launch != number) {
      one.tally.fail("its processes were launched in two ways: " + launches_[one.launch] + "; " +
                     launch);
    }
  }

  /// Hands on every case of the plan, in its order.
  void finish() override {
    for (auto& [index, one] : cases_) {
      const std::string& name = one.tally.info.name;
      if (one.status == CaseStatus::skipped || one.status == CaseStatus::not_run) {
        side_.note(
            one.status == CaseStatus::skipped ? "skipped, " + one.tally.info.failed : "not run",
            name);
        continue;
      }
      if (!side_.wants(name)) continue;
      const auto& [way, threshold] = experiments_[one.experiment];
      one.tally.info.threshold = threshold;
      one.tally.set_version(one.launch == 0 ? way : way + " launch:" + launches_[one.launch]);
      const auto& info = one.tally.info;
      if (one.status == CaseStatus::measured && info.times.empty() && info.failed.empty()) {
        std::vector<std::string> others{"real_time"};
        others.insert(others.end(), metrics_.begin(), metrics_.end());
        side_.lacks_metric(name, others);
        continue;
      }
      leave_out_throttled(one.tally.info.times);
      side_.add(std::move(one.tally));
    }
  }

  SideBuilder& side_;
  ByCase<OneCase> cases_;  ///< in the plan's order
  std::vector<Experiment> experiments_;
  Texts launches_;
  Texts machines_;
  std::set<std::string> metrics_;  ///< facts of any case that can be compared
  double tick_s_ = 0;              ///< of the timer
  bool on_gpu_ = false;
};

}  // namespace

void read_apod(const std::string& file, SideBuilder& side) {
  HiddenKeys hidden = unread_of_apod;
  if (!side.wants_spread()) hidden["apod"].emplace_back("samples_s");
  if (!side.metric().is_time()) {
    hidden.erase("traffic");
    std::erase(hidden["apod"], "device_samples_s");
    std::erase_if(hidden["benchmarks"],
                  [](const auto& key) { return key.ends_with("_per_second"); });
  }
  ApodSide(side).read(file, hidden);
}

}  // namespace apod::files
