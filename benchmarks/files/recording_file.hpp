#pragma once

/// \file
/// The file of a recording: what `bench inspect --out r.json` writes.

#include <iosfwd>
#include <string>

#include "benchmarks/base/recording.hpp"

namespace apod::files {

void write_recording(std::ostream& out, const KeptRecording& kept);

/// Throws BadResult, with the file's name, for any other or a damaged file.
KeptRecording read_recording(const std::string& file);

}  // namespace apod::files
