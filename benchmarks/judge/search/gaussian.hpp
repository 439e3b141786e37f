#pragma once

/// \file
/// A Gaussian process over the rows of a space: from the values of some rows it says what it
/// expects of the others, and how sure it is (Rasmussen & Williams 2006, "Gaussian processes for
/// machine learning").

#include <cstdint>
#include <random>
#include <vector>

#include "benchmarks/plan/space.hpp"

namespace apod::search {

/// A row by the levels of its dimensions.
using Levels = std::vector<std::uint32_t>;

/// A value at a row.
struct Seen {
  Levels at;
  double value = 0;
};

class Gaussian {
 public:
  explicit Gaussian(const plan::Space& space);

  /// Learns from values how far each dimension matters, beginning with what it learnt before. Of
  /// many values some are drawn, as its time grows with their cube: the best, and others by chance.
  /// Values that are all equal say nothing.
  void learn(std::vector<Seen> seen, std::mt19937_64& random);
  std::vector<double> expected(const std::vector<Levels>& at) const;
  /// Positions of rows that together promise most to be less than the least value (Jones, Schonlau
  /// & Welch 1998, "Efficient global optimization of expensive black-box functions"): each is
  /// chosen as if the values of those before were as expected, and those of the last `running` of
  /// `at`, which are not chosen. Where all are equal: rows far apart.
  std::vector<std::size_t> promising(const std::vector<Levels>& at, std::size_t count,
                                     std::size_t running = 0) const;

 private:
  using Vector = std::vector<double>;

  struct Dimension {
    std::size_t index = 0;
    Vector coordinates;  ///< by level
    double step = 0;     ///< between any two levels, in addition: squared
  };

  /// What follows from the values if they depend on the dimensions so.
  struct Fit {
    Vector ln;                 ///< the reach of each dimension, then the share of noise
    Vector weights;            ///< what follows from these
    std::vector<Vector> root;  ///< L of the matrix of covariances, L L^T, by rows
    Vector white;              ///< L^-1 of the values less `mean`
    double mean = 0;
    double variance = 1;
    double badness = 0;  ///< -ln of its likelihood and of what was known before
    double noise() const { return weights.back(); }
  };

  Fit fit_of(Vector ln) const;
  double likeness(const Fit& fit, const Levels& a, const Levels& b) const;
  /// L^-1 of the covariances of a row with the first rows that were seen, as many as L has.
  Vector part_of(const Fit& fit, const Levels& at) const;

  std::vector<Dimension> dimensions_;  ///< with several levels
  std::vector<Seen> seen_;
  Fit fit_;
};

}  // namespace apod::search
