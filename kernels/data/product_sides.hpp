#pragma once

/// \file
/// Recognises a matrix product by its axes, whatever its family is called.

#include <cstdint>
#include <optional>
#include <variant>

#include "kernels/api/params.hpp"

namespace apod {

/// C (m x n) = A (m x k) B (k x n), in elements.
struct ProductSides {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

/// The sides of the product in `params`: the axes m, n and k, or the axis n with a `size` of a
/// shape, which is then that of A. Nothing if they describe none.
inline std::optional<ProductSides> product_sides(const Params& params) {
  const auto is_integer = [&](std::string_view name) {
    const auto* value = params.find(name);
    return value != nullptr && std::holds_alternative<std::int64_t>(*value);
  };
  if (!is_integer("n")) return std::nullopt;
  const std::int64_t n = params.integer("n");
  if (is_integer("m") && is_integer("k")) return {{params.integer("m"), n, params.integer("k")}};
  const auto* size = params.find("size");
  if (size == nullptr || is_integer("size")) return std::nullopt;
  const auto a = parse_shape(to_string(*size));
  if (a) return {{a->rows, n, a->cols}};
  return std::nullopt;
}

}  // namespace apod
