#pragma once

/// \file
/// The length of an array as a product of what it may be made of.

#include <optional>
#include <string>
#include <vector>

namespace apod::cli {

/// An axis, or what else the kernel takes, with its value at the usual values of the axes and at
/// others by which they can be told apart.
struct LengthFactor {
  std::string text;
  double usual, otherwise;
};

struct GuessedLength {
  std::vector<std::string> sides;
  bool is_for_all = true;  ///< values of the axes, not the usual ones alone
};

/// c * a * b + d that is `wanted` at the usual values and `other` at the others, d being small: a
/// number, or such a product itself. `other` below 0: it is not known.
std::optional<GuessedLength> length_near(const std::vector<LengthFactor>& factors, double wanted,
                                         double other);

std::string product_text(const std::vector<std::string>& sides);

}  // namespace apod::cli
