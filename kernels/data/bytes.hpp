#pragma once

/// \file
/// Large blocks of memory, filled, copied and compared by all threads of the host.

#include <cstddef>
#include <span>

namespace apod {

void fill_bytes(std::span<std::byte> target, std::byte value);
/// Both of one length, apart from each other.
void copy_bytes(std::span<std::byte> target, std::span<const std::byte> source);
bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b);

}  // namespace apod
