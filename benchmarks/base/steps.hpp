#pragma once

/// \file
/// The steps of a program on one device, and where the time of each goes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/profile.hpp"
#include "kernels/api/types.hpp"

namespace apod {

/// What an instant of a device counts as. The first that applies: a kernel that computes was
/// running; one that communicates; a copy or a memset; else the device was idle, and what the host
/// threads that give it work did meanwhile decides.
enum class StepPart : std::uint8_t {
  kernels,
  communication,  ///< alone: no kernel that computes hides it
  copies,         ///< alone: no kernel hides them
  between,        ///< the next operation was queued already: the device's own pause
  launching,      ///< preparing and making launches, until the operation starts
  copy_calls,     ///< in a call that copies: staging pageable memory
  waiting,        ///< in a call that waits for the device
  allocating,     ///< memory, of the device or pinned
  loading,        ///< code, functions, libraries; a kernel's first launch
  other_calls,
  no_call,   ///< for at least 0.25 ms no thread was in a call
  recorder,  ///< the recorder held the program up
};
template <>
struct EnumNames<StepPart> {
  static constexpr std::array<std::string_view, 12> names{
      "kernels",      "communication alone", "copies alone",  "between operations",
      "launching",    "copy calls",          "waiting calls", "allocating",
      "loading code", "other calls",         "no CUDA call",  "recorder"};
};
inline constexpr std::size_t step_parts = EnumNames<StepPart>::names.size();
/// Those of the program: all but the recorder, the last, which the program does not have.
inline constexpr std::size_t program_parts = step_parts - 1;
static_assert(static_cast<std::size_t>(StepPart::recorder) == program_parts);

/// Seconds by StepPart. Sums leave the recorder out.
struct Parts {
  std::array<double, step_parts> s{};

  double& operator[](StepPart part) { return s[static_cast<std::size_t>(part)]; }
  double operator[](StepPart part) const { return s[static_cast<std::size_t>(part)]; }
  double total_s() const { return sum_from(StepPart::kernels); }
  /// All in which the device was idle.
  double idle_s() const { return sum_from(StepPart::between); }
  void add(const Parts& other) {
    for (std::size_t i = 0; i < s.size(); ++i) s[i] += other.s[i];
  }

 private:
  double sum_from(StepPart first) const {
    return std::accumulate(s.begin() + static_cast<std::size_t>(first), s.begin() + program_parts,
                           0.0);
  }
};

/// The parts that are not 0, by name.
inline std::map<std::string, double> by_name(const Parts& parts) {
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < step_parts; ++i) {
    if (parts.s[i] > 0) named.emplace(to_string(static_cast<StepPart>(i)), parts.s[i]);
  }
  return named;
}

/// From such names; others are ignored.
inline Parts parts_named(const std::map<std::string, double>& named) {
  Parts parts;
  for (std::size_t i = 0; i < step_parts; ++i) {
    const auto found = named.find(std::string(to_string(static_cast<StepPart>(i))));
    if (found != named.end()) parts.s[i] = found->second;
  }
  return parts;
}

/// From the end of the last operation of the previous step to the end of its own last one.
struct Step {
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  Parts parts;
  double outside_s = 0;  ///< of the part `no_call`: outside of the step's own range
};

/// Kernels that take less time than their launch, for which the device waited, by their place.
struct LateKernels {
  std::string where;  ///< an NVTX range, "forward", "backward", "after backward"; empty: not known
  Tally time;         ///< of the kernels
  Tally wait;         ///< of the device before them
  Tally interval;     ///< from the launch before to theirs, on one thread
};

inline constexpr std::uint64_t read_bytes = 4096;  ///< at most in a read of a few numbers

/// Waits of a device for a read, by which the host takes a few numbers from it, and for the launch
/// behind it, if the host waited for the numbers.
struct ReadWaits {
  std::size_t count = 0;  ///< of the launches
  Parts parts;
  std::map<std::string, double> where;  ///< seconds by the place of the launch: see LateKernels

  void add(const Parts& wait, const std::string& place) {
    parts.add(wait);
    where[place] += wait.idle_s();
  }
};

/// Where a device waits for the host: between which operations, and where the host was meanwhile.
/// A part that is empty differs.
struct WaitPlace {
  std::string after;   ///< short names of kernels, "HtoD" ...
  std::string before;  ///< likewise
  std::string where;   ///< "in 'load'", "in backward", "between steps"
  Tally time;          ///< of these waits
  double all_s = 0;    ///< of all waits for the host

  bool empty() const { return time.empty(); }
};

/// What recording adds to a call at most: results/inspect_cost.txt.
inline constexpr double recorded_call_s = 1.4e-6;

/// How the steps were found.
enum class StepsBy : std::uint8_t { ranges, launches, nothing };

/// Of one device. If nothing repeats there is one step, the whole run.
struct Steps {
  StepsBy by = StepsBy::nothing;
  std::string name;          ///< "step N", or what each of the repeated launches begins with
  std::size_t found = 0;     ///< steps in all, including the start
  std::vector<Step> steady;  ///< the steps that are judged, in order
  std::vector<std::string> start_names;  ///< of the steps that belong to the start
  std::int64_t begin_ns = 0;             ///< of the recording: its first event
  std::vector<NamedTime> start;  ///< causes of the time before the steady steps, longest first
  double start_s = 0;
  WaitPlace wait;  ///< of the steady steps: the place of more than half of the waits, if any
  std::vector<LateKernels> late;   ///< of the steady steps together, longest wait first
  double long_late_s = 0;          ///< waits for the launch of other operations, which are longer
  double behind_waits_s = 0;       ///< of these, for launches that a wait of the host precedes
  ReadWaits reads;                 ///< of the steady steps together
  std::string within;              ///< the range around all steps, if launches told them
  std::vector<std::string> apart;  ///< what was left out between steps: "validate (3)"
  double apart_s = 0;              ///< the time between steps that was left out
  double after_s = 0;              ///< from the end of the last step to the last operation
  std::size_t kernels = 0;         ///< of the steady steps together
  /// Of the steady steps: the seconds of each kernel by where it was launched, see LateKernels.
  std::map<std::string, std::map<std::string, double>> launched;
  double launches_a_step = 0;   ///< of kernels, graphs and copies
  double calls_a_step = 0;      ///< of the threads that launch
  bool launches_known = false;  ///< the calls that make them
  /// Mean over the steps of the time that this device's collectives waited for a later device.
  double skew_s = 0;
  std::uint32_t last_device = 0;  ///< for which they waited the most
  /// The part of a step that takes so much more on that device than on this one.
  StepPart last_part = StepPart::kernels;
  double last_more_s = 0;
  WaitPlace last_wait;      ///< the `wait` of that device
  double others_bytes = 0;  ///< that the other devices copy to the host in a step

  bool repeats() const { return by != StepsBy::nothing; }
  /// Mean over the steady steps; all zero if there are none.
  Parts mean() const;
  double mean_s() const { return mean().total_s(); }
  double median_s() const;
  const Step* slowest() const;
};

/// Why the slowest step is slow: the part that exceeds its median over the steady steps the most.
struct SlowReason {
  StepPart part = StepPart::kernels;
  double more_s = 0;
};
SlowReason reason_of(const Steps& steps);

/// Of a device.
struct DeviceSteps {
  std::uint32_t device = 0;
  Steps steps;
};

}  // namespace apod
