#pragma once

/// \file
/// Many tests at once.

#include <span>
#include <vector>

namespace apod::stats {

/// p values adjusted so that the chance of any false rejection is kept (Holm 1979, "A simple
/// sequentially rejective multiple test procedure"). In the order of `p`. p values outside [0, 1]
/// or NaN throw std::domain_error.
std::vector<double> holm(std::span<const double> p);

/// q values: the share of false rejections when all tests with at most this q are rejected
/// (Benjamini & Hochberg 1995, "Controlling the false discovery rate").
std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace apod::stats
