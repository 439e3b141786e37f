#pragma once

/// \file
/// The axis `programs`: other processes that run a case while this one measures it.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/model/measurement.hpp"
#include "benchmarks/run/worker_link.hpp"

namespace apod::run {

/// What peers did, each from its first run until it was told to stop: those that were ready early
/// ran on while the last got ready.
struct PeerRuns {
  std::uint64_t runs = 0;    ///< of all of them together
  double seconds_a_run = 0;  ///< their mean; 0 without runs
};

/// Processes of this program that do a case's work in a loop. They go away with this object, and
/// when this process is killed.
class Peers {
 public:
  using Clock = WorkerLink::Clock;

  /// The stage that a peer is in from its first run on.
  static constexpr const char* running = "run";
  /// The phase that it times each run as.
  static constexpr const char* run_phase = "run";

  explicit Peers(std::function<bool()> cancelled) : cancelled_(std::move(cancelled)) {}
  /// Kills those that are left.
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// Starts `count` peers on the item's case, and returns when each has checked its answer and
  /// runs. This function and the next two throw std::runtime_error, with what a peer said, where
  /// one can't be started, fails, ends or is late; and Cancelled.
  void start(const record::WorkItem& item, std::size_t count, Clock::time_point deadline);
  /// Whether all still run. Cheap: it looks every 20 ms.
  void look();
  /// Ends them.
  PeerRuns stop(Clock::time_point deadline);

  std::size_t count() const { return peers_.size(); }
  /// Processor time that they have used together, s.
  double processor_seconds() const;

 private:
  struct Peer {
    WorkerLink link;
    std::string stage = "start";
    std::optional<Measurement> measurement;
  };
  /// Reads what a peer says until there is enough; false at the deadline.
  bool listen(Peer& peer, Clock::time_point deadline, const std::function<bool()>& enough);
  void take(Peer& peer, const std::string& line);
  [[noreturn]] void fail(const Peer& peer, const std::string& reason) const;

  std::function<bool()> cancelled_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::size_t wanted_ = 0;
  Clock::time_point last_look_{};
};

}  // namespace apod::run
