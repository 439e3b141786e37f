#include "benchmarks/run/case_runner.hpp"

#include <algorithm>
#include <chrono>

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;
using trace::Color;
using trace::Phase;

// Problems are kept for the next variant of the same data; more than this many would hold memory
// that the next ones need.
constexpr std::size_t problems_kept = 2;

}  // namespace

CaseRunner::CaseRunner(const Registry& registry) : registry_(registry) {
  trace::annotate_operations();
}

const DeviceFacts* CaseRunner::facts(BackendKind kind) const {
  const auto found = facts_.find(kind);
  return found == facts_.end() ? nullptr : &found->second;
}

void CaseRunner::profiler_start() {
  for (const auto& [kind, backend] : backends_) backend->profiler_start();
}

void CaseRunner::profiler_stop() {
  for (const auto& [kind, backend] : backends_) backend->profiler_stop();
}

Backend& CaseRunner::open(BackendKind kind, int device) {
  auto& slot = backends_[kind];
  if (!slot) {
    const auto* entry = registry_.backend(kind);
    if (entry == nullptr) {
      throw BackendError(BackendError::Code::unsupported,
                         "backend " + std::string(to_string(kind)) + " not built");
    }
    slot = entry->open(kind == BackendKind::host ? 0 : device);
    facts_[kind] = slot->facts();
  }
  return *slot;
}

std::shared_ptr<const Problem> CaseRunner::problem(const record::WorkItem& item) {
  const auto* family = registry_.family(item.experiment.workload);
  if (family == nullptr) throw std::runtime_error("unknown workload " + item.experiment.workload);
  // Only the family's own axes make a problem: 4 streams and 8 streams share one.
  Params own;
  for (const auto& axis : family->axes()) {
    if (const auto* value = item.info.params.find(axis.name)) own.set(axis.name, *value);
  }
  const auto same = [&](const CachedProblem& cached) {
    return cached.workload == item.experiment.workload && cached.params == own &&
           cached.data == item.experiment.data;
  };
  const auto found = std::find_if(problems_.begin(), problems_.end(), same);
  if (found != problems_.end()) {
    problems_.splice(problems_.begin(), problems_, found);
    return problems_.front().problem;
  }
  while (problems_.size() >= problems_kept) problems_.pop_back();
  problems_.push_front({item.experiment.workload, own, item.experiment.data,
                        family->make(own, item.experiment.data)});
  return problems_.front().problem;
}

void CaseRunner::do_pass(const record::WorkItem& item, const CaseHooks& hooks,
                         trace::PhaseTimers& timers, Measurement& measurement) {
  using record::Pass;
  const auto stage = [&](const std::string& name) {
    measurement.stage = name;
    hooks.stage(name);
  };
  stage("open");
  auto& backend = open(item.info.backend, item.device);
  if (item.pass == Pass::trace && !left_to_a_profiler(item.info.backend)) backend.expect_traces();
  stage("setup");
  const auto begin = Clock::now();
  std::unique_ptr<Variant> variant;
  std::shared_ptr<const Problem> data;
  std::unique_ptr<Pipeline> pipeline;
  {
    Phase phase(timers, "setup", Color::setup);
    const auto* entry = registry_.variant(item.experiment.workload, item.info.variant);
    if (entry == nullptr || !entry->make) {
      throw std::runtime_error("variant " + item.info.variant + " was not built");
    }
    variant = entry->make();
    data = problem(item);
    pipeline = std::make_unique<Pipeline>(backend, *data, *variant, item.info.params,
                                          item.experiment.scope, timers);
  }
  measurement.traffic = registry_.family(item.experiment.workload)->traffic(item.info.params);
  const PreparedCase prepared{.item = item,
                              .hooks = hooks,
                              .backend = backend,
                              .device = facts_.at(item.info.backend),
                              .problem = *data,
                              .variant = *variant,
                              .pipeline = *pipeline,
                              .timers = timers,
                              .measurement = measurement,
                              .begin = begin};
  // A profiled pass has been checked before, outside of what the profiler sees.
  if (item.pass != Pass::profile) prepared.check();
  measurement.facts = pipeline->facts();
  switch (item.pass) {
    case Pass::measure:
      return measure_pass(prepared, process_);
    case Pass::trace:
      return trace_pass(prepared, process_);
    case Pass::counters:
      return counters_pass(prepared);
    case Pass::energy:
      return energy_pass(prepared);
    case Pass::profile:
      return profile_pass(prepared);
    case Pass::peer:
      return peer_pass(prepared);
    case Pass::check:
      return;
  }
}

Measurement CaseRunner::run(const record::WorkItem& item, const CaseHooks& hooks) {
  Measurement measurement;
  measurement.case_index = item.info.index;
  measurement.case_id = item.info.id;
  measurement.process = item.process;
  const auto begin = Clock::now();
  trace::PhaseTimers timers;
  trace::Range experiment(item.experiment.name, Color::experiment, item.info.experiment);
  trace::Range range(item.info.id, Color::case_, item.info.index);
  try {
    do_pass(item, hooks, timers, measurement);
  } catch (const BackendError& error) {
    measurement.failed = error.what();
    device_lost_ = device_lost_ || error.code() == BackendError::Code::sticky;
  } catch (const std::bad_alloc&) {
    measurement.failed = "out of host memory";
  } catch (const std::exception& error) {
    measurement.failed = error.what();
  }
  if (!measurement.failed.empty()) {
    // What failed has no time, not even half of one.
    measurement.samples_s.clear();
    measurement.device_samples_s.clear();
    measurement.throttled.clear();
    measurement.clock.sample_mhz.clear();
  }
  measurement.phases = timers.times();
  measurement.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return measurement;
}

}  // namespace apod::run
