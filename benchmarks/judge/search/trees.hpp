#pragma once

/// \file
/// Regression trees over the rows of a space: they predict rows that have not been measured.

#include <cstdint>
#include <random>
#include <vector>

#include "benchmarks/plan/space.hpp"

namespace apod::search {

/// A row by the levels of its dimensions.
using Levels = std::vector<std::uint32_t>;

/// A value at a row, whose levels must outlive it.
struct Seen {
  const Levels* at = nullptr;
  double value = 0;
};

/// What a new model expects at each of some rows. It learns from as many values as there are, drawn
/// with replacement (Breiman 1996, "Bagging predictors"); each of its trees learns what those
/// before it left (Friedman 2001, "Greedy function approximation").
std::vector<double> expected(const plan::Space& space, const std::vector<Seen>& seen,
                             const std::vector<Levels>& at, std::mt19937_64& random);

}  // namespace apod::search
