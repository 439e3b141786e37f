#pragma once

/// \file
/// Traces as JSON in the trace event format, which ui.perfetto.dev and chrome://tracing open.

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "kernels/api/activity.hpp"

namespace apod::exports {

/// A trace on the common time line.
struct NamedTrace {
  std::string name;  ///< of the case or the program; empty: the trace has no bar of its own
  const Trace* trace = nullptr;
};

/// The names of tracks, if known.
struct TrackNames {
  std::map<std::uint32_t, std::string> devices;  ///< by index
  std::map<std::uint32_t, std::string> threads;  ///< by ApiCall::thread
};

/// Each device is a process with a track for each of its streams (kernels, copies, memsets), the
/// host is one with a track for each thread (calls, and NVTX ranges below), one for waits and
/// overheads, and one with a bar for each trace. Arrows lead from a call to what it started. Times
/// are in us since the first event. Written event by event: only the traces are held in memory.
void write_perfetto(std::ostream& out, const std::vector<NamedTrace>& traces,
                    const TrackNames& names = {});

}  // namespace apod::exports
