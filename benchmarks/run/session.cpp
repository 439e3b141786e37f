#include "benchmarks/run/session.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>

#include "benchmarks/base/summary.hpp"
#include "benchmarks/look/findings.hpp"
#include "benchmarks/look/trace/counters.hpp"
#include "benchmarks/plan/expect.hpp"
#include "benchmarks/run/case_runner.hpp"
#include "benchmarks/run/command_runner.hpp"
#include "benchmarks/run/compile_check.hpp"
#include "benchmarks/run/environment.hpp"
#include "benchmarks/run/problem_key.hpp"
#include "benchmarks/run/sampler.hpp"
#include "benchmarks/run/worker_process.hpp"
#include "kernels/api/address_taken.hpp"

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;

// A machine may run out of processes or descriptors for a moment.
constexpr int start_attempts = 3;
constexpr int most_layouts = 8;  ///< of processes, for memory at given addresses
constexpr auto start_pause = std::chrono::milliseconds(250);

/// A failed check, and profiled runs, are kept as a measurement.
record::Pass kept_as(record::Pass pass) {
  using record::Pass;
  const bool adds = pass == Pass::trace || pass == Pass::counters || pass == Pass::energy;
  return adds ? pass : Pass::measure;
}

/// Puts what steps found into a Result.
class Collector {
 public:
  explicit Collector(Result& result) : result_(result) {}

  /// Whether the step need not be run: it was, or its case has failed.
  bool is_done(const Step& step) const;
  void add(JournalEntry entry);
  /// The device that the result is about: the GPU when one took part.
  void note_device(const DeviceFacts& facts);

 private:
  bool attach(record::Pass pass, Measurement extra);

  Result& result_;
  std::set<std::tuple<std::size_t, int, record::Pass>> done_;
  std::set<std::size_t> failed_;  ///< cases
};

bool Collector::is_done(const Step& step) const {
  return failed_.contains(step.case_index) ||
         done_.contains({step.case_index, step.process, step.pass});
}

void Collector::add(JournalEntry entry) {
  auto& measurement = entry.measurement;
  const std::tuple step{measurement.case_index, measurement.process, entry.pass};
  const bool failed = !measurement.failed.empty();
  // A case whose traced run gave a wrong answer is wrong, however well it was timed before.
  const bool wrong = failed && measurement.stage == "verify";
  if (entry.pass != record::Pass::measure && !wrong) {
    if (attach(entry.pass, std::move(measurement))) done_.insert(step);
    return;
  }
  done_.insert(step);
  if (failed) failed_.insert(measurement.case_index);
  result_.measurements.push_back(std::move(measurement));
}

/// A pass after the timed ones has no samples of its own: its facts join the case's first
/// measurement. A case that was measured well stays measured when such a pass failed. False where
/// the case has no measurement to join, as in a damaged journal: the pass is made again after one.
bool Collector::attach(record::Pass pass, Measurement extra) {
  const auto found = std::ranges::find_if(result_.measurements, [&](const Measurement& one) {
    return one.case_index == extra.case_index;
  });
  if (found == result_.measurements.end()) return false;
  const bool traced = pass == record::Pass::trace;
  for (const auto& [name, value] : extra.facts) found->facts[name] = value;
  if (traced) {
    found->kernel_code = std::move(extra.kernel_code);
    // Where a resumed run traces again, the counters are there already.
    std::swap(found->profile, extra.profile);
  }
  for (auto& one : extra.found) {
    for (auto& there : found->found) {
      if (there.name != one.name) continue;
      for (const auto& [name, value] : one.facts) there.facts[name] = value;
      there.kernel_code = std::move(one.kernel_code);
      there.profile = std::move(one.profile);
    }
  }
  trace::join_counters(extra.profile, found->profile);
  found->notes.insert(found->notes.end(), extra.notes.begin(), extra.notes.end());
  if (!extra.failed.empty())
    found->notes.push_back("no " + std::string(to_string(pass)) + ": " + extra.failed);
  return true;
}

void Collector::note_device(const DeviceFacts& facts) {
  auto& device = result_.environment.device;
  if (device.name.empty() || facts.backend == BackendKind::cuda) device = facts;
}

