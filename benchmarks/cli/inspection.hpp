#pragma once

/// \file
/// Everything that `bench inspect` computes from a recording before it shows anything.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/profile.hpp"
#include "benchmarks/base/recording.hpp"
#include "benchmarks/base/steps.hpp"
#include "benchmarks/cli/ceiling_files.hpp"

namespace apod::cli {

/// The facts and findings are those of `device`, the findings of its steady steps.
struct Inspection : KeptRecording {
  Profile profile;  ///< of all devices together
  // Shares and gains are of one device's time.
  std::vector<std::uint32_t> devices;  ///< that did something, the busiest first
  DeviceFacts device;                  ///< the busiest
  std::vector<DeviceSteps> steps;      ///< of each device, in the same order
  Profile steady;                      ///< of the steady steps of `device`
  std::string one_step;                ///< the one whose length is closest to the median
  double one_step_s = 0;               ///< from its start to the next one's
  std::vector<Lane> step_lanes;        ///< of that one
  /// See look::graph_launches; set if they are the majority: then no findings are derived.
  std::uint64_t unseen_graphs = 0;
  std::optional<FoundCeilings> ceilings;  ///< of that device
  std::vector<std::string> notes;         ///< remarks for the reader

  /// Empty if there can be findings.
  std::string why_no_findings() const;
};

/// How a part of the recording is chosen.
struct Part {
  std::string range;          ///< an NVTX range, see trace::find_range; empty: everything
  std::optional<int> device;  ///< index; nothing: every device
  std::string step;           ///< the ranges that are steps, '*' for anything; empty: find them
  std::vector<std::string> flags{};  ///< those that say so, and how less was recorded
};

/// Of what is kept, the recording, the switches and the measured link count; the rest is found
/// anew. Throws std::runtime_error if there is no such range or device, with the names that exist.
Inspection inspection_of(KeptRecording kept, Part part);

/// A recording of ours, a folder of what traced processes wrote, a trace of PyTorch's profiler, or
/// a report or an export of nsys.
KeptRecording recording_of(const std::string& file);

/// Likewise, with what this version finds in the trace.
KeptRecording judged_recording(const std::string& file);

}  // namespace apod::cli
