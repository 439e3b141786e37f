#pragma once

/// \file
/// The weights of a convolution: how they are made, and whether they are an outer product.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/api/types.hpp"

namespace apod::convolution {

/// `random` weights add up to one. `separable` ones are products of two vectors, and exactly so.
enum class Weights : std::uint8_t { random, separable };

/// `width` x `width` weights in row-major order, uniform random. They depend only on the seed and
/// the width, and differ from an image of the same seed. None is negative, and they add up to one
/// (random) or to no more than one (separable).
std::vector<float> make_mask(std::uint64_t seed, std::int64_t width, Weights weights);

/// mask(k, l) = down(k) * across(l)
struct Factors {
  std::vector<double> down;
  std::vector<double> across;
};

/// The factors of `mask`, rounded to doubles; nothing unless its rank is at most one, exactly.
std::optional<Factors> factors(std::span<const float> mask, std::int64_t width);

}  // namespace apod::convolution

template <>
struct apod::EnumNames<apod::convolution::Weights> {
  static constexpr std::array<std::string_view, 2> names{"random", "separable"};
};
