#pragma once

/// \file
/// What the processes of one program recorded of themselves, each into a file, as one recording.

#include <string>

#include "benchmarks/base/recording.hpp"

namespace apod::look {

/// Reads every "*.parts" in the folder. The times of all processes become those of one clock; equal
/// streams, correlation ids and devices of different processes are kept apart as in read_nsys(),
/// devices by their UUID. A file that breaks off, for its process was killed, gives what is whole
/// in it, and a note. Without any file the recording has no programs.
Recording read_process_files(const std::string& folder);

}  // namespace apod::look
