#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/look/trace/ranges.hpp"
#include "benchmarks/run/peers.hpp"
#include "benchmarks/run/pipeline.hpp"
#include "kernels/api/workload.hpp"

namespace apod::run {

/// Who hears of a case while it runs.
struct CaseHooks {
  std::function<void(const std::string& stage)> stage;  ///< a phase began
  std::function<bool()> cancelled;
  /// Takes the trace of an item that keeps it; may be empty if none does.
  std::function<void(Trace)> traced = {};
};

/// A case whose data is on its device, and the steps that its passes share. Every step throws
/// BackendError, or std::runtime_error with what is wrong with the case.
struct PreparedCase {
  const record::WorkItem& item;
  const CaseHooks& hooks;
  Backend& backend;
  const DeviceFacts& device;
  const Problem& problem;
  const Variant& variant;
  Pipeline& pipeline;
  trace::PhaseTimers& timers;
  Measurement& measurement;
  /// Of a kernel file: the same problem with other inputs, for checking.
  const std::vector<std::shared_ptr<const Problem>>& fresh;
  std::chrono::steady_clock::time_point begin;  ///< of its time limit

  void stage(const std::string& name) const;
  /// Runs the case once to its end, with what must be done before it.
  void run_once() const;
  /// The same without that, after restore() was called on the pipeline.
  void run_restored() const;
  /// Leaves the caches as the timed runs find them.
  void flush_cache() const;
  /// Runs the case once over a poisoned output, and verifies what it wrote.
  void check() const;
  /// Compares the output with the reference; `what` says which output it is in a message.
  void verify(const char* what) const;
  /// Does `work` while the other programs of the case run, if it has any.
  void beside_peers(const std::function<void(Peers&)>& work) const;
};

}  // namespace apod::run
