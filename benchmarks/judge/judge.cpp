#include "benchmarks/judge/judge.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/base/stats/corrections.hpp"
#include "benchmarks/base/stats/power.hpp"
#include "benchmarks/base/stats/t_tests.hpp"

namespace apod::judge {
namespace {

/// One end of the 95 % interval.
constexpr double interval_tail = 0.025;

void fill_numbers(const Evidence& evidence, double alpha, bool strict, CaseComparison& result) {
  result.change = stats::as_share(stats::t_interval(evidence.difference));
  result.p = stats::p_different(evidence.difference, 0);
  result.detectable = detectable_share(detectable_change(evidence.difference.standard_error,
                                                         evidence.difference.degrees, alpha,
                                                         std::log1p(result.threshold), strict));
}

}  // namespace

double size_as_share(double log_size, bool slower) {
  return slower ? stats::as_share(log_size) : -stats::as_share(-log_size);
}

std::optional<double> detectable_share(double log_change) {
  if (!(log_change <= far_out)) return std::nullopt;
  return stats::as_share(log_change);
}

double threshold_of(const CompareOptions& options, double of_base, double of_new) {
  if (of_base > 0) return of_base;
  return options.threshold_given || !(of_new > 0) ? options.threshold : of_new;
}

double chance_to_find(double effect, double standard_error, double degrees, double alpha,
                      double least, bool strict) {
  const double beyond = effect - least;
  const double large_enough =
      strict ? stats::t_test_power(beyond, standard_error, degrees, interval_tail)
             : 1 - stats::t_upper_tail(beyond / standard_error, degrees);
  return std::min(stats::t_test_power(effect, standard_error, degrees, alpha / 2), large_enough);
}

double detectable_change(double standard_error, double degrees, double alpha, double least,
                         bool strict) {
  // The threshold has to be passed by a margin of its own.
  const double margin =
      strict ? stats::detectable_effect(standard_error, degrees, interval_tail, wanted_power)
             : stats::t_quantile(wanted_power, degrees) * standard_error;
  return std::max(stats::detectable_effect(standard_error, degrees, alpha / 2, wanted_power),
                  least + margin);
}

Verdict verdict_of(const stats::MeanEstimate& d, bool significant, double threshold, bool strict) {
  const double least = std::log1p(threshold);
  const auto interval = stats::t_interval(d);
  if (significant && (strict ? interval.low : d.mean) >= least) return Verdict::regression;
  if (significant && (strict ? interval.high : d.mean) <= -least) return Verdict::improvement;
  if (stats::p_equivalent(d, -least, least) >= equivalence_level) return Verdict::inconclusive;
  return significant ? Verdict::small : Verdict::unchanged;
}

void judge(const std::vector<Evidence>& evidence, Comparison& comparison) {
  const auto& options = comparison.options;
  const auto family =
      static_cast<std::size_t>(std::ranges::count(evidence, true, &Evidence::in_family));
  // Holm's first step is the hardest, and the one that a single regression has to take.
  const double alpha = options.alpha / static_cast<double>(std::max<std::size_t>(family, 1));
  std::vector<double> p;
  p.reserve(family);
  for (const auto& item : evidence) {
    auto& result = comparison.cases[item.index];
    fill_numbers(item, alpha, options.strict, result);
    if (item.in_family) p.push_back(result.p);
  }
  const auto adjusted = stats::holm(p);
  const auto q = stats::benjamini_hochberg(p);
  std::size_t at = 0;
  for (const auto& item : evidence) {
    auto& result = comparison.cases[item.index];
    result.p_adjusted = item.in_family ? adjusted[at] : 1;
    result.q = item.in_family ? q[at] : 1;
    at += item.in_family ? 1 : 0;
    result.verdict = verdict_of(item.difference, result.p_adjusted < options.alpha,
                                result.threshold, options.strict);
  }
}

}  // namespace apod::judge
