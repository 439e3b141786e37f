#pragma once

/// \file
/// What `bench capture` makes of a program's recording and of the folders that its library wrote.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "benchmarks/base/recording.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/show/document.hpp"
#include "kernels/api/captured_launch.hpp"

namespace apod::cli {

/// The part of a kernel's name that a person says: "softmax" of
/// "void at::native::(anonymous namespace)::softmax<float, 4>(float*)".
std::string short_name(const std::string& demangled);

/// The kernels of a recording, those that took most time first.
show::Table capturable(const Recording& recording);

/// The matching launch that took longest.
struct LongestLaunch {
  std::uint64_t number = 0;  ///< of the matching ones, from 0
  Activity activity;
  /// Why what was captured in another run is not this launch; empty if it is.
  std::string why_other(const capture::CapturedLaunch& captured) const;
};
/// Nothing if there is none.
std::optional<LongestLaunch> longest_launch(const Recording& recording,
                                            const text::Pattern& kernel);

/// Why nothing was captured: "no kernel matches 'x'; did you mean 'softmax'?".
std::string why_not_captured(const Recording& recording, const text::Pattern& kernel,
                             const std::string& launch);

/// Completes the captured folders "0", "1" ... in `folder` from the recording. Returns the launches
/// by these numbers. Throws std::runtime_error.
std::map<std::uint64_t, capture::CapturedLaunch> complete_captures(const std::string& folder,
                                                                   const Recording& recording);
/// Writes the experiment. Of a single launch the files move into `folder` itself; of each shape
/// there is a table too. Throws std::runtime_error.
void write_experiment(const std::string& folder, const Recording& recording,
                      const std::map<std::uint64_t, capture::CapturedLaunch>& launches,
                      bool each_shape);

/// The bytes on the disk of a folder's files: holes take none.
std::uint64_t bytes_on_disk(const std::string& folder);

}  // namespace apod::cli
