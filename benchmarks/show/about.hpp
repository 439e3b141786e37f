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
/// processor or the host; the commit, or else the version. Empty if nothing is known.
std::string about(const Properties& known);
std::string about(const Environment& environment);
std::string about(const Ceilings& ceilings);  ///< where and when they were measured
/// The description in its author's words, or the command line.
std::string described(const Properties& known);

/// The facts of a device, and its measured rates.
Entries device_entries(const DeviceFacts& device, const Ceilings* ceilings);

/// All that is known of two sides.
Table sides_table(const Properties& base, const Properties& new_side);

}  // namespace apod::show
