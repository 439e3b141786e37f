#pragma once

/// \file
/// What many cases together say of the variance of one: empirical Bayes after Smyth 2004, "Linear
/// models and empirical Bayes methods for assessing differential expression in microarray
/// experiments", Statistical Applications in Genetics and Molecular Biology 3(1), sections 3 and 6.

#include <span>

namespace apod::stats {

/// A variance and the degrees of freedom with which it is known; infinite: known exactly.
struct VarianceEstimate {
  double variance = 0;
  double degrees = 0;
};

/// The scaled inverse chi-squared distribution from which the true variances of all cases may have
/// come, by the mean and the variance of the logarithms of the sample variances (Smyth 2004,
/// section 6.2). `degrees` > 0 are those of each of them. Infinite degrees where they differ by no
/// more than chance makes them. Fewer than two variances say nothing: 0 degrees. std::domain_error
/// unless all are positive and finite.
VarianceEstimate variance_prior(std::span<const double> variances, double degrees);

/// The sample variance and the prior, weighted by their degrees (Smyth 2004, section 3), and their
/// sum of degrees. The prior alone where its degrees are infinite.
VarianceEstimate moderated(const VarianceEstimate& sample, const VarianceEstimate& prior);

}  // namespace apod::stats
