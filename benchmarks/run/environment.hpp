#pragma once

#include <cstdint>
#include <string>

#include "benchmarks/base/result.hpp"

namespace apod::run {

/// Of fixed length, so that another commit does not move what follows in the program.
using Stamp = const char[64];

extern Stamp build_version;
extern Stamp build_compiler;
extern Stamp build_cuda_compiler;  ///< nvcc's version; "" in a host-only build
extern Stamp build_type;
extern Stamp build_commit;  ///< "" if the sources are not a git checkout

/// The machine, the system and this build. `device` is filled in by the session.
Environment read_environment();

/// The processor's name; empty if the system has none for it.
std::string cpu_model();

/// Bytes of memory in this machine; 0 unknown.
std::uint64_t host_memory_bytes();

}  // namespace apod::run
