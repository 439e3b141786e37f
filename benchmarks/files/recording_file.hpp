#pragma once

/// \file
/// Recordings of files: what `bench inspect --out r.json` writes, and what PyTorch's profiler does.

#include <functional>
#include <iosfwd>
#include <string>

#include "benchmarks/base/recording.hpp"

namespace apod::files {

void write_recording(std::ostream& out, const KeptRecording& kept);

/// Throws BadResult, with the file's name, for any other or a damaged file.
KeptRecording read_recording(const std::string& file);

/// Reads a recording of ours or of another tool, with the facts, findings and steps that follow
/// from its trace today.
using ReadRecording = std::function<KeptRecording(const std::string& file)>;

/// Has every recording that is used as a result read so. Call it once, before the first.
void read_recordings_by(ReadRecording read);

/// Whether it begins as JSON with an array "traceEvents", or with members that PyTorch's profiler
/// writes before it.
bool is_kineto(const std::string& file);

/// Reads a trace of PyTorch's profiler (Kineto, trace event format): kernels, copies, memsets,
/// calls of the runtime and the driver, annotations as NVTX ranges ("ProfilerStep#3"), overheads,
/// names of threads. Operators ("aten::add") are left out. Throws BadResult, with the file's name,
/// for a file that is something else, damaged or of another profiler.
Recording read_kineto(const std::string& file, std::size_t most_events = most_events_read);

}  // namespace apod::files
