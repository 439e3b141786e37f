#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace apod::run {

/// Calls `iteration`, which returns its own time in seconds, `iterations` times as the Google
/// Benchmark named `name` with manual time. Returns the processor time of this thread an iteration,
/// in seconds. The only place that knows Google Benchmark. An exception ends the loop and comes out
/// of here.
double execute(const std::string& name, std::size_t iterations,
               const std::function<double()>& iteration);

}  // namespace apod::run
