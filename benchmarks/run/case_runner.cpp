#include "benchmarks/run/case_runner.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <span>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/os/near.hpp"
#include "benchmarks/run/compile_check.hpp"
#include "benchmarks/run/host_reference.hpp"
#include "benchmarks/run/problem_key.hpp"
#include "kernels/api/code_facts.hpp"

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

Backend& CaseRunner::open(const record::WorkItem& item) {
  const auto kind = item.info.backend;
  auto& slot = backends_[kind];
  if (!slot) {
    const auto* entry = registry_.backend(kind);
    if (entry == nullptr) {
      throw BackendError(BackendError::Code::unsupported,
                         "backend " + std::string(to_string(kind)) + " not built");
    }
    const bool is_host = kind == BackendKind::host;
    // Before the driver takes memory.
    const auto place = is_host ? std::nullopt : os::place_near(item.pci_address);
    const auto pinned = place ? os::pin_to(*place) : std::nullopt;
    slot = entry->open(is_host ? 0 : item.device);
    facts_[kind] = slot->facts();
    if (pinned) facts_[kind].pinned_to = pinned->text();
  }
  return *slot;
}

std::shared_ptr<Problem> CaseRunner::problem(const record::WorkItem& item) {
  const auto* family = family_of(registry_, item.experiment);
  if (family == nullptr) throw std::runtime_error("unknown workload " + item.experiment.workload);
  const auto key = problem_key(*family, item.experiment, item.info);
  const auto found = std::find_if(problems_.begin(), problems_.end(),
                                  [&](const CachedProblem& cached) { return cached.key == key; });
  if (found != problems_.end()) {
    problems_.splice(problems_.begin(), problems_, found);
    return problems_.front().problem;
  }
  while (problems_.size() >= problems_kept) problems_.pop_back();
  problems_.push_front(
      {key, family->make(own_params(*family, item.experiment, item.info), item.experiment.data)});
  return problems_.front().problem;
}

void CaseRunner::compute_reference(const record::WorkItem& item, Backend& backend,
                                   const DeviceFacts& device, const Variant& variant,
                                   Problem& problem, trace::PhaseTimers& timers) {
  // Some want several, to learn how far they differ.
  while (problem.wants_output()) take_reference(item, backend, device, variant, problem, timers);
}

void CaseRunner::take_reference(const record::WorkItem& item, Backend& backend,
                                const DeviceFacts& device, const Variant& variant, Problem& problem,
                                trace::PhaseTimers& timers) {
  const auto& kernel = item.experiment.kernel;
  if (kernel && kernel->spec.reference.kind == file::ReferenceSpec::Kind::host) {
    const auto& layout = dynamic_cast<const file::KernelProblem&>(problem).layout();
    problem.take_output(
        host_reference(kernel->spec, layout, problem.input(), [] { return false; }));
    return;
  }
  const auto other = variant.reference();
  if (other) other->prepare(item.info.params, device);
  Pipeline pipeline(backend, problem, other ? *other : variant, item.info.params, Scope::kernel,
                    timers);
  pipeline.poison();
  pipeline.restore();
  pipeline.enqueue();
  pipeline.stream().synchronize();
  problem.take_output(pipeline.download());
  // No part of the answer may be left in or near the memory of the case's buffers.
  pipeline.poison();
}

