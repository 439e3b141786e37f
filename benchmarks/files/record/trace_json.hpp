#pragma once

/// \file
/// A trace as a part of a larger record.

#include "benchmarks/files/record/archive.hpp"
#include "kernels/api/activity.hpp"

namespace apod::record {

Json trace_json(const Trace& trace);
/// Throws std::runtime_error with the path to what is wrong.
Trace trace_of(const Json& json);

}  // namespace apod::record
