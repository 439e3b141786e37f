#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "benchmarks/stats/summary.hpp"

namespace apod::stats {

using Statistic = std::function<double(std::span<const double>)>;

/// Percentile bootstrap interval (Efron & Tibshirani 1993, "An Introduction to the Bootstrap", ch.
/// 13), type-7 quantiles of the resamples' statistics. The same seed gives the same interval on
/// every machine. Fewer than two values: the estimate alone. std::invalid_argument for no
/// resamples, std::domain_error unless the confidence is in (0, 1).
Interval bootstrap_percentile(std::span<const double> values, const Statistic& statistic,
                              std::size_t resamples, std::uint64_t seed, double confidence = 0.95);

/// Bias-corrected and accelerated (Efron 1987, "Better bootstrap confidence intervals"), with the
/// acceleration by the jackknife: n more calls of `statistic`. The estimate alone where every
/// resample gives the same. Errors as above.
Interval bootstrap_bca(std::span<const double> values, const Statistic& statistic,
                       std::size_t resamples, std::uint64_t seed, double confidence = 0.95);

}  // namespace apod::stats
