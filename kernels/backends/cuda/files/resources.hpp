#pragma once

/// \file
/// The resources of a cubin's kernels, read from the file itself: no device is needed.

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace apod::cuda {

/// Registers per thread, by mangled name. Empty if the bytes are not a cubin, or the cubin does not
/// say. Reads nothing outside of the bytes, whatever they are.
std::map<std::string, int> registers_in(std::span<const std::byte> cubin);

}  // namespace apod::cuda
