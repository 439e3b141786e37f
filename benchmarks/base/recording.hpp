#pragma once

/// \file
/// What another program did on GPUs: from an export of Nsight Systems, or from a run of ours.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/base/finding.hpp"
#include "benchmarks/base/profile.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/steps.hpp"
#include "kernels/api/activity.hpp"
#include "kernels/api/backend.hpp"

namespace apod {

/// Calls `act` with each list of the trace whose items have a start and an end.
template <class Act>
void each_timed_list(Trace& trace, const Act& act) {
  act(trace.activities);
  act(trace.calls);
  act(trace.synchronizations);
  act(trace.ranges);
  act(trace.overheads);
}

/// Moves every item by so many ns.
inline void shift(Trace& trace, std::int64_t by_ns) {
  each_timed_list(trace, [&](auto& items) {
    for (auto& item : items) {
      item.start_ns += by_ns;
      item.end_ns += by_ns;
    }
  });
}

inline void sort_by_start(Trace& trace) {
  const auto before = [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; };
  // Most recordings are in order already, and moving a million items is slow.
  each_timed_list(trace, [&](auto& items) {
    if (std::is_sorted(items.begin(), items.end(), before)) return;
    std::stable_sort(items.begin(), items.end(), before);
  });
}

/// Of a trace that is being read keeps the first `most` events in time, in whatever order they
/// come: each takes some hundred bytes. Events that start together with the first one
/// that is dropped are dropped, too.
class FirstEvents {
 public:
  explicit FirstEvents(std::size_t most) : most_(most) {}

  /// Counts an event, and says whether it may be one of the first. Drops some that are not.
  bool takes(Trace& trace, std::int64_t start_ns);
  /// Leaves no more than `most`, and notes in the trace what was dropped and how to record less.
  void finish(Trace& trace, const std::string& to_record_less);

 private:
  void drop_beyond(Trace& trace, std::size_t size);

  std::size_t most_;
  std::size_t seen_ = 0;
  std::int64_t end_ns_ = INT64_MAX;  ///< what starts from then on is dropped
};

/// How many events of a file are read: 2.3 GB of an export.
constexpr std::size_t most_events_read = 4'000'000;

/// No clock shows a time beyond this, and differences would not fit their type.
constexpr std::int64_t furthest_ns = std::int64_t{1} << 61;

struct TimeSpan {
  std::int64_t start_ns = INT64_MAX;
  std::int64_t end_ns = INT64_MIN;

  bool is_empty() const { return start_ns > end_ns; }
  bool is_too_long() const { return !is_empty() && end_ns - start_ns >= furthest_ns; }
  TimeSpan with(const TimeSpan& other) const {
    return {std::min(start_ns, other.start_ns), std::max(end_ns, other.end_ns)};
  }
};

/// From the first start to the last end.
inline TimeSpan span_of(Trace& trace) {
  TimeSpan span;
  each_timed_list(trace, [&](const auto& items) {
    for (const auto& item : items) span = span.with({item.start_ns, item.end_ns});
  });
  return span;
}

/// Sorts the trace by start, and moves its first item to 0. Throws std::runtime_error where times
/// are furthest_ns apart, or more.
inline void begin_at_zero(Trace& trace) {
  sort_by_start(trace);
  const auto span = span_of(trace);
  if (span.is_empty()) return;
  if (span.is_too_long()) throw std::runtime_error("its timestamps are too far apart");
  shift(trace, -span.start_ns);
}

/// By ApiCall::thread.
using ThreadNames = std::map<std::uint32_t, std::string>;

struct Recording {
  Trace trace;  ///< times in ns since the recording began
  /// The devices' facts, in the order of their index.
  std::vector<DeviceFacts> devices;
  std::string schema;                 ///< of an export: "3.7.2"; empty: unknown
  std::string producer;               ///< "NVIDIA Nsight Systems 2023.4.4.54"
  std::vector<std::string> programs;  ///< names of the processes that have rows in the trace
  ThreadNames thread_names;           ///< of those that have one
  // Of a run of bench inspect.
  std::string command;            ///< as it was given
  std::vector<std::string> part;  ///< flags of `bench inspect` that chose what is in it
  std::string date;               ///< ISO 8601
  std::optional<int> exit_code;   ///< 128 + signal if a signal ended it
};

/// The calls of one kind of collective in the steady steps.
struct Collective {
  std::string name;  ///< "all-reduce"; of a group of calls: those in it
  double bytes = 0;  ///< of one, as nccl-tests counts them
  std::size_t ranks = 0;
  Tally time;  ///< from the start of the last rank
  double bus_bytes_per_s = 0;
  double link_bytes_per_s = 0;  ///< of the slowest measured link; 0: not measured
};

/// Means over the steady steps of the busiest device, for comparisons. Times in seconds.
struct KeptSteps {
  std::string name;                        ///< "step N"; empty: nothing repeats
  std::vector<double> lengths;             ///< of each
  std::map<std::string, double> parts;     ///< of the mean step, see StepPart
  std::map<std::string, double> families;  ///< kernels of the mean step, see KernelFamily
  /// Of several devices the mean step of each and its parts: "device 1", "device 1: kernels".
  std::map<std::string, double> devices;
  WaitPlace wait;  ///< of all of them together
  // Of all of them together, by name; of copies "HtoD", "memset" ... A file has none.
  std::map<std::string, Tally> kernels;
  std::map<std::string, Tally> copies;

  bool empty() const { return lengths.empty(); }
};

/// What `bench inspect --try` measured of one switch.
struct TriedSwitch {
  std::string name;
  std::string finding;      ///< that it tests; empty: none
  double at_most_s = 0;     ///< what the finding costs a step at most
  std::size_t rounds = 0;   ///< pairs of processes, one without and one with it
  double base_s = 0;        ///< a step without it, median over the rounds of the median step
  double with_s = 0;        ///< likewise, with it
  Estimate change;          ///< of a step, a share, over the rounds; files keep its ends
  double start_base_s = 0;  ///< medians of the time before the steady steps
  double start_with_s = 0;
  std::string
      differs;  ///< what a step does otherwise: "12 of 38 kernels are others"; empty: nothing
  std::string failed;  ///< why there are no numbers
};

/// A recording with what follows from it, as a file keeps it.
struct KeptRecording {
  Recording recording;
  std::map<std::string, double> facts;  ///< of the timeline
  std::vector<Finding> findings;
  KeptSteps kept_steps;            ///< none in older files
  std::vector<TriedSwitch> tried;  ///< in the order of --try
  std::vector<Collective> collectives;
};

}  // namespace apod
