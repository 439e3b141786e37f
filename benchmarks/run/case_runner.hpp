#pragma once

/// \file
/// Does one pass over one case in this process.

#include <list>
#include <map>
#include <memory>
#include <string>

#include "benchmarks/run/passes/passes.hpp"
#include "benchmarks/run/prepared_case.hpp"
#include "kernels/api/registry.hpp"

namespace apod::run {

/// Keeps what cases share in one process: open backends, and the last problems with their data.
class CaseRunner {
 public:
  /// Shows the operations of variants to profilers from now on.
  explicit CaseRunner(const Registry& registry);

  /// Never throws for a mistake of a case: the Measurement then says `failed` and in which stage.
  /// Throws Cancelled if hooks.cancelled() returns true.
  Measurement run(const record::WorkItem& item, const CaseHooks& hooks);

  /// The switch that `nsys profile -c cudaProfilerApi` listens to, of every backend that is open.
  void profiler_start();
  void profiler_stop();

  /// True after an error that the process does not survive (a sticky CUDA error): every later case
  /// in this process would fail.
  bool device_lost() const { return device_lost_; }

  /// The device facts of a backend that was opened by a case; null before.
  const DeviceFacts* facts(BackendKind kind) const;

 private:
  Backend& open(const record::WorkItem& item);
  std::shared_ptr<Problem> problem(const record::WorkItem& item);
  /// Computes the reference of `problem`, if it is an output of the device.
  static void compute_reference(const record::WorkItem& item, Backend& backend,
                                const DeviceFacts& device, const Variant& variant, Problem& problem,
                                trace::PhaseTimers& timers);
  static void take_reference(const record::WorkItem& item, Backend& backend,
                             const DeviceFacts& device, const Variant& variant, Problem& problem,
                             trace::PhaseTimers& timers);
  /// The same problem with new inputs, for a kernel file that is timed; none if they can't be made.
  std::vector<std::shared_ptr<const Problem>> fresh_problems(const record::WorkItem& item,
                                                             Backend& backend,
                                                             const Variant& variant,
                                                             const Problem& problem,
                                                             trace::PhaseTimers& timers);
  /// The kernels of a file, without a device.
  void compile(const record::WorkItem& item, Measurement& measurement) const;
  void sketch(const record::WorkItem& item, Measurement& measurement) const;
  /// Opens, sets up, checks, and does the pass of the item.
  void do_pass(const record::WorkItem& item, const CaseHooks& hooks, trace::PhaseTimers& timers,
               Measurement& measurement);

  const Registry& registry_;
  std::map<BackendKind, std::unique_ptr<Backend>> backends_;
  std::map<BackendKind, DeviceFacts> facts_;
  struct CachedProblem {
    std::string key;
    std::shared_ptr<Problem> problem;
  };
  std::list<CachedProblem> problems_;  ///< most recent first
  ProcessState process_;
  bool device_lost_ = false;
};

}  // namespace apod::run
