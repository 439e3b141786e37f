#include "benchmarks/run/session.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "benchmarks/inspect/case_findings.hpp"
#include "benchmarks/model/summary.hpp"
#include "benchmarks/plan/expect.hpp"
#include "benchmarks/run/case_runner.hpp"
#include "benchmarks/run/environment.hpp"
#include "benchmarks/run/sampler.hpp"
#include "benchmarks/run/worker_process.hpp"
#include "benchmarks/trace/counters.hpp"

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;

// A machine may be short of processes or descriptors for a moment.
constexpr int start_attempts = 3;
constexpr auto start_pause = std::chrono::milliseconds(250);

/// Worker processes can't be started at all.
struct NoWorkers : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One execution of one case.
struct Step {
  std::size_t case_index = 0;
  int process = 0;
  record::Pass pass = record::Pass::measure;
};
using Round = std::vector<Step>;

/// A check or profiled runs stand in for a measurement.
record::Pass kept_as(record::Pass pass) {
  return pass == record::Pass::trace || pass == record::Pass::counters ? pass
                                                                       : record::Pass::measure;
}

/// A round is what one fresh process does: every case once, in an order of its own. Shuffled, so
/// that a drift of the machine does not fall on the same cases in every round.
std::vector<Round> make_rounds(const Plan& plan, const SessionOptions& options) {
  const auto all_in_order = [&](record::Pass pass, auto wanted) {
    Round round;
    for (const auto& c : plan.cases) {
      if (c.skip.empty() && wanted(plan.experiment_of(c))) round.push_back({c.index, 0, pass});
    }
    return round;
  };
  const auto every = [](const ExperimentPlan&) { return true; };
  // The profiler sees the second round only: no check, no warm-up, every kernel as often as asked.
  if (options.profile_runs > 0) {
    return {all_in_order(record::Pass::check, every), all_in_order(record::Pass::profile, every)};
  }
  const bool once = options.in_process;
  int processes = 0;
  bool traced = false;
  bool counted = false;
  for (const auto& experiment : plan.experiments) {
    processes = std::max(processes, once ? 1 : experiment.measure.processes);
    traced = traced || experiment.measure.trace;
    counted = counted || experiment.measure.counters;
  }
  std::vector<Round> rounds;
  std::mt19937_64 random(options.order_seed);
  for (int process = 0; process < processes; ++process) {
    Round round;
    for (const auto& c : plan.cases) {
      const auto& measure = plan.experiment_of(c).measure;
      if (c.skip.empty() && (once ? process == 0 : process < measure.processes)) {
        round.push_back({c.index, process, record::Pass::measure});
      }
    }
    std::shuffle(round.begin(), round.end(), random);
    rounds.push_back(std::move(round));
  }
  // Tracing slows what comes after it in the same process, so it has a round of its own, the last.
  if (traced) {
    rounds.push_back(
        all_in_order(record::Pass::trace, [](const ExperimentPlan& e) { return e.measure.trace; }));
  }
  // Reading counters needs the profiler to itself, which the tracer holds.
  if (counted) {
    rounds.push_back(all_in_order(record::Pass::counters,
                                  [](const ExperimentPlan& e) { return e.measure.counters; }));
  }
  return rounds;
}

class Session {
 public:
  Session(Plan plan, const Registry& registry, const SessionOptions& options,
          const SessionListener& listener)
      : registry_(registry), options_(options), listener_(listener), local_(registry) {
    result_.plan = std::move(plan);
    result_.order_seed = options.order_seed;
    result_.environment = read_environment();
  }

