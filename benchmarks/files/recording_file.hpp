#pragma once

/// \file
/// The file of a recording: what `bench inspect --out r.json` writes.

#include <functional>
#include <iosfwd>
#include <string>

#include "benchmarks/base/recording.hpp"

namespace apod::files {

void write_recording(std::ostream& out, const KeptRecording& kept);

/// Throws BadResult, with the file's name, for any other or a damaged file.
KeptRecording read_recording(const std::string& file);

/// Replaces facts, findings and steps by what follows from the trace today.
using JudgeRecording = std::function<void(KeptRecording&)>;

/// Has every recording that is read as a result judged anew. Call it once, before the first.
void judge_recordings_by(JudgeRecording judge);

}  // namespace apod::files
