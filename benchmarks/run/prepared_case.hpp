#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/look/trace/ranges.hpp"
#include "benchmarks/run/pipeline.hpp"
#include "benchmarks/run/worker_process.hpp"
#include "kernels/api/workload.hpp"

namespace apod::run {

/// Processes of this program that run a case in a loop. They end with this object, and with this
/// process however it ends.
class Peers {
 public:
  using Clock = WorkerLink::Clock;

  /// The stage that a peer is in from its first run on.
  static constexpr const char* running = "run";
  /// The phase that it times each run as.
  static constexpr const char* run_phase = "run";

  explicit Peers(std::function<bool()> cancelled) : cancelled_(std::move(cancelled)) {}
  /// Kills the remaining peers.
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// Starts `count` peers on the item's case, and returns when each has verified its output and is
  /// running. This function and the next two throw std::runtime_error, with the peer's message, if
  /// one can't be started, fails, ends or is late. They also throw Cancelled.
  void start(const record::WorkItem& item, std::size_t count, Clock::time_point deadline);
  /// Throws if one has ended. Cheap: it looks at most every 20 ms.
  void look();
  /// Ends them. Returns the runs of all peers, each from its first one until it was told to stop:
  /// those that were ready early ran while the others got ready.
  Tally stop(Clock::time_point deadline);

  std::size_t count() const { return peers_.size(); }
  /// The processor time of all peers, s.
  double processor_seconds() const;

 private:
  struct Peer {
    WorkerLink link;
    std::string stage = "start";
    std::optional<Measurement> measurement;
  };
  /// Reads messages of the peer until enough() is true; false at the deadline.
  bool listen(Peer& peer, Clock::time_point deadline, const std::function<bool()>& enough);
  void take(Peer& peer, const std::string& line);
  [[noreturn]] void fail(const Peer& peer, const std::string& reason) const;

  std::function<bool()> cancelled_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::size_t wanted_ = 0;
  Clock::time_point last_look_{};
};

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
