#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/files/by_case.hpp"
#include "benchmarks/files/read_side.hpp"

namespace apod::files {
namespace {

/// Where the time of a command comes from: "process", "google", "regex:took (.*) ms, ms".
std::string source_of_time(const CommandSpec& command) {
  const auto time = std::ranges::find(command.figures, "time", &Figure::name);
  const bool is_found = time != command.figures.end();
  const auto reads = is_found || command.finds_cases() ? command.reads : Reads::process;
  return std::string(to_string(reads)) + (is_found ? ":" + time->where + ", " + time->unit : "");
}

/// Projects the records of one file: of each case what a comparison needs.
class SideView final : public Events {
 public:
  explicit SideView(SideBuilder& side) : side_(side) {}

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
  /// Equal lists of several cases, kept once.
  template <class List>
  class Lists {
   public:
    Shared<List> of(List list) { return *lists_.emplace(std::move(list)).first; }

   private:
    struct Hash {
      std::size_t operator()(const Shared<List>& list) const {
        std::size_t sum = 0;
        const auto add = [&](const std::string& text) {
          sum = 31 * sum + std::hash<std::string_view>()(text);
        };
        for (const auto& [name, value] : list) {
          add(name);
          add(value);
        }
        return sum;
      }
    };
    std::unordered_set<Shared<List>, Hash> lists_;
  };
  struct Experiment {
    std::string way;       ///< how it measures
    double threshold = 0;  ///< least change that matters; 0: none of its own
    bool is_command = false;
  };

  void context(Result&& run) override {
    if (run.interrupted) side_.note("the run was interrupted: some cases were not measured");
    side_.context(run);
    tick_s_ = run.environment.device.timer_tick_s;
    on_gpu_ = run.environment.device.backend == BackendKind::cuda;
  }

  /// How its cases are measured is a text that is equal where they can be compared.
  void experiment(apod::Experiment&& plan) override {
    (plan.command ? any_command_ : any_kernel_) = true;
    const auto& [kind, seed, file] = plan.data;
    const double threshold = plan.measure.threshold;
    // Files of before, and calibrations made of them, say nothing of clocks.
    const bool held = on_gpu_ && plan.measure.clocks != ClockMode::unheld;
    experiments_.push_back(
        {"scope:" + std::string(to_string(plan.scope)) + " data:" + std::string(to_string(kind)) +
             " seed:" + std::to_string(seed) + (file.empty() ? "" : " file:" + file) +
             " cache:" + std::string(to_string(plan.measure.cache)) +
             (held ? " clocks:" + std::string(to_string(plan.measure.clocks)) : "") +
             (plan.command ? " read:" + source_of_time(*plan.command) : ""),
         threshold > 0 && threshold < 1 ? threshold : 0, plan.command.has_value()});
  }

  void listed(CaseEntry&& entry) override {
    OneCase& one = cases_[entry.info.index];
    one.tally.info.name = std::move(entry.info.id);
    one.status = entry.status;
    if (one.status != CaseStatus::measured)
      one.tally.fail(entry.reason.empty() ? "no reason given" : entry.reason);
    one.experiment = static_cast<std::uint32_t>(entry.info.experiment);
    SideFindings findings;
    for (const Finding& found : entry.findings) {
      findings.emplace_back(found.id,
                            (found.subject.empty() ? "" : found.subject + ": ") + found.evidence);
    }
    one.tally.info.findings = findings_.of(together({}, findings));
    auto& params = one.tally.info.params;
    params.reserve(entry.info.params.entries().size());
    for (const auto& [axis, value] : entry.info.params.entries())
      params.emplace_back(axis, to_string(value));
    std::sort(params.begin(), params.end());
  }

  void measured(Place place, Measurement&& m, const RowWords& words) override {
    OneCase& one = cases_[m.case_index];
    if (place == Place::failed) return one.tally.fail(m.failed);
    add_kernels(one, m.kernel_code);
    if (side_.is_foreign()) return foreign_row(one, m, words);
    auto& facts = m.facts;
    if (place != Place::untimed) add_derived_facts(m, facts);
    if (!side_.metric().is_time()) add_metric(one, numbers_of(facts, m, words));
    add_kernel_times(facts, m.profile);
    one.tally.facts.add(facts);
    if (place == Place::untimed) return;
    const auto machine = machines_.number(m.machine);
    if (one.machine != 0 && one.machine != machine) {
      one.tally.fail(
          "measured by several machines, so its processes can't be compared with each other (to "
          "separate the machines: bench merge --by host or --by device)");
    }
    one.machine = machine;
    if (side_.metric().is_time()) {
      side_.add_value(one.tally, {words.time_s});
      if (side_.wants_spread()) one.tally.info.times.back().deviation = spread_of(m.samples_s);
      one.tally.info.times.back().throttled = throttled_share(m) == 1;
      const double tick_s = tick_s_ / std::max(1.0, static_cast<double>(m.launches_per_sample));
      one.tally.info.tick_s = std::max(one.tally.info.tick_s, tick_s);
    }
    launch(one, m);
  }

