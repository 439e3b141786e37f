#pragma once

/// \file
/// The child's side of a worker process. Work items come in on standard input, one line of JSON
/// each; what happens goes out on `worker_output_fd`, one line each:
///   S <stage>         a phase of the current case began
///   D <device facts>  a backend was opened
///   T <trace>         of the current case, if its item keeps it
///   M <measurement>   the case is done
///   X <measurement>   the case failed, and the device is lost: this process ends
/// A peer (record::Pass::peer) repeats its case until standard input ends.

#include "kernels/api/registry.hpp"

namespace apod::run {

/// The descriptor on which a worker's parent listens.
inline constexpr int worker_output_fd = 3;
/// The first argument that makes `bench` a worker. Not for users.
inline constexpr const char* worker_argument = "__worker";

/// Serves until standard input ends. Returns the exit code of the process.
int serve(const Registry& registry);

}  // namespace apod::run
