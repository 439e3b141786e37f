#pragma once

/// \file
/// The page of a recording.

#include <optional>
#include <string>

#include "benchmarks/cli/inspection.hpp"
#include "benchmarks/show/report.hpp"
#include "benchmarks/show/step_text.hpp"

namespace apod::cli {

/// The steps of the device that is judged; empty if none is.
std::optional<show::StepReport> step_report(const Inspection& inspection, const std::string& file);

/// What limits the program, as a sentence; the timeline, findings, kernels, copies, calls and NVTX
/// ranges, the device, and the command that repeats it. `file`: the source of the recording, if it
/// is not from a run of ours.
show::Document inspection_page(const Inspection& inspection, const std::string& file);
/// The parts above and below it.
show::PageFrame page_frame(const Inspection& inspection, const std::string& file);

}  // namespace apod::cli
