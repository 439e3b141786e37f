#pragma once

/// \file
/// One direction over the host link; the other is almost empty. `upload`: all values go to the
/// device and a few chosen ones come back. `download`: a short tile goes to the device and comes
/// back repeated until it fills the array.

#include <array>
#include <cstdint>
#include <string_view>

#include "kernels/api/types.hpp"

namespace apod::transfer {

enum class Direction : std::uint8_t { upload, download };

constexpr std::size_t chosen = 64;  ///< values that come back from one uploaded chunk
constexpr std::size_t tile = 1024;  ///< values that are repeated

/// Which of `count` values is the chosen one number `i`: evenly spaced, the first and the last
/// among them.
constexpr std::size_t position(std::size_t i, std::size_t count) {
  return i * (count - 1) / (chosen - 1);
}

}  // namespace apod::transfer

template <>
struct apod::EnumNames<apod::transfer::Direction> {
  static constexpr std::array<std::string_view, 2> names{"upload", "download"};
};
