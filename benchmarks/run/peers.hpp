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

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/run/worker_link.hpp"

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

}  // namespace apod::run
