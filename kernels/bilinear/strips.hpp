#pragma once

/// \file
/// How planes are cut into strips of rows. For .cu files only.

#include <algorithm>
#include <cstdint>

#include "kernels/backends/cuda/multiprocessors.hpp"
#include "kernels/bilinear/problem.hpp"

namespace apod::bilinear {

inline constexpr unsigned strip_threads = 256;  ///< of a block

/// Strips of a plane are along x, planes along y; a thread takes every gridDim.y-th plane.
struct Strips {
  unsigned rows = 0;  ///< of a strip; the last of a plane may have fewer
  dim3 grid;
};

/// For `planes` planes of `rows` rows; one strip takes `across` threads and is at most `most` rows
/// high. Neighbouring strips both read the row between them, and a thread's weights for its columns
/// serve all of its planes. So strips are as high, and threads take as many planes, as keeps the
/// device full.
inline Strips strips_of(std::int64_t planes, unsigned rows, std::int64_t across,
                        std::int64_t most) {
  constexpr std::int64_t least = 4;
  constexpr std::int64_t waves = 8;  // few enough to share work, enough that the last one is short
  const std::int64_t resident = static_cast<std::int64_t>(cuda::resident_threads());
  const auto blocks = [](std::int64_t threads) {
    return (threads + strip_threads - 1) / strip_threads;
  };
  Strips strips;
  const std::int64_t all = planes * rows * across;
  strips.rows = static_cast<unsigned>(std::clamp(all / (2 * resident), least, most));
  const std::int64_t of_plane = blocks((rows + strips.rows - 1) / strips.rows * across);
  const std::int64_t wanted = blocks(waves * resident);
  const std::int64_t each = std::max<std::int64_t>(of_plane * planes / wanted, 1);
  strips.grid.x = static_cast<unsigned>(of_plane);
  strips.grid.y = static_cast<unsigned>(std::min<std::int64_t>((planes + each - 1) / each, 65535));
  return strips;
}

}  // namespace apod::bilinear
