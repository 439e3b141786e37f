#include "benchmarks/judge/judge.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/base/os/in_parallel.hpp"
#include "benchmarks/base/stats/corrections.hpp"
#include "benchmarks/base/stats/power.hpp"
#include "benchmarks/base/stats/t_tests.hpp"

namespace apod::judge {
namespace {

/// One end of the 95 % interval.
constexpr double interval_tail = 0.025;

void fill_numbers(const Evidence& evidence, double alpha, bool strict, CaseComparison& result) {
  const auto total = stats::t_interval(evidence.difference);
  const auto beyond = stats::t_interval(evidence.beyond);
  result.change = as_share(evidence.difference.mean);
  result.change_low = as_share(std::min(total.low, beyond.low));
  result.change_high = as_share(std::max(total.high, beyond.high));
  result.p = std::max(stats::p_different(evidence.beyond, 0), evidence.least_p);
  result.detectable =
      as_share(detectable_change(evidence.beyond.standard_error, evidence.beyond.degrees, alpha,
                                 std::log1p(result.threshold), strict));
}

}  // namespace

double as_share(double log_change) {
  return std::expm1(log_change);
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

Verdict verdict_of(const stats::MeanEstimate& d, const stats::MeanEstimate& b, bool significant,
                   double threshold, bool strict) {
  const double least = std::log1p(threshold);
  const auto interval = stats::t_interval(b);
  if (significant && d.mean >= least && (strict ? interval.low : b.mean) >= least) {
    return Verdict::regression;
  }
  if (significant && d.mean <= -least && (strict ? interval.high : b.mean) <= -least) {
    return Verdict::improvement;
  }
  const bool within = stats::p_equivalent(d, -least, least) < equivalence_level &&
                      stats::p_equivalent(b, -least, least) < equivalence_level;
  if (!within) return Verdict::inconclusive;
  return significant ? Verdict::small : Verdict::unchanged;
}

void judge(const std::vector<Evidence>& evidence, Comparison& comparison) {
  const auto& options = comparison.options;
  const auto family = static_cast<std::size_t>(std::count_if(
      evidence.begin(), evidence.end(), [](const Evidence& e) { return e.in_family; }));
  // Holm's first step is the hardest, and the one that a single regression has to take.
  const double alpha = options.alpha / static_cast<double>(std::max<std::size_t>(family, 1));
  // Quantiles of 100,000 cases take seconds.
  os::in_halves(evidence.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      fill_numbers(evidence[i], alpha, options.strict, comparison.cases[evidence[i].index]);
    }
  });
  std::vector<double> p;
  std::vector<double> by_itself;
  p.reserve(family);
  by_itself.reserve(family);
  for (const auto& item : evidence) {
    if (!item.in_family) continue;
    p.push_back(comparison.cases[item.index].p);
    by_itself.push_back(stats::p_different(item.difference, 0));
  }
  const auto adjusted = stats::holm(p);
  const auto adjusted_by_itself = stats::holm(by_itself);
  const auto q = stats::benjamini_hochberg(p);
  std::size_t at = 0;
  for (const auto& item : evidence) {
    auto& result = comparison.cases[item.index];
    result.p_adjusted = item.in_family ? adjusted[at] : 1;
    result.q = item.in_family ? q[at] : 1;
    const double p_by_itself = item.in_family ? adjusted_by_itself[at] : 1;
    at += item.in_family ? 1 : 0;
    result.verdict = verdict_of(item.difference, item.beyond, result.p_adjusted < options.alpha,
                                result.threshold, options.strict);
    const bool convicts =
        result.verdict == Verdict::regression || result.verdict == Verdict::improvement;
    const bool shares = item.difference.mean != item.beyond.mean;
    if (convicts && shares && !item.shift_is_usual && p_by_itself >= options.alpha) {
      result.verdict = Verdict::inconclusive;
      result.reason =
          "it stood still while the others moved: files can't tell which of them changed";
    }
  }
}

}  // namespace apod::judge
