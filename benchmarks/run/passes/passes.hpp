#pragma once

/// \file
/// The passes over a case that is set up and, except for profile_pass, checked: a function for each
/// record::Pass. Pass::check does nothing more.

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/look/program_code.hpp"
#include "benchmarks/run/other_load.hpp"
#include "benchmarks/run/prepared_case.hpp"

namespace apod::run {

/// What a process keeps from one case to the next.
struct ProcessState {
  OtherLoad others;
  /// Of this program's kernels on the GPU; read once, when the first of them was traced.
  std::optional<look::ProgramMixes> mixes;
  std::chrono::steady_clock::time_point last_device_work{};
};

/// Timed samples, what else kept the machine busy meanwhile, and the output that they left.
void measure_pass(const PreparedCase& prepared, ProcessState& process);
/// A few runs without a warm-up, for a profiler.
void profile_pass(const PreparedCase& prepared);
/// Run after run until it is cancelled, as the load beside a measurement.
void peer_pass(const PreparedCase& prepared);

/// True if the tracer and the counters must not be used: a process can have only one profiler of
/// CUDA, and the user's comes first.
bool left_to_a_profiler(BackendKind backend);
/// One run with the tracer on.
void trace_pass(const PreparedCase& prepared, ProcessState& process);
/// As many runs as reading the counters takes.
void counters_pass(const PreparedCase& prepared);
/// The energy of a run, from some idle seconds and some seconds of run after run. Throws
/// BackendError{unsupported} if it can't be read.
void energy_pass(const PreparedCase& prepared);

/// The counter right after one of its steps.
struct EnergyMark {
  double at_s = 0;
  double joules = 0;
};

struct EnergyWatch {
  std::vector<EnergyMark> marks;  ///< two or more
  double run_s = 0;               ///< time of a run; 0: there was none
};

/// Repeats `work`, which returns its number of runs. A second thread reads `counter`, J, until
/// `seconds` after its first step: on an H200 a reading takes some 2 ms, during which a device that
/// waited for it would idle. Throws std::runtime_error if there are no two steps within ten times
/// as long, and what the others throw.
EnergyWatch watch_energy(const std::function<double()>& counter, const std::function<int()>& work,
                         double seconds);

/// Of a run, above what the idle device uses.
struct EnergyEstimate {
  Estimate power_w;  ///< 95 %, of busy - idle
  double idle_w = 0;
  double run_s = 0;  ///< time of a run, in the loop

  /// The interval excludes 0 and reaches at most half of the value to either side.
  bool is_resolvable() const;
};

/// The variance of each mean power is that of ten parts of its time, plus that of the counter's
/// steps: energy used within a step may have been counted in it or in the next, so with steps of u
/// seconds either end of T seconds is off by a uniform error, u / sqrt(12), and the power by P u /
/// (T sqrt(6)). Energy is power times the time of a run.
EnergyEstimate estimate_energy(const EnergyWatch& idle, const EnergyWatch& busy);

}  // namespace apod::run
