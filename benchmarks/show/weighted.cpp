#include "benchmarks/show/weighted.hpp"

#include <map>
#include <vector>

#include "benchmarks/base/text/units.hpp"

namespace apod::show {

Paragraph weighted_times(const Experiment& experiment, const Result& result, const Cases& cases) {
  if (experiment.weight.empty()) return {};
  struct Sum {
    double seconds = 0;
    std::size_t measured = 0;
    std::size_t wanted = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Sum> sums;
  for (const auto& c : result.plan.cases) {
    if (&result.plan.experiment_of(c) != &experiment) continue;
    if (!sums.contains(c.variant)) order.push_back(c.variant);
    ++sums[c.variant].wanted;
  }
  for (const auto* summary : cases) {
    const auto weight = summary->info->params.integer_or(experiment.weight, 0);
    auto& sum = sums[summary->info->variant];
    sum.seconds += static_cast<double>(weight) * summary->time().value;
    ++sum.measured;
  }
  std::string text;
  std::string missing;
  double first = 0;
  for (const auto& variant : order) {
    const auto& sum = sums[variant];
    if (sum.measured < sum.wanted) {
      missing += (missing.empty() ? "" : ", ") + variant;
      continue;
    }
    text += (text.empty() ? "" : ", ") + variant + " " + text::format_time(sum.seconds);
    if (first > 0) text += " (" + text::format_percent(sum.seconds / first - 1) + ")";
    if (first == 0) first = sum.seconds;
  }
  if (!missing.empty()) {
    text += (text.empty() ? "" : "; ") + std::string("some cases were not measured for ") + missing;
  }
  return Paragraph{.text = {Span{"weighed by " + experiment.weight + ": " + text}}};
}

}  // namespace apod::show