  void note(const std::string& text, const std::string& case_id) override {
    case_id.empty() ? side_.note(text) : side_.note(text, case_id);
  }

  void add_kernels(OneCase& one, const std::map<std::string, std::string>& code) {
    if (code.empty()) return;
    auto& known = one.tally.info.kernel_code;
    const auto kernels = kernels_.of(Labels(code.begin(), code.end()));
    known = known.empty() || known == kernels ? kernels : kernels_.of(together(known, kernels));
  }

  /// Each time is a repetition's. Numbers that are in no table of facts serve the metric alone.
  void foreign_row(OneCase& one, const Measurement& m, const RowWords& words) {
    one.tally.facts.add(m.facts);
    const Metric& metric = side_.metric();
    if (metric.is_time()) {
      one.tally.set_version(words.way);
      for (const double seconds : m.samples_s) side_.add_value(one.tally, {seconds});
      return;
    }
    bool found = false;
    for (const auto& number : words.numbers) {
      std::for_each(number.also.begin(), number.also.end(), [&](auto& name) { add_name(name); });
      add_name(number.name);
      const bool is_it =
          metric.name == number.name ||
          std::find(number.also.begin(), number.also.end(), metric.name) != number.also.end();
      if (found || !is_it) continue;
      found = true;
      side_.add_value(one.tally, number.is_time()
                                     ? MetricValue{number.value}
                                     : value_of_counter(metric, number.value, number.is_rate()));
    }
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
                                                  const Measurement& m, const RowWords& words) {
    for (const auto& number : words.numbers) {
      if (number.name == "bytes_per_second") numbers.emplace("bandwidth", number.value);
      numbers.emplace(number.name, number.value);
    }
    if (m.traffic.flops() > 0 && words.time_s > 0)
      numbers.emplace("flops", m.traffic.flops() / words.time_s);
    if (!m.device_samples_s.empty()) {
      numbers.emplace("device_time", stats::median(m.device_samples_s));
    } else if (m.quantiles && m.quantiles->device_median_s) {
      numbers.emplace("device_time", *m.quantiles->device_median_s);
    }
    return numbers;
  }

  /// Takes a fact as the time.
  void add_metric(OneCase& one, const std::map<std::string, double>& facts) {
    for (const auto& [name, value] : facts) {
      const FactInfo* known = find_fact(name);
      const bool is_time = known != nullptr && known->unit == Unit::seconds;
      const bool is_rate = name.ends_with("_per_second") ||
                           (known != nullptr && (known->unit == Unit::bytes_per_second ||
                                                 known->unit == Unit::flop_per_second));
      add_name(name);
      if (name != side_.metric().name) continue;
      side_.add_value(one.tally, is_time ? MetricValue{value}
                                         : value_of_counter(side_.metric(), value, is_rate));
    }
  }

  /// Puts down what can be asked for.
  void add_name(const std::string& name) {
    const bool is_known = std::find(metrics_.begin(), metrics_.end(), name) != metrics_.end();
    if (!name.empty() && !is_known) metrics_.push_back(name);
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
    if (one.launch == 0) one.launch = number;
    if (one.launch != number)
      one.tally.fail("its processes used different launch modes: " + launches_[one.launch] + "; " +
                     launch);
  }

  /// Hands on every case of the plan, in its order.
  void finish() override {
    if (!side_.is_foreign() && any_command_ && !any_kernel_) side_.forget_program();
    cases_.for_each([&](std::size_t, OneCase& one) { hand_on(one); });
  }

  void hand_on(OneCase& one) {
    const std::string& name = one.tally.info.name;
    if (one.status == CaseStatus::skipped || one.status == CaseStatus::not_run) {
      side_.note(
          one.status == CaseStatus::skipped ? "skipped, " + one.tally.info.failed : "not run",
          name);
      return;
    }
    if (!side_.wants(name)) return;
    if (!side_.is_foreign()) {
      const auto& [way, threshold, is_command] = experiments_[one.experiment];
      one.tally.info.threshold = threshold;
      const bool is_way = one.launch != 0 && !is_command;
      one.tally.set_version(is_way ? way + " launch:" + launches_[one.launch] : way);
    }
    const auto& info = one.tally.info;
    if (one.status == CaseStatus::measured && info.times.empty() && info.failed.empty()) {
      side_.lacks_metric(name, metrics_);
      return;
    }
    leave_out_throttled(one.tally.info.times);
    side_.add(std::move(one.tally));
  }

  SideBuilder& side_;
  ByCase<OneCase> cases_;  ///< in the plan's order
  std::vector<Experiment> experiments_;
  Lists<Labels> kernels_;
  Lists<SideFindings> findings_;
  Texts launches_;
  Texts machines_;
  std::vector<std::string> metrics_{"real_time"};  ///< what of any case can be compared
  double tick_s_ = 0;                              ///< of the timer
  bool on_gpu_ = false;
  bool any_command_ = false;
  bool any_kernel_ = false;
};

}  // namespace

std::unique_ptr<Events> side_view(SideBuilder& side) {
  return std::make_unique<SideView>(side);
}

}  // namespace apod::files
