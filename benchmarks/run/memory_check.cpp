#include "benchmarks/run/memory_check.hpp"

#include <exception>
#include <optional>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/sanitizer_log.hpp"
#include "benchmarks/run/worker_process.hpp"
#include "kernels/api/address_taken.hpp"
#include "kernels/data/poison.hpp"

namespace apod::run {
namespace {

constexpr std::size_t most_log_bytes = std::size_t{16} << 20;
/// How many times longer a case may take than without the sanitizer: racecheck looks at each access
/// to shared memory.
constexpr double times_longer = 30;

WorkerTool tool_of(MemoryFault fault, const std::string& sanitizer, const std::string& log) {
  // The children of a worker are compilers.
  WorkerTool tool{
      .words = {sanitizer, "--target-processes", "application-only", "--require-cuda-init", "no",
                "--show-backtrace", "no", "--log-file", log, "--tool"},
      .variables = {{arrays_apart_variable, "1"}}};
  switch (fault) {
    case MemoryFault::memory:
      // A call that asks whether there is another parameter ends with an error, which is no fault.
      tool.words.insert(tool.words.end(), {"memcheck", "--report-api-errors", "no"});
      break;
    case MemoryFault::race:
      tool.words.emplace_back("racecheck");
      break;
    case MemoryFault::init:
      // Copying the padding of an output is no mistake, and poison would be written memory.
      tool.words.insert(tool.words.end(), {"initcheck", "--check-api-memory-access", "no"});
      tool.variables.emplace_back(no_poison_variable, "1");
      break;
  }
  return tool;
}

/// Why a case failed. The errors of the sanitizer come first, because they cause the others.
std::string failure_of(MemoryFault fault, const files::SanitizerLog& log,
                       const std::string& worker_failed) {
  if (log.errors > 0) {
    return std::string(to_string(fault)) + ": " + text::counted(log.errors, "error") + ": " +
           (log.first.empty() ? "the log does not say where" : log.first);
  }
  if (!worker_failed.empty()) return worker_failed;
  if (log.complete) return "";
  return "compute-sanitizer did not finish" + (log.last.empty() ? "" : ": " + log.last);
}

std::optional<std::string> run_once(const record::WorkItem& item, MemoryFault fault,
                                    const std::string& sanitizer,
                                    const std::function<bool()>& cancelled) {
  const os::TemporaryFolder folder;
  const auto path = folder.path() + "/log";
  WorkOutcome outcome;
  {
    WorkerProcess worker(tool_of(fault, sanitizer, path));
    outcome = worker.run(item, times_longer * item.experiment.measure.timeout_s,
                         {.stage = [](const std::string&) {},
                          .device = [](const DeviceFacts&) {},
                          .cancelled = cancelled,
                          .traced = [](Trace) {}});
  }  // it has ended, so the log is whole
  if (outcome.cancelled) return std::nullopt;
  files::SanitizerLog log;
  try {
    log = files::read_sanitizer_log(os::read_file(path, most_log_bytes));
  } catch (const std::exception&) {
    log.last = "it wrote no log";
  }
  return failure_of(fault, log, outcome.measurement ? outcome.measurement->failed : outcome.failed);
}

std::string why_not_run(const Plan& plan, const Case& c) {
  if (!c.skip.empty()) return c.skip;
  if (plan.experiment_of(c).command)
    return "this case is a command: put compute-sanitizer in front of the command";
  return c.backend == BackendKind::cuda ? "" : "this case does not use a GPU";
}

}  // namespace

std::string find_sanitizer() {
  return os::find_in_toolkit("compute-sanitizer");
}

void check_cases(const Plan& plan, MemoryFault fault, const std::string& sanitizer, int device,
                 const std::function<void(const Case&, const CheckedCase&)>& checked,
                 const std::function<bool()>& cancelled) {
  constexpr int most_layouts = 8;  // of processes, for memory at given addresses
  for (const auto& c : plan.cases) {
    CheckedCase outcome{.failed = "", .clean = false, .skipped = why_not_run(plan, c)};
    if (outcome.skipped.empty()) {
      record::WorkItem item{.info = c,
                            .experiment = plan.experiment_of(c),
                            .pass = record::Pass::check,
                            .device = device};
      item.experiment.expectations.clear();
      for (int layout = 0; layout < most_layouts; ++layout) {
        const auto failed = run_once(item, fault, sanitizer, cancelled);
        if (!failed) return;
        outcome.failed = *failed;
        if (failed->find(capture::address_taken) == std::string::npos) break;
      }
      outcome.clean = outcome.failed.empty();
    }
    checked(c, outcome);
  }
}

}  // namespace apod::run
