#pragma once

/// \file
/// How a host variant puts work on a stream.

#include <functional>
#include <string>

#include "kernels/api/backend.hpp"

namespace apod::host {

/// Appends `work` to the stream's queue and returns at once; the stream's thread runs it after all
/// earlier work. `work` must own, or be outlived by, everything it refers to: capture pointers by
/// value, not the Task by reference. While the stream is captured, `work` goes into the graph
/// instead, so it may run many times. What it throws is thrown by the stream's next `synchronize`,
/// and the rest of the queue up to there is dropped. `name` is the kernel's name in a trace.
/// `stream` must come from the host backend.
void enqueue(Stream& stream, std::function<void()> work, std::string name = "host_task");

}  // namespace apod::host
