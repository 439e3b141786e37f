#pragma once

/// \file
/// NVTX annotations in the domain "apod", and the built-in timers that share their scopes.
/// Without a profiler attached a range costs a few nanoseconds; in a build without annotations
/// (no nvtx3 headers, or APOD_NVTX=OFF) nothing.

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "benchmarks/base/measurement.hpp"

namespace apod::trace {

enum class Color : std::uint32_t {  // ARGB
  experiment = 0xFF607D8B,
  case_ = 0xFF3F51B5,
  setup = 0xFF9E9E9E,
  verify = 0xFF9C27B0,
  warmup = 0xFFFF9800,
  sample = 0xFF4CAF50,
  transfer = 0xFFFFEB3B,
  compute = 0xFF009688,
  operation = 0xFF795548,
};

/// A nested range of the calling thread, with a colour and a payload (NVTX shows it beside the
/// name).
class Range {
 public:
  Range(std::string_view name, Color color, std::uint64_t payload = 0);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  [[maybe_unused]] bool pushed_ = false;  ///< a profiler that came later did not see it begin
};

/// Names the calling thread for profilers (NVTX) and for the operating system.
void name_thread(std::string_view name);

/// Shows `name` beside the calling thread in a profiler's timeline; nothing without one.
void name_thread_in_profiler(const char* name);

/// True when a profiler is attached to this process or will be at its first CUDA call: nsys, ncu,
/// compute-sanitizer, or any NVTX or CUDA injection. Read from the environment that those tools
/// set.
bool profiler_attached();

/// Shows the operations of variants (kernels/api/operation.hpp) to profilers from now on.
void annotate_operations();

/// True when the annotations were compiled in.
bool ranges_available();

/// Adds up the time of phases by name, in order of first use. Not thread-safe.
class PhaseTimers {
 public:
  void add(std::string_view name, double seconds);
  /// Adds what another one counted: a thread's, when it is done.
  void add(const PhaseTimers& other);
  const std::vector<NamedTime>& times() const { return times_; }

 private:
  std::vector<NamedTime> times_;
};

/// A Range that also feeds a PhaseTimers.
class Phase {
 public:
  Phase(PhaseTimers& timers, std::string_view name, Color color, std::uint64_t payload = 0)
      : timers_(timers), name_(name), range_(name, color, payload) {}
  ~Phase() {
    timers_.add(name_,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
  }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  PhaseTimers& timers_;
  std::string_view name_;
  Range range_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace apod::trace
