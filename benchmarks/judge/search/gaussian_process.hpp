#pragma once

/// \file
/// A Gaussian process over the rows of a space (Rasmussen & Williams 2006, "Gaussian Processes for
/// Machine Learning"): predicts rows that have not been measured.

#include <cstddef>
#include <span>
#include <vector>

#include "benchmarks/plan/space.hpp"

namespace apod::search {

/// The position of each row for the correlation: coordinates of ordered dimensions, levels of
/// others.
class Positions {
 public:
  explicit Positions(const plan::Space& space);

  std::size_t dimensions() const { return ordered_.size(); }
  std::vector<double> of(plan::RowIndex row) const;
  bool is_ordered(std::size_t dimension) const { return ordered_[dimension]; }

 private:
  const plan::Space& space_;
  std::vector<char> ordered_;  ///< reading a bit would take as long as the rest of a correlation
  std::vector<std::vector<double>> coordinates_;  ///< by dimension and level
};

/// A value at a position, the mean of so many looks.
struct Observation {
  std::vector<double> at;
  double value = 0;
  double looks = 1;
};

/// The correlation of two positions is Matern's with nu = 5/2 of their distance, each dimension
/// having a length of its own (4.17 of the book). Beside this trend each row has a whim of its own,
/// which nothing but a look at the row tells, and a look has noise. Lengths and the size of the
/// whim are those with which the values are likeliest (2.30), with a prior that keeps lengths near
/// the width of a dimension.
class GaussianProcess {
 public:
  explicit GaussianProcess(const Positions& positions);

  /// Takes the observations, two or more; `deviation` is that of a look. `learn`: also looks for
  /// better lengths, which takes some hundred times as long; it begins with those of the call
  /// before.
  void fit(std::vector<Observation> observations, double deviation, bool learn);
  /// The mean of observation `i` without the noise of its looks.
  double smoothed(std::size_t i) const;

  struct Prediction {
    double mean = 0;
    double deviation = 0;  ///< of the true value, its whim included
  };
  double mean(std::span<const double> at) const;
  /// Of a row that was not observed.
  Prediction predict(std::span<const double> at) const;

  /// Predicts many rows, and chooses them one by one. Each choice makes the rows around it more
  /// certain, as if its mean had been observed.
  class Candidates {
   public:
    Candidates(const GaussianProcess& process, std::vector<std::vector<double>> at);
    std::size_t size() const { return at_.size(); }
    Prediction prediction(std::size_t i) const;
    void choose(std::size_t i);

   private:
    const GaussianProcess& process_;
    std::vector<std::vector<double>> at_;
    std::vector<std::vector<double>> solved_;  ///< L^-1 k of each
    std::vector<double> mean_;
    std::vector<double> variance_;
  };

 private:
  struct Lengths {
    std::vector<double> scale;  ///< ln, one a dimension
    double whim = -6;           ///< ln of its variance, as a share of the trend's
  };
  double correlation(std::span<const double> a, std::span<const double> b,
                     const Lengths& lengths) const;
  /// Minus the logarithm of the posterior density, without constants; infinite if the matrix is not
  /// positive definite. Leaves factor, weights and variance.
  double factorize(const Lengths& lengths);
  /// L^-1 right, of as many rows as `right` has.
  std::vector<double> forward(std::vector<double> right) const;
  std::vector<double> correlations(std::span<const double> at) const;

  const Positions& positions_;
  std::vector<Observation> observations_;
  Lengths lengths_;
  std::vector<std::vector<double>> factor_;  ///< lower triangle of Cholesky's
  std::vector<double> weights_;              ///< K^-1 (y - mean)
  double noise_ = 0;  ///< variance of a look, as a share of the trend's, about
  double mean_ = 0;
  double variance_ = 1;
};

}  // namespace apod::search
