#pragma once

namespace apod::trace {

/// Shows `name` beside the calling thread in a profiler's timeline; nothing without one.
void name_thread_in_profiler(const char* name);

}  // namespace apod::trace