/// With fewer, each worker compiles what it measures.
constexpr std::size_t many_kernels = 5;

class Session {
 public:
  Session(Plan plan, const Registry& registry, const SessionOptions& options,
          const SessionListener& listener)
      : registry_(registry),
        options_(options),
        listener_(listener),
        collector_(result_),
        local_(registry) {
    result_.plan = std::move(plan);
    result_.order_seed = options.order_seed;
    first_of_problem_ = first_of_problem(result_.plan, registry);
    prepare_devices();
    // With a GPU open this process could not end what a compiler leaves, so workers compile. Many
    // kernels are compiled at once.
    if (has_kernel_files() && !options.compiled)
      compile_ahead(result_.plan, registry, options.device, options.in_process ? 1 : many_kernels,
                    listener.cancelled);
    pci_address_ = pci_address_of(options.device);
    result_.environment = read_environment();  // with what was just prepared
    // A process that has a GPU open can't guard others.
    if (has_commands()) {
      commands_.emplace(options.in_process ? os::Group::own : os::Group::guarded,
                        options.visible_device, tracing_by(options.inspect_library, registry));
    }
  }

  Result run() {
    const auto begin = Clock::now();
    take_resumed();
    if (run_all(first_rounds(result_.plan, options_)) && run_further_rounds())
      run_all(last_rounds(result_.plan, options_));
    worker_.reset();
    read_local_facts();
    result_.wall_s += std::chrono::duration<double>(Clock::now() - begin).count();
    options_.complete(result_);
    // A few profiled runs are not a measurement to judge.
    if (options_.profile_runs == 0) judge();
    return std::move(result_);
  }

 private:
  bool has_commands() const {
    const auto& all = result_.plan.experiments;
    return std::ranges::any_of(all, [](const auto& one) { return !!one.command; });
  }

  /// Whether a worker compiles, and may run a host reference.
  bool has_kernel_files() const {
    const auto& all = result_.plan.experiments;
    return std::ranges::any_of(all, [](const auto& one) { return !!one.kernel; });
  }

  void prepare_devices() const {
    std::map<BackendKind, std::int64_t> streams;
    for (const auto& c : result_.plan.cases) {
      auto& most = streams[c.backend];
      most = std::max(most, c.params.integer_or("streams", 1));
    }
    for (const auto& [kind, most] : streams) {
      const auto* entry = registry_.backend(kind);
      if (entry != nullptr && entry->prepare) entry->prepare(most);
    }
  }

  bool uses(BackendKind kind) const {
    const auto& cases = result_.plan.cases;
    return std::ranges::any_of(cases,
                               [&](const Case& c) { return c.backend == kind && c.skip.empty(); });
  }

  /// Of the GPU, where its address is known and a case uses it, and none the host, which has the
  /// processors near and far.
  std::string pci_address_of(int device) const {
    const auto* entry = registry_.backend(BackendKind::cuda);
    if (!uses(BackendKind::cuda) || uses(BackendKind::host) || entry == nullptr) return "";
    std::string why;
    const auto devices = entry->devices(why);
    const auto index = static_cast<std::size_t>(device);
    return index < devices.size() ? devices[index].pci_address : "";
  }

  void take_resumed() {
    for (const auto& entry : options_.resumed) {
      // What failed gets another chance: its cause may be gone. And a journal holds no traces:
      // where they are wanted, the case is traced again.
      const bool without_trace = entry.pass == record::Pass::trace && options_.keep_traces;
      if (!entry.measurement.failed.empty() || without_trace) continue;
      result_.wall_s += entry.measurement.wall_s;
      collector_.add(entry);
    }
  }

  /// False if no round may follow.
  bool run_all(const std::vector<Round>& rounds) {
    return std::ranges::all_of(rounds, [&](const Round& round) { return run_round(round); });
  }

  /// Likewise. Experiments begin with different numbers of processes.
  bool run_further_rounds() {
    int most = 0;
    for (const auto& experiment : result_.plan.experiments)
      most = std::max(most, experiment.measure.max_processes);
    for (int process = 1; process < most && options_.profile_runs == 0; ++process) {
      auto round = further_round(result_, process, options_);
      std::erase_if(round, [&](const Step& step) { return collector_.is_done(step); });
      if (round.empty()) continue;
      listener_.planned(round.size());
      if (!run_round(round)) return false;
    }
    return true;
  }

