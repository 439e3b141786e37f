#include "benchmarks/run/compile_check.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/run/worker_process.hpp"

namespace apod::run {
namespace {

/// What the code of a case depends on, and the block that it must fit; empty where the case can't
/// be launched.
std::string code_of(const Experiment& experiment, const Case& c) {
  std::string text;
  try {
    for (const auto& launch : experiment.kernel->family().shapes().launches(c.params)) {
      text += launch.file + "\n" + launch.kernel + "\n";
      for (const auto& define : launch.defines) text += define + "\n";
      for (const auto side : launch.block) text += std::to_string(side) + " ";
    }
  } catch (const file::SpecError&) {
    return "";
  }
  return std::to_string(c.experiment) + "\n" + text;
}

// Of what is not trusted: a short source can ask for any amount of work.
constexpr double most_untrusted_s = 20;      ///< a compilation
constexpr double most_untrusted_all_s = 60;  ///< all of a file

double limit_of(const Experiment& experiment) {
  const double limit = experiment.measure.timeout_s;
  return experiment.kernel->spec.outside ? limit : std::min(limit, most_untrusted_s);
}

/// What may have ended a compiler.
std::string limits_hint(const Experiment& experiment) {
  return experiment.kernel->spec.outside
             ? ""
             : " (compiling what is not trusted may take 1 GB and 20 s; --trust allows more)";
}

/// A worker that compiles. Its compiler, and what that leaves, ends with it.
class CompileWorker {
 public:
  WorkerProcess& process() { return process_; }

 private:
  const os::TemporaryFolder folder_;
  WorkerProcess process_{
      WorkerTool{.variables = {{"TMPDIR", folder_.path()}}, .starts_programs = true}};
};

/// Listeners to what is not wanted.
WorkerProcess::Listeners nobody(std::function<bool()> cancelled = [] { return false; }) {
  return {.stage = [](const std::string&) {},
          .device = [](const DeviceFacts&) {},
          .cancelled = std::move(cancelled),
          .traced = [](Trace) {}};
}

}  // namespace

std::vector<file::KernelSketch> sketch_kernels(const file::KernelSpec& spec) {
  record::WorkItem item;
  item.info.backend = BackendKind::cuda;
  item.experiment.kernel.emplace();
  item.experiment.kernel->spec = spec;
  item.pass = record::Pass::sketch;
  const auto outcome = CompileWorker().process().run(item, limit_of(item.experiment), nobody());
  if (!outcome.measurement) throw std::runtime_error("compiling: " + outcome.failed);
  if (!outcome.measurement->failed.empty()) throw std::runtime_error(outcome.measurement->failed);
  std::vector<file::KernelSketch> sketches;
  for (const auto& note : outcome.measurement->notes) {
    sketches.push_back(record::decode_sketch(note));
  }
  return sketches;
}

std::vector<CompileOutcome> compile_kernels(const Plan& plan, const Registry& registry, int device,
                                            const std::function<bool()>& cancelled,
                                            std::string& why_not) {
  std::vector<CompileOutcome> outcomes;
  const auto* backend = registry.backend(BackendKind::cuda);
  std::set<std::string> seen;
  std::unique_ptr<CompileWorker> worker;
  double untrusted_s = 0;
  for (const auto& c : plan.cases) {
    const auto& experiment = plan.experiment_of(c);
    if (!experiment.kernel) continue;
    if (backend == nullptr || !backend->kernel_files.compile) {
      why_not = "this build has no CUDA";
      return outcomes;
    }
    why_not = backend->kernel_files.missing ? backend->kernel_files.missing() : "";
    if (!why_not.empty() || cancelled()) return outcomes;
    const auto code = code_of(experiment, c);
    if (code.empty() || !seen.insert(code).second) continue;
    const bool is_trusted = experiment.kernel->spec.outside;
    if (!is_trusted && untrusted_s > most_untrusted_all_s) {
      outcomes.push_back({c.id, "not compiled: what is not trusted may take 60 s in all", {}});
      continue;
    }
    if (!worker) worker = std::make_unique<CompileWorker>();
    record::WorkItem item{
        .info = c, .experiment = experiment, .pass = record::Pass::compile, .device = device};
    item.experiment.expectations.clear();
    const auto begin = std::chrono::steady_clock::now();
    auto outcome = worker->process().run(item, limit_of(experiment), nobody(cancelled));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (!is_trusted) untrusted_s += taken.count();
    auto& made = outcomes.emplace_back(CompileOutcome{c.id, outcome.failed, {}});
    if (!outcome.failed.empty() && !outcome.usable) made.failed += limits_hint(experiment);
    if (outcome.measurement) {
      made.failed = outcome.measurement->failed;
      made.lines = outcome.measurement->notes;
    }
    if (!outcome.usable) worker.reset();
  }
  return outcomes;
}

void compile_ahead(const Plan& plan, const Registry& registry, int device,
                   const std::function<bool()>& cancelled) {
  constexpr std::size_t most = 16;
  const auto processors = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  std::vector<Plan> parts(std::min({most, processors, plan.cases.size()}));
  std::vector<std::jthread> threads;  // which end before this does, whatever happens
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& part = parts[i];
    part.experiments = plan.experiments;
    for (std::size_t c = i; c < plan.cases.size(); c += parts.size()) {
      if (plan.cases[c].skip.empty()) part.cases.push_back(plan.cases[c]);
    }
    threads.emplace_back([&] {
      try {
        std::string why_not;
        compile_kernels(part, registry, device, cancelled, why_not);
      } catch (const std::exception&) {
        // The case tells when it is measured.
      }
    });
  }
}

}  // namespace apod::run
