#pragma once

/// \file
/// Compiled kernels on the disk, in $XDG_CACHE_HOME/apodbench/kernels or
/// ~/.cache/apodbench/kernels: a private folder, whose files hold their sources' key and a
/// checksum.

#include <optional>
#include <string>

#include "kernels/backends/cuda/files/compiler.hpp"

namespace apod::cuda {

/// All that the code depends on: sources, headers, options, compiler and architecture.
std::string cache_key(const Source& source, const Compiler& compiler,
                      const std::vector<std::pair<std::string, std::string>>& files);

/// The folder, created if needed. Empty if there is none that only this user can write.
std::string cache_folder();

/// The code stored for this key; nothing if there is none, or it is damaged.
std::optional<Compiled> cached(const std::string& folder, const std::string& key);
/// Stores it; a failure is ignored. Of more than 20,000 files the older half is removed.
void store(const std::string& folder, const std::string& key, const Compiled& compiled);

}  // namespace apod::cuda
