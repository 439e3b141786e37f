#pragma once

/// \file
/// With what something was measured, and when: the same words for a run, the sides of a comparison
/// and a history.

#include <string>

#include "benchmarks/base/ceilings.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/base/side.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

/// The parts that are known, as "A · B".
std::string beside(const std::vector<std::string>& parts);

/// "NVIDIA H200 · driver 580.95.05 · 240ad433 · 2026-11-20 to 2026-11-21": the device, or else the
/// processor or the host; the commit, or else the version. Empty where nothing is known.
std::string about(const Properties& known);
std::string about(const Environment& environment);
std::string about(const Ceilings& ceilings);  ///< where and when they were measured
/// What was measured, in its author's words or as its command line.
std::string described(const Properties& known);

/// What is known of a device, and the rates that were measured on it.
Entries device_entries(const DeviceFacts& device, const Ceilings* ceilings);

/// All that is known of two sides.
Table sides_table(const Properties& base, const Properties& new_side);

}  // namespace apod::show
