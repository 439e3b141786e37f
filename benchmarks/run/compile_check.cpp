#include "benchmarks/run/compile_check.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "benchmarks/run/worker_process.hpp"

namespace apod::run {
namespace {

/// What the code of a case depends on, and the blocks that it must fit; empty where the case can't
/// be launched.
std::pair<std::string, std::string> code_of(const Experiment& experiment, const Case& c) {
  std::string code = std::to_string(c.experiment) + "\n";
  std::string blocks;
  try {
    for (const auto& launch : experiment.kernel->family().shapes().launches(c.params)) {
      code += launch.file + "\n" + launch.kernel + "\n";
      for (const auto& define : launch.defines) code += define + "\n";
      for (const auto side : launch.block) blocks += std::to_string(side) + " ";
    }
  } catch (const file::SpecError&) {
    return {};
  }
  return {code, blocks};
}

// Limits for compiling, because a short source can cause any amount of work. Seconds are processor
// time, so that a busy machine refuses no source.
constexpr rlim_t most_data = rlim_t{768} << 20;  // of one process: code that is mapped comes on top
constexpr double most_bytes = 1e9;               // of all processes together
constexpr rlim_t most_data_trusted = rlim_t{8} << 30;
constexpr rlim_t most_file_bytes = rlim_t{256} << 20;
constexpr double most_wall_s = 60;  ///< a compilation that waits

/// What bounded compilations of this program have taken, however many they were.
std::atomic<double> taken_s = 0;

double limit_of(const Experiment& experiment) {
  const double limit = experiment.measure.timeout_s;
  return experiment.kernel->spec.bounded ? std::min(limit, most_wall_s) : limit;
}

/// Whether a worker, or its compiler, failed because it met a limit. The first line says what
/// happened, unless it is a compiler's of a place in a source.
bool met_limit(const WorkOutcome& outcome) {
  const auto& failed = outcome.measurement ? outcome.measurement->failed : outcome.failed;
  const auto line = failed.substr(0, failed.find('\n'));
  const auto says = [&](const char* words) { return line.find(words) != std::string::npos; };
  return outcome.timed_out ||
         (!says("): ") && (says("used up its ") || says("out of memory") || says("bad_alloc")));
}

/// With the limits that it met.
std::string with_limits(std::string failed, bool is_bounded) {
  const auto end = std::min(failed.find('\n'), failed.size());
  if (is_bounded) {
    return failed.insert(end, " (without --trust, the limit for compiling is 1 GB and " +
                                  std::to_string(most_bounded_s) + " s of CPU time in total)");
  }
  const bool is_memory = failed.find("memory") < end || failed.find("bad_alloc") < end;
  return is_memory ? failed.insert(end, " (the limit for one compiler process is 8 GB)") : failed;
}

/// Compilers, and what they leave, end with the worker.
WorkerTool compiling() {
  return {.starts_programs = true};
}

/// A worker's outcome. A bounded one ends when all its processes together have taken too much.
WorkOutcome watched(WorkerProcess& worker, const record::WorkItem& item,
                    const std::function<bool()>& cancelled) {
  const bool is_bounded = item.experiment.kernel->spec.bounded;
  const double before_s = is_bounded ? worker.use().processor_s : 0;
  double seen_s = before_s;
  const char* used_up = nullptr;
  const auto ends = [&] {
    if (cancelled()) return true;
    if (!is_bounded) return false;
    const auto use = worker.use();
    seen_s = use.processor_s;
    if (taken_s + use.processor_s - before_s > most_bounded_s) used_up = "processor time";
    if (use.resident_bytes > most_bytes) used_up = "memory";
    return used_up != nullptr;
  };
  auto outcome = worker.run(item, limit_of(item.experiment),
                            {.stage = [](const std::string&) {},
                             .device = [](const DeviceFacts&) {},
                             .cancelled = ends,
                             .traced = [](Trace) {}});
  if (used_up != nullptr && outcome.cancelled) {
    outcome.cancelled = false;
    outcome.failed = std::string("the compiler used up its ") + used_up;
  }
  // What a lost worker's own compiler took is known only from when it was last looked at.
  if (is_bounded) taken_s += std::max(seen_s, worker.use().processor_s) - before_s;
  return outcome;
}

}  // namespace

void limit_compiling(bool is_bounded) {
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  const auto most = is_bounded ? most_data : most_data_trusted;
  limit.rlim_cur = std::min({limit.rlim_cur, limit.rlim_max, most});
  ::setrlimit(RLIMIT_DATA, &limit);
  if (!is_bounded) return;
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min({limit.rlim_cur, limit.rlim_max, most_file_bytes});
  ::setrlimit(RLIMIT_FSIZE, &limit);
  // The sum of all processes is limited only while this program's parent runs.
  ::getrlimit(RLIMIT_CPU, &limit);
  static const rlim_t of_user = limit.rlim_cur;  // before it was first changed
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  limit.rlim_cur = std::min({of_user, limit.rlim_max, seconds + most_bounded_s + 2});
  ::setrlimit(RLIMIT_CPU, &limit);
}

std::vector<file::KernelSketch> sketch_kernels(const file::KernelSpec& spec) {
  record::WorkItem item;
  item.info.backend = BackendKind::cuda;
  item.experiment.kernel.emplace();
  item.experiment.kernel->spec = spec;
  item.pass = record::Pass::sketch;
  WorkerProcess worker(compiling());
  const auto outcome = watched(worker, item, [] { return false; });
  const auto failed =
      outcome.measurement ? outcome.measurement->failed : "compiling: " + outcome.failed;
  if (met_limit(outcome)) throw CompileLimit(with_limits(failed, spec.bounded));
  if (!outcome.measurement || !failed.empty()) throw std::runtime_error(failed);
  std::vector<file::KernelSketch> sketches;
  for (const auto& note : outcome.measurement->notes)
    sketches.push_back(record::decode_sketch(note));
  return sketches;
}

CompiledPlan compile_kernels(const Plan& plan, const Registry& registry, int device,
                             const std::function<bool()>& cancelled) {
  CompiledPlan compiled;
  const auto* backend = registry.backend(BackendKind::cuda);
  std::set<std::pair<std::string, std::string>> seen;
  std::unique_ptr<WorkerProcess> worker;
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
    if (code.first.empty() || !seen.insert(code).second) continue;
    const bool is_bounded = experiment.kernel->spec.bounded;
    if (is_bounded && taken_s >= most_bounded_s) {
      ++compiled.left;
      continue;
    }
    if (!worker) worker = std::make_unique<WorkerProcess>(compiling());
    record::WorkItem item{
        .info = c, .experiment = experiment, .pass = record::Pass::compile, .device = device};
    item.experiment.expectations.clear();
    const auto outcome = watched(*worker, item, cancelled);
    const auto& failed = outcome.measurement ? outcome.measurement->failed : outcome.failed;
    const bool is_good =
        outcome.measurement && (failed.empty() || outcome.measurement->stage == "launch");
    const bool met = met_limit(outcome);
    auto& made = compiled.outcomes.emplace_back(
        CompileOutcome{c.id, code.first, met ? with_limits(failed, is_bounded) : failed, is_good,
                       is_bounded && met});
    if (outcome.measurement) made.lines = outcome.measurement->notes;
    if (!outcome.usable) worker.reset();
  }
  return compiled;
}

