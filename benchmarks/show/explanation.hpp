#pragma once

/// \file
/// Why each case takes its time: what its traced run showed, and what follows from that.

#include <cstddef>

#include "benchmarks/base/result.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

/// A section for each measured case that was traced or has findings: its time, the timeline in one
/// line, the findings with their numbers and advice, and the kernels, copies and calls that took
/// most time.
Document explanation_document(const Result& result);

/// Kernels, copies and calls, a table each of at most `most` rows, those that took most time.
Document profile_tables(const Profile& profile, const DeviceFacts& device, std::size_t most);

}  // namespace apod::show
