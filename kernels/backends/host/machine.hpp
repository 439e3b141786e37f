#pragma once

/// \file
/// Facts of this machine's processor from the operating system.

#include <cstdint>

#include "kernels/api/backend.hpp"

namespace apod::host {

/// Size of the last-level cache that the first processor sees, in bytes; 0 if the kernel doesn't
/// say.
std::uint64_t last_level_cache_bytes();

/// Model, threads, memory and caches. Peaks stay 0: the system does not report them, and a guess
/// would be mistaken for a fact.
DeviceFacts machine_facts();

/// The clock of the processor this thread runs on, in MHz. Where no frequency driver is (virtual
/// machines), /proc/cpuinfo's figure is taken; `valid` is false without either.
ClockReading machine_clock();

}  // namespace apod::host