  Result run() {
    const auto begin = Clock::now();
    // What failed gets another chance: its cause may be gone.
    for (const auto& entry : options_.resumed) {
      // A journal holds no traces: where they are wanted, the case is traced again.
      const bool without_trace = entry.pass == record::Pass::trace && options_.keep_traces;
      if (entry.measurement.failed.empty() && !without_trace) keep(entry, false);
    }
    for (const auto& round : make_rounds(result_.plan, options_)) {
      worker_.reset();  // every round is a fresh process
      const bool profiled = !round.empty() && round.front().pass == record::Pass::profile;
      if (profiled) local_.profiler_start();
      for (const auto& step : round) {
        if (already_done(step)) continue;
        if (listener_.cancelled() || !run_step(step)) {
          result_.interrupted = true;
          break;
        }
        if (device_lost_here_) break;
      }
      if (profiled && !device_lost_here_) local_.profiler_stop();
      if (result_.interrupted || device_lost_here_) break;
    }
    worker_.reset();
    read_local_facts();
    result_.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
    // A few profiled runs are no measurement to judge.
    if (options_.profile_runs == 0) judge();
    return std::move(result_);
  }

 private:
  /// What the measurements mean: ceilings, findings, expectations.
  void judge() {
    if (options_.find_ceilings) {
      result_.ceilings = options_.find_ceilings(result_.environment.device);
    }
    auto summaries = summarize(result_);
    result_.findings = inspect::case_findings(result_, summaries);
    for (std::size_t i = 0; i < summaries.size(); ++i) summaries[i].findings = result_.findings[i];
    result_.expectations = plan::check_expectations(result_, summaries);
  }

