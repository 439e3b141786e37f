#include "benchmarks/base/steps.hpp"

#include <algorithm>

#include "benchmarks/base/stats/means.hpp"

namespace apod {
Parts Steps::mean() const {
  Parts sum;
  for (const auto& step : steady) sum.add(step.parts);
  if (steady.size() > 1) {
    for (auto& seconds : sum.s) seconds /= static_cast<double>(steady.size());
  }
  return sum;
}

double Steps::median_s() const {
  if (steady.empty()) return 0;
  std::vector<double> all;
  for (const auto& step : steady) all.push_back(step.parts.total_s());
  return stats::median(all);
}

const Step* Steps::slowest() const {
  const auto slow = std::ranges::max_element(
      steady, [](const Step& a, const Step& b) { return a.parts.total_s() < b.parts.total_s(); });
  return slow == steady.end() ? nullptr : &*slow;
}

SlowReason reason_of(const Steps& steps) {
  SlowReason reason;
  const auto* slow = steps.slowest();
  if (slow == nullptr) return reason;
  for (std::size_t i = 0; i < program_parts; ++i) {
    std::vector<double> all;
    for (const auto& step : steps.steady) all.push_back(step.parts.s[i]);
    const double more = slow->parts.s[i] - stats::median(all);
    if (more > reason.more_s) reason = {static_cast<StepPart>(i), more};
  }
  return reason;
}

}  // namespace apod
