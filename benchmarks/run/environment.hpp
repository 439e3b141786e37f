#pragma once

#include <cstdint>
#include <string>

#include "benchmarks/base/result.hpp"

namespace apod::run {

/// The machine, the system and this build. `device` is filled in by the session.
Environment read_environment();

/// The processor's name; empty if the system has none for it.
std::string cpu_model();

/// Bytes of memory in this machine; 0 unknown.
std::uint64_t host_memory_bytes();

}  // namespace apod::run