  bool already_done(const Step& step) const {
    if (failed_.count(step.case_index) > 0) return true;
    return done_.count({step.case_index, step.process, step.pass}) > 0;
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
                          .keep_trace = options_.keep_traces};
    item.experiment.expectations.clear();
    auto measurement = options_.in_process ? run_here(item, c) : run_in_worker(item, c);
    if (!measurement) return false;
    // A check that passed says nothing more.
    if (step.pass != record::Pass::check || !measurement->failed.empty()) {
      keep({std::move(*measurement), kept_as(step.pass)}, true);
    }
    return true;
  }

  std::optional<Measurement> run_here(const record::WorkItem& item, const Case& c) {
    try {
      auto measurement =
          local_.run(item, {.stage = [&](const std::string& stage) { listener_.stage(c, stage); },
                            .cancelled = listener_.cancelled,
                            .traced = [&](Trace trace) { keep_trace(c, std::move(trace)); }});
      if (local_.device_lost()) {
        device_lost_here_ = true;
        listener_.message("the device is lost; with --in-process no further case can run");
      }
      return measurement;
    } catch (const Cancelled&) {
      return std::nullopt;
    }
  }

  std::optional<Measurement> run_in_worker(const record::WorkItem& item, const Case& c) {
    WorkOutcome outcome;
    try {
      start_worker();
      outcome = worker_->run(item, item.experiment.measure.timeout_s,
                             {.stage = [&](const std::string& stage) { listener_.stage(c, stage); },
                              .device = [&](const DeviceFacts& facts) { note_device(facts); },
                              .cancelled = listener_.cancelled,
                              .traced = [&](Trace trace) { keep_trace(c, std::move(trace)); }});
    } catch (const NoWorkers&) {
      throw;
    } catch (const std::exception& error) {
      outcome.failed = error.what();
      outcome.usable = false;
    }
    if (!outcome.usable) worker_.reset();
    if (outcome.cancelled) return std::nullopt;
    if (outcome.measurement) return std::move(outcome.measurement);
    Measurement lost;
    lost.case_index = c.index;
    lost.case_id = c.id;
    lost.process = item.process;
    lost.failed = outcome.failed;
    lost.stage = outcome.stage;
    return lost;
  }

  /// That none can be started is the fault of no case: it ends the run rather than failing them
  /// all.
  void start_worker() {
    for (int attempt = 1; !worker_; ++attempt) {
      try {
        worker_ = std::make_unique<WorkerProcess>();
      } catch (const std::exception& error) {
        if (attempt == start_attempts) throw NoWorkers(error.what());
        std::this_thread::sleep_for(start_pause);
      }
    }
  }

  void keep_trace(const Case& c, Trace trace) {
    result_.traces.push_back({c.index, std::move(trace)});
  }

  void keep(JournalEntry entry, bool fresh) {
    const auto index = entry.measurement.case_index;
    const auto& c = result_.plan.cases.at(index);
    done_.insert({index, entry.measurement.process, entry.pass});
    if (fresh) {
      write_journal(entry);
      listener_.finished(c, entry.measurement);
    }
    const bool failed = !entry.measurement.failed.empty();
    // A case whose traced run gave a wrong answer is wrong, however well it was timed before.
    const bool wrong = failed && entry.measurement.stage == "verify";
    if (entry.pass != record::Pass::measure && !wrong) {
      attach(index, entry.pass, std::move(entry.measurement));
      return;
    }
    if (failed) failed_.insert(index);
    result_.measurements.push_back(std::move(entry.measurement));
  }

  /// A traced or counted pass has no samples of its own: its facts join the case's first
  /// measurement. A case that was measured well stays measured when such a pass failed.
  void attach(std::size_t index, record::Pass pass, Measurement extra) {
    const bool traced = pass == record::Pass::trace;
    for (auto& measurement : result_.measurements) {
      if (measurement.case_index != index) continue;
      for (const auto& [name, value] : extra.facts) measurement.facts[name] = value;
      if (traced) {
        measurement.kernel_code = std::move(extra.kernel_code);
        // Where a resumed run traces again, the counters are there already.
        std::swap(measurement.profile, extra.profile);
      }
      trace::join_counters(extra.profile, measurement.profile);
      auto& notes = measurement.notes;
      notes.insert(notes.end(), extra.notes.begin(), extra.notes.end());
      if (!extra.failed.empty()) {
        notes.push_back((traced ? "no trace: " : "no counters: ") + extra.failed);
      }
      return;
    }
  }

  void write_journal(const JournalEntry& entry) {
    if (journal_lost_ || options_.journal == nullptr) return;
    try {
      options_.journal->append(entry);
    } catch (const std::exception& error) {
      // The run is worth more than its journal.
      journal_lost_ = true;
      listener_.message(std::string(error.what()) + "; going on without it");
    }
  }

  /// The device that the result is about: the GPU when one took part.
  void note_device(const DeviceFacts& facts) {
    auto& device = result_.environment.device;
    if (device.name.empty() || facts.backend == BackendKind::cuda) device = facts;
  }
  void read_local_facts() {
    for (const auto kind : {BackendKind::host, BackendKind::cuda}) {
      if (const auto* facts = local_.facts(kind)) note_device(*facts);
    }
    if (!result_.environment.device.name.empty()) return;
    // Everything was resumed, or nothing ran: what can be had without opening a device.
    bool cuda = false;
    for (const auto& c : result_.plan.cases) cuda = cuda || c.backend == BackendKind::cuda;
    const auto* entry = registry_.backend(cuda ? BackendKind::cuda : BackendKind::host);
    if (entry == nullptr) return;
    std::string why;
    const auto devices = entry->devices(why);
    const auto index = cuda ? static_cast<std::size_t>(options_.device) : 0;
    if (index < devices.size()) note_device(devices[index]);
  }

  const Registry& registry_;
  const SessionOptions& options_;
  const SessionListener& listener_;
  Result result_;
  CaseRunner local_;
  std::unique_ptr<WorkerProcess> worker_;
  bool journal_lost_ = false;
  bool device_lost_here_ = false;
  std::set<std::tuple<std::size_t, int, record::Pass>> done_;
  std::set<std::size_t> failed_;
};

}  // namespace

std::size_t count_steps(const Plan& plan, const SessionOptions& options) {
  std::size_t steps = 0;
  for (const auto& round : make_rounds(plan, options)) steps += round.size();
  return steps;
}

Result run_session(Plan plan, const Registry& registry, const SessionOptions& options,
                   const SessionListener& listener) {
  return Session(std::move(plan), registry, options, listener).run();
}

}  // namespace apod::run
