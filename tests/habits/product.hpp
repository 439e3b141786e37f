#pragma once

/// \file
/// The workload `product`: a plain product of matrices, C = A B, with C of m by n. The values are
/// whole numbers so small that every sum is exact in fp32, whatever its order.

#include <cstddef>
#include <cstdint>

#include "kernels/api/workload.hpp"

namespace apod::habits {

/// The sides; A and B are row-major and stand one behind the other in the input.
struct Sides {
  explicit Sides(const Params& params)
      : m(static_cast<std::size_t>(params.integer("m"))),
        n(static_cast<std::size_t>(params.integer("n"))),
        k(static_cast<std::size_t>(params.integer("k"))) {}
  std::size_t m, n, k;
};

}  // namespace apod::habits
