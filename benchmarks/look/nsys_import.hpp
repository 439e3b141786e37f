#pragma once

/// \file
/// What another program did, from a report of Nsight Systems exported with
/// `nsys export --type sqlite`.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "benchmarks/base/recording.hpp"

namespace apod::look {

/// A file that is not a recording. The message names the file and what to do.
struct BadRecording : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads an export of nsys, schema 3.x. Its tables exist only where they have rows, and older
/// versions have fewer columns: what is absent is left out. Throws BadRecording for a file that is
/// something else, damaged, being written, or of a schema with another first number.
///
/// Correlation ids and streams of several processes are renumbered, so that no two share one. A
/// copy counts as synchronous when the call that made it is one that waits (cudaMemcpy,
/// cuMemcpyHtoD). A CUDA graph that was recorded as a whole is one kernel named "[CUDA graph N]",
/// without a grid. Calls that
/// failed started nothing: they have no correlation.
///
/// Of more than `most_events` the first in time are read, and a note says so: each takes some
/// hundred bytes of memory.
Recording read_nsys(const std::string& file, std::size_t most_events = most_events_read);

struct GraphLaunches {
  std::uint64_t all = 0;     ///< but those that failed
  std::uint64_t unseen = 0;  ///< of these, launches without a recorded activity on the device
};

/// Some versions of nsys record nothing of CUDA graphs unless the user asks for the nodes;
/// single launches may be lost with any.
GraphLaunches graph_launches(const Trace& trace);

}  // namespace apod::look
