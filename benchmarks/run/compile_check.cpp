#include "benchmarks/run/compile_check.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

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

// Of what is not trusted: a short source can ask for any amount of work. Seconds are of processor
// time, so that a busy machine refuses nothing.
constexpr rlim_t most_bytes = rlim_t{768} << 20;  // of data: code that is mapped comes on top
constexpr rlim_t most_bytes_trusted = rlim_t{8} << 30;
constexpr rlim_t most_file_bytes = rlim_t{256} << 20;
constexpr double most_wall_s = 60;  ///< a compilation that waits

double limit_of(const Experiment& experiment) {
  const double limit = experiment.measure.timeout_s;
  return experiment.kernel->spec.outside ? limit : std::min(limit, most_wall_s);
}

/// Why a worker, or its compiler, failed, with the limits where it met one.
std::string with_limits(const std::string& failed, const Experiment& experiment) {
  // The first line says what happened, unless it is a compiler's of a place in a source.
  const auto line = failed.substr(0, failed.find('\n'));
  const auto says = [&](const char* words) { return line.find(words) != std::string::npos; };
  const bool is_met = !says("): ") && (says("no end after") || says("used up its ") ||
                                       says("out of memory") || says("bad_alloc"));
  if (!is_met || experiment.kernel->spec.outside) return failed;
  return failed + " (compiling an untrusted file may take 1 GB and " +
         std::to_string(most_untrusted_s) + " s of processor time; --trust allows more)";
}

/// Compilers, and what they leave, end with the worker.
WorkerTool compiling() {
  return {.starts_programs = true};
}

/// Listeners to what is not wanted.
WorkerProcess::Listeners nobody(std::function<bool()> cancelled = [] { return false; }) {
  return {.stage = [](const std::string&) {},
          .device = [](const DeviceFacts&) {},
          .cancelled = std::move(cancelled),
          .traced = [](Trace) {}};
}

}  // namespace

void limit_compiling(bool is_trusted) {
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  const auto most = is_trusted ? most_bytes_trusted : most_bytes;
  limit.rlim_cur = std::min({limit.rlim_cur, limit.rlim_max, most});
  ::setrlimit(RLIMIT_DATA, &limit);
  if (is_trusted) return;
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min({limit.rlim_cur, limit.rlim_max, most_file_bytes});
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::getrlimit(RLIMIT_CPU, &limit);
  static const rlim_t of_user = limit.rlim_cur;  // before it was first changed
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1);
  limit.rlim_cur =
      std::min({of_user, limit.rlim_max, seconds + static_cast<rlim_t>(most_untrusted_s)});
  ::setrlimit(RLIMIT_CPU, &limit);
}

std::vector<file::KernelSketch> sketch_kernels(const file::KernelSpec& spec) {
  record::WorkItem item;
  item.info.backend = BackendKind::cuda;
  item.experiment.kernel.emplace();
  item.experiment.kernel->spec = spec;
  item.pass = record::Pass::sketch;
  const auto outcome = WorkerProcess(compiling()).run(item, limit_of(item.experiment), nobody());
  if (!outcome.measurement) throw std::runtime_error("compiling: " + outcome.failed);
  if (!outcome.measurement->failed.empty()) throw std::runtime_error(outcome.measurement->failed);
  std::vector<file::KernelSketch> sketches;
  for (const auto& note : outcome.measurement->notes) {
    sketches.push_back(record::decode_sketch(note));
  }
  return sketches;
}

CompiledPlan compile_kernels(const Plan& plan, const Registry& registry, int device,
                             const std::function<bool()>& cancelled) {
  CompiledPlan compiled;
  const auto* backend = registry.backend(BackendKind::cuda);
  std::set<std::string> seen;
  std::unique_ptr<WorkerProcess> worker;
  double untrusted_s = 0;
  for (const auto& c : plan.cases) {
    const auto& experiment = plan.experiment_of(c);
    if (!experiment.kernel) continue;
    if (backend == nullptr || !backend->kernel_files.compile) {
      compiled.why_not = "this build has no CUDA";
      return compiled;
    }
    if (backend->kernel_files.missing) compiled.why_not = backend->kernel_files.missing();
    if (!compiled.why_not.empty() || cancelled()) return compiled;
    const auto code = code_of(experiment, c);
    if (code.empty() || !seen.insert(code).second) continue;
    const bool is_trusted = experiment.kernel->spec.outside;
    if (!is_trusted && untrusted_s >= most_untrusted_s) {
      ++compiled.left;
      continue;
    }
    if (!worker) worker = std::make_unique<WorkerProcess>(compiling());
    record::WorkItem item{
        .info = c, .experiment = experiment, .pass = record::Pass::compile, .device = device};
    item.experiment.expectations.clear();
    const double before_s = worker->processor_seconds();
    auto outcome = worker->run(item, limit_of(experiment), nobody(cancelled));
    // What a lost worker took is not known; its limit is.
    const double taken_s =
        outcome.usable ? worker->processor_seconds() - before_s : most_untrusted_s;
    if (!is_trusted) untrusted_s += taken_s;
    const auto& failed = outcome.measurement ? outcome.measurement->failed : outcome.failed;
    auto& made =
        compiled.outcomes.emplace_back(CompileOutcome{c.id, with_limits(failed, experiment), {}});
    if (outcome.measurement) made.lines = outcome.measurement->notes;
    if (!outcome.usable) worker.reset();
  }
  return compiled;
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
        compile_kernels(part, registry, device, cancelled);
      } catch (const std::exception&) {
        // The case tells when it is measured.
      }
    });
  }
}

}  // namespace apod::run
