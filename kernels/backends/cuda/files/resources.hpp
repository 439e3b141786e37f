#pragma once

/// \file
/// What the kernels of a cubin take, read from the file itself: no device is needed.

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace apod::cuda {

/// Registers a thread, by mangled name. Empty where the bytes are no cubin, or one that does not
/// tell. Whatever they are, nothing outside of them is read.
std::map<std::string, int> registers_in(std::span<const std::byte> cubin);

}  // namespace apod::cuda