std::vector<std::shared_ptr<const Problem>> CaseRunner::fresh_problems(const record::WorkItem& item,
                                                                       Backend& backend,
                                                                       const Variant& variant,
                                                                       const Problem& problem,
                                                                       trace::PhaseTimers& timers) {
  constexpr std::size_t most = 2;
  constexpr std::size_t most_bytes = std::size_t{2} << 30;  // of host memory, each
  std::vector<std::shared_ptr<const Problem>> fresh;
  if (!item.experiment.kernel || item.pass != record::Pass::measure) return fresh;
  const auto kind = item.experiment.kernel->spec.reference.kind;
  const auto bytes = problem.input().size() + problem.output_bytes(1);
  if (kind == file::ReferenceSpec::Kind::array || bytes > most_bytes) return fresh;
  if (item.experiment.kernel->spec.captured) return fresh;
  const auto& family = item.experiment.kernel->family();
  std::random_device chance;
  for (std::size_t i = 0; i < most; ++i) {
    auto data = item.experiment.data;
    data.seed = chance();
    std::shared_ptr<Problem> made =
        family.make(own_params(family, item.experiment, item.info), data);
    const auto same = [](std::span<const std::byte> a, std::span<const std::byte> b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    if (same(made->input(), problem.input())) return {};  // from files, or from formulas
    compute_reference(item, backend, facts_.at(item.info.backend), variant, *made, timers);
    fresh.push_back(std::move(made));
  }
  return fresh;
}

/// A few characters of a source can ask the compiler for any amount of memory. Where it gets no
/// more it ends this process, which does nothing else.
void CaseRunner::compile(const record::WorkItem& item, Measurement& measurement) const {
  const auto* entry = registry_.backend(item.info.backend);
  if (entry == nullptr || !entry->kernel_files.compile)
    throw std::runtime_error("this build can't compile kernels");
  std::string why;
  const auto devices = entry->devices(why);
  const auto index = static_cast<std::size_t>(item.device);
  measurement.notes = entry->kernel_files.compile(
      item.experiment.kernel.value().family(), item.info.params,
      index < devices.size() ? devices[index].compute_capability : std::string());
}

void CaseRunner::sketch(const record::WorkItem& item, Measurement& measurement) const {
  const auto* entry = registry_.backend(item.info.backend);
  if (entry == nullptr || !entry->kernel_files.sketch)
    throw std::runtime_error("this build can't compile kernels");
  for (const auto& one : entry->kernel_files.sketch(item.experiment.kernel.value().spec))
    measurement.notes.push_back(record::encode(one));
}

void CaseRunner::do_pass(const record::WorkItem& item, const CaseHooks& hooks,
                         trace::PhaseTimers& timers, Measurement& measurement) {
  using record::Pass;
  const auto stage = [&](const std::string& name) {
    measurement.stage = name;
    hooks.stage(name);
  };
  if (item.pass == Pass::compile || item.pass == Pass::sketch) {
    stage("compile");
    limit_compiling(item.experiment.kernel.value().spec.bounded);
    try {
      return item.pass == Pass::compile ? compile(item, measurement) : sketch(item, measurement);
    } catch (const file::SpecError&) {  // of what was compiled
      measurement.stage = "launch";
      throw;
    }
  }
  stage("open");
  auto& backend = [&]() -> Backend& {
    Phase phase(timers, "open", Color::setup);
    return open(item);
  }();
  if (item.pass == Pass::trace && !left_to_a_profiler(item.info.backend)) backend.expect_traces();
  stage("setup");
  const auto begin = Clock::now();
  std::unique_ptr<Variant> variant;
  std::shared_ptr<Problem> data;
  std::vector<std::shared_ptr<const Problem>> fresh;
  std::unique_ptr<Pipeline> pipeline;
  {
    Phase phase(timers, item.experiment.kernel ? "compile" : "setup", Color::setup);
    const auto entry = variant_of(registry_, item.experiment, item.info.variant);
    if (!entry || !entry->make)
      throw std::runtime_error("variant " + item.info.variant + " was not built");
    variant = entry->make();
    variant->prepare(item.info.params, facts_.at(item.info.backend));
  }
  {
    Phase phase(timers, "setup", Color::setup);
    data = problem(item);
    compute_reference(item, backend, facts_.at(item.info.backend), *variant, *data, timers);
    fresh = fresh_problems(item, backend, *variant, *data, timers);
    pipeline = std::make_unique<Pipeline>(backend, *data, *variant, item.info.params,
                                          item.experiment.scope, timers);
  }
  measurement.traffic = work_of(*family_of(registry_, item.experiment), *variant, item.info.params);
  const PreparedCase prepared{.item = item,
                              .hooks = hooks,
                              .backend = backend,
                              .device = facts_.at(item.info.backend),
                              .problem = *data,
                              .variant = *variant,
                              .pipeline = *pipeline,
                              .timers = timers,
                              .measurement = measurement,
                              .fresh = fresh,
                              .begin = begin};
  // A profiled pass has been checked before, outside of what the profiler sees.
  if (item.pass != Pass::profile) prepared.check();
  measurement.facts = pipeline->facts();
  if (const auto* code = dynamic_cast<const CodeFacts*>(variant.get())) {
    for (const auto& [name, value] : code->code_facts()) measurement.facts[name] += value;
  }
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
    case Pass::compile:
    case Pass::sketch:
      return;
  }
}

namespace {

/// A device that was lost may have missed what a capture left out.
std::string with_left_out(std::string failed, const record::WorkItem& item) {
  if (!item.experiment.kernel || !item.experiment.kernel->spec.captured) return failed;
  const auto& notes = item.experiment.kernel->spec.captured->launch.notes;
  for (auto note = notes.begin(); note != notes.end(); ++note) {
    if (std::find(notes.begin(), note, *note) == note) failed += "; the capture: " + *note;
  }
  return failed;
}

}  // namespace

Measurement CaseRunner::run(const record::WorkItem& item, const CaseHooks& hooks) {
  Measurement measurement{
      .case_index = item.info.index, .case_id = item.info.id, .process = item.process};
  const auto begin = Clock::now();
  trace::PhaseTimers timers;
  trace::Range experiment(item.experiment.name, Color::experiment, item.info.experiment);
  trace::Range range(item.info.id, Color::case_, item.info.index);
  try {
    do_pass(item, hooks, timers, measurement);
  } catch (const BackendError& error) {
    const bool is_lost = error.code() == BackendError::Code::sticky;
    measurement.failed = is_lost ? with_left_out(error.what(), item) : error.what();
    device_lost_ = device_lost_ || is_lost;
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
    measurement.launch_phases.clear();
    measurement.clock.sample_mhz.clear();
  }
  measurement.phases = timers.times();
  measurement.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return measurement;
}

}  // namespace apod::run
