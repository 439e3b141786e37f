#pragma once

/// \file
/// The passes over a case that is set up and, except for profile_pass, checked: a function for each
/// record::Pass. Pass::check does nothing more.

#include <chrono>
#include <optional>

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

}  // namespace apod::run
