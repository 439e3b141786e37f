#pragma once

/// \file
/// Compiled kernels on the disk, in $XDG_CACHE_HOME/apodbench/kernels or
/// ~/.cache/apodbench/kernels: a private folder, whose files hold what they were made of and a
/// checksum.

#include <optional>
#include <string>

#include "kernels/backends/cuda/files/nvrtc.hpp"

namespace apod::cuda {

/// All that the code depends on: sources, headers, options, compiler and architecture.
std::string cache_key(const Source& source, const std::string& compiler,
                      const std::vector<std::pair<std::string, std::string>>& files);

/// The folder, made if it is not there. Empty where there is none that is this user's alone.
std::string cache_folder();

/// What was stored for this very key; nothing where there is none, or it is damaged.
std::optional<Compiled> cached(const std::string& folder, const std::string& key);
/// Stores it; where that fails nothing happens. Of more than 1000 files the older half is removed.
void store(const std::string& folder, const std::string& key, const Compiled& compiled);

}  // namespace apod::cuda
