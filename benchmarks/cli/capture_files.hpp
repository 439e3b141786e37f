#pragma once

/// \file
/// What `bench capture` makes of a program's recording and of the folders that its library wrote.

#include <cstdint>
#include <string>
#include <vector>

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

/// Which launch of the matching ones took longest, from 0; nothing if there is none.
std::optional<std::uint64_t> longest_launch(const Recording& recording,
                                            const text::Pattern& kernel);

/// Why nothing was captured: "no kernel matches 'x'; did you mean 'softmax'?".
std::string why_not_captured(const Recording& recording, const text::Pattern& kernel,
                             const std::string& launch);

/// Completes the captured folders "0", "1" ... in `folder` from the recording, and writes the
/// experiment. Of a single one the files move into `folder` itself. Returns the launches, none if
/// nothing was captured. Throws std::runtime_error.
std::vector<capture::CapturedLaunch> complete_captures(const std::string& folder,
                                                       const Recording& recording, bool each_shape);

/// The bytes on the disk of a folder's files: holes take none.
std::uint64_t bytes_on_disk(const std::string& folder);

}  // namespace apod::cli
