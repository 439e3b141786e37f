#pragma once

/// \file
/// Measures one case in this process: setup, verify, warm-up, pilot, timed samples.

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "benchmarks/inspect/program_code.hpp"
#include "benchmarks/model/measurement.hpp"
#include "benchmarks/record/codec.hpp"
#include "benchmarks/run/other_load.hpp"
#include "benchmarks/run/peers.hpp"
#include "benchmarks/run/sampler.hpp"
#include "kernels/api/registry.hpp"

namespace apod::run {

struct CaseHooks {
  std::function<void(const std::string& stage)> stage;  ///< a phase began
  std::function<bool()> cancelled;
  /// Takes the trace of an item that keeps it; may be empty where none does.
  std::function<void(Trace)> traced = {};
};

/// Keeps what cases share in one process: open backends, and the last problems with their data.
class CaseRunner {
 public:
  /// Shows the operations of variants to profilers from now on.
  explicit CaseRunner(const Registry& registry);

  /// Never throws for what a case does wrong: the Measurement then says `failed` and in which
  /// stage. Throws Cancelled when hooks.cancelled() said so.
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
  Backend& open(BackendKind kind, int device);
  void add_instructions(Measurement& traced, double limit_s);
  void measure(const record::WorkItem& item, const SamplerHooks& sampler, Backend& backend,
               const Peers& peers, trace::PhaseTimers& timers, Measurement& measurement);
  std::shared_ptr<const Problem> problem(const record::WorkItem& item);

  const Registry& registry_;
  std::map<BackendKind, std::unique_ptr<Backend>> backends_;
  std::map<BackendKind, DeviceFacts> facts_;
  struct CachedProblem {
    std::string workload;
    Params params;
    DataSpec data;
    std::shared_ptr<const Problem> problem;
  };
  std::list<CachedProblem> problems_;  ///< most recent first
  OtherLoad others_;
  /// Of this program's kernels on the GPU; read once, when the first of them was traced.
  std::optional<inspect::ProgramMixes> mixes_;
  bool device_lost_ = false;
  std::chrono::steady_clock::time_point last_device_work_{};
};

}  // namespace apod::run