void compile_ahead(const Plan& plan, const Registry& registry, int device, std::size_t least,
                   const std::function<bool()>& cancelled, bool gives_way) {
  constexpr std::size_t most = 16;
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<Case> cases;  // one of each code
  for (const auto& c : plan.cases) {
    const auto& experiment = plan.experiment_of(c);
    if (experiment.kernel && c.skip.empty() && seen.insert(code_of(experiment, c)).second)
      cases.push_back(c);
  }
  if (cases.size() < least) return;
  auto processors = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  if (gives_way && processors > 1) --processors;
  // Together they may take what the machine has.
  const auto memory = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto held = std::max<std::size_t>(memory / most_data_trusted, 1);
  std::vector<Plan> parts(std::min({most, processors, held, cases.size()}));
  std::mutex mutex;
  const auto ends = [&] {
    const std::lock_guard lock(mutex);
    return cancelled();
  };
  std::vector<std::jthread> threads;  // which end before this does, whatever happens
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& part = parts[i];
    part.experiments = plan.experiments;
    for (std::size_t c = i; c < cases.size(); c += parts.size()) part.cases.push_back(cases[c]);
    threads.emplace_back([&] {
      if (gives_way) ::setpriority(PRIO_PROCESS, 0, 19);  // of this thread, and what it starts
      try {
        compile_kernels(part, registry, device, ends);
      } catch (const std::exception&) {
        // The case tells when it is measured.
      }
    });
  }
}

}  // namespace apod::run