  /// Likewise.
  bool run_round(const Round& shuffled) {
    const auto round = by_problem(shuffled, first_of_problem_);
    worker_.reset();  // every round is a fresh process
    const bool profiled = !round.empty() && round.front().pass == record::Pass::profile;
    if (profiled) local_.profiler_start();
    for (const auto& step : round) {
      if (collector_.is_done(step)) continue;
      result_.interrupted = listener_.cancelled() || !run_step(step) || nothing_is_kept_;
      if (result_.interrupted || device_lost_here_) break;
    }
    if (profiled && !device_lost_here_) local_.profiler_stop();
    return !result_.interrupted && !device_lost_here_;
  }

  /// What the measurements mean: ceilings, findings, expectations.
  void judge() {
    if (options_.find_ceilings)
      result_.ceilings = options_.find_ceilings(result_.environment.device);
    auto summaries = summarize(result_);
    result_.findings = look::case_findings(result_, summaries);
    for (std::size_t i = 0; i < summaries.size(); ++i) summaries[i].findings = result_.findings[i];
    result_.expectations = plan::check_expectations(result_, summaries);
  }

  /// False when the run was cancelled meanwhile.
  bool run_step(const Step& step) {
    const auto& c = result_.plan.cases[step.case_index];
    record::WorkItem item{.info = c,
                          .experiment = result_.plan.experiment_of(c),
                          .process = step.process,
                          .pass = step.pass,
                          .profile_runs = options_.profile_runs,
                          .device = options_.device,
                          .pci_address = pci_address_,
                          .keep_trace = options_.keep_traces};
    item.experiment.expectations.clear();
    if (!take_turn(c, runs_alone(item.experiment, c))) return false;
    auto measurement =
        options_.in_process || item.experiment.command ? run_here(item, c) : run_in_worker(item, c);
    if (options_.turns != nullptr) options_.turns->give_back();
    if (!measurement) return false;
    // A check that passed has nothing to keep.
    if (step.pass != record::Pass::check || !measurement->failed.empty())
      keep({std::move(*measurement), kept_as(step.pass)});
    return true;
  }

  /// False when the run was cancelled meanwhile.
  bool take_turn(const Case& c, bool alone) {
    if (options_.turns == nullptr) return true;
    listener_.stage(c, "wait");
    return options_.turns->take(alone, listener_.cancelled);
  }

  std::optional<Measurement> run_here(const record::WorkItem& item, const Case& c) {
    const CaseHooks hooks{.stage = [&](const std::string& stage) { listener_.stage(c, stage); },
                          .cancelled = listener_.cancelled,
                          .traced = [&](Trace trace) { keep_trace(c, std::move(trace)); }};
    try {
      auto measurement =
          item.experiment.command ? commands_->run(item, hooks) : local_.run(item, hooks);
      if (local_.device_lost()) {
        device_lost_here_ = true;
        listener_.message("the device is lost; with --in-process no further case can run");
      }
      return measurement;
    } catch (const Cancelled&) {
      return std::nullopt;
    }
  }

  /// Where the memory of a captured launch has no room, another process may have it.
  std::optional<Measurement> run_in_worker(const record::WorkItem& item, const Case& c) {
    for (int layout = 1;; ++layout) {
      auto measurement = run_in_one_worker(item, c);
      const bool is_taken =
          measurement && measurement->failed.find(capture::address_taken) != std::string::npos;
      if (!is_taken || layout == most_layouts) return measurement;
      worker_.reset();  // in a process of another layout
    }
  }

