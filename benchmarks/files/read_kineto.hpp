#pragma once

#include <string>

#include "benchmarks/base/recording.hpp"

namespace apod::files {

/// Whether it begins as JSON with an array "traceEvents", or with members that PyTorch's profiler
/// writes before it.
bool is_kineto(const std::string& file);

/// Reads a trace of PyTorch's profiler (Kineto, trace event format): kernels, copies, memsets,
/// calls of the runtime and the driver, annotations as NVTX ranges ("ProfilerStep#3"), overheads,
/// names of threads. Operators ("aten::add") are left out. Throws BadResult, with the file's name,
/// for a file that is something else, damaged or of another profiler.
Recording read_kineto(const std::string& file);

}  // namespace apod::files
