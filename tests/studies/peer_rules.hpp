#pragma once

/// \file
/// When other tools call a case slower. Rules are facts of their documentation; the code is ours.

#include <algorithm>
#include <cmath>
#include <vector>

#include "benchmarks/base/stats/means.hpp"
#include "tests/studies/mann_whitney.hpp"

namespace apod::simulation {

/// Google Benchmark's tools/compare.py: two-sided Mann-Whitney U over the repetitions, p < 0.05,
/// and a larger mean. Nothing is corrected for many cases.
inline bool google_says_slower(const std::vector<double>& base, const std::vector<double>& after) {
  return mann_whitney_p(base, after) < 0.05 && stats::mean(after) > stats::mean(base);
}

/// benchstat: the same test over the runs, p < 0.05, and a larger median.
inline bool benchstat_says_slower(const std::vector<double>& base,
                                  const std::vector<double>& after) {
  return mann_whitney_p(base, after) < 0.05 && stats::median(after) > stats::median(base);
}

/// nvbench_compare's first rule: the means of one run a side differ by more than the smaller of the
/// two relative standard deviations of the samples.
inline bool nvbench_noise_says_slower(const std::vector<double>& base,
                                      const std::vector<double>& after) {
  const auto noise = [](const std::vector<double>& samples) {
    return stats::standard_deviation(samples) / stats::mean(samples);
  };
  const double change = stats::mean(after) / stats::mean(base) - 1;
  return change > std::min(noise(base), noise(after));
}

/// Its second: the intervals from the least sample to the third quartile are apart by 0.5 % or
/// more.
inline bool nvbench_interval_says_slower(const std::vector<double>& base,
                                         const std::vector<double>& after) {
  const double low = *std::min_element(after.begin(), after.end());
  return low / stats::quantile(base, 0.75) - 1 >= 0.005;
}

}  // namespace apod::simulation