  std::optional<Measurement> run_in_one_worker(const record::WorkItem& item, const Case& c) {
    start_worker();
    WorkOutcome outcome;
    try {
      outcome =
          worker_->run(item, item.experiment.measure.timeout_s,
                       {.stage = [&](const std::string& stage) { listener_.stage(c, stage); },
                        .device = [&](const DeviceFacts& facts) { collector_.note_device(facts); },
                        .cancelled = listener_.cancelled,
                        .traced = [&](Trace trace) { keep_trace(c, std::move(trace)); }});
    } catch (const std::exception& error) {
      outcome.failed = error.what();
      outcome.usable = false;
    }
    if (!outcome.usable) worker_.reset();
    if (outcome.cancelled) return std::nullopt;
    if (outcome.measurement) return std::move(outcome.measurement);
    if (outcome.timed_out) {
      const bool is_of_file = item.experiment.kernel && !item.experiment.kernel->spec.captured;
      outcome.failed += is_of_file
                            ? " (measure: timeout); perhaps the kernel does not end with this "
                              "data (to use real data: data: {file: ...} or bench capture)"
                            : " (measure: timeout)";
    }
    Measurement lost;
    lost.case_index = c.index;
    lost.case_id = c.id;
    lost.process = item.process;
    lost.failed = outcome.failed;
    lost.stage = outcome.stage;
    return lost;
  }

  /// If none can be started, no case is to blame: the run ends, and the cases don't fail.
  void start_worker() {
    for (int attempt = 1; !worker_; ++attempt) {
      try {
        worker_ =
            std::make_unique<WorkerProcess>(WorkerTool{.starts_programs = has_kernel_files()});
      } catch (const std::exception& error) {
        if (attempt == start_attempts) throw std::runtime_error(error.what());
        std::this_thread::sleep_for(start_pause);
      }
    }
  }

  void keep_trace(const Case& c, Trace trace) {
    result_.traces.push_back({c.index, std::move(trace)});
  }

  void keep(JournalEntry entry) {
    if (options_.journal != nullptr) write_down(entry);
    listener_.finished(result_.plan.cases.at(entry.measurement.case_index), entry.measurement);
    collector_.add(std::move(entry));
  }

  void write_down(const JournalEntry& entry) {
    auto& journal = *options_.journal;
    const bool was_behind = journal.unwritten() > 0;
    journal.append(entry);
    if (journal.unwritten() == 0) {
      if (was_behind) listener_.message("the journal is complete again");
      return;
    }
    nothing_is_kept_ = !options_.result_is_writable();
    if (nothing_is_kept_) {
      listener_.message(journal.problem() +
                        "; the result can't be written either, so the run ends");
    } else if (!was_behind) {
      listener_.message(journal.problem() + "; bench tries again after each case");
    }
  }

  void read_local_facts() {
    for (const auto kind : {BackendKind::host, BackendKind::cuda}) {
      if (const auto* facts = local_.facts(kind)) collector_.note_device(*facts);
    }
    const auto& device = result_.environment.device;
    if (device.backend == BackendKind::cuda && !device.name.empty()) return;
    // It has not been opened, or not here: take the facts that need no open device.
    const bool is_gpu = uses(BackendKind::cuda) || (has_commands() && device.name.empty());
    if (is_gpu && note_device(BackendKind::cuda, static_cast<std::size_t>(options_.device))) return;
    if (!device.name.empty()) return;
    note_device(BackendKind::host, 0);
  }

  bool note_device(BackendKind kind, std::size_t index) {
    const auto* entry = registry_.backend(kind);
    if (entry == nullptr) return false;
    std::string why;
    const auto devices = entry->devices(why);
    if (index < devices.size()) collector_.note_device(devices[index]);
    return index < devices.size();
  }

  const Registry& registry_;
  const SessionOptions& options_;
  const SessionListener& listener_;
  Result result_;
  std::vector<std::size_t> first_of_problem_;  ///< by case
  Collector collector_;
  CaseRunner local_;
  std::optional<CommandRunner> commands_;  ///< where the plan has any
  std::unique_ptr<WorkerProcess> worker_;
  std::string pci_address_;
  bool nothing_is_kept_ = false;  ///< neither the journal nor the result can be written
  bool device_lost_here_ = false;
};

}  // namespace

Result run_session(Plan plan, const Registry& registry, const SessionOptions& options,
                   const SessionListener& listener) {
  return Session(std::move(plan), registry, options, listener).run();
}

}  // namespace apod::run
