#include "benchmarks/show/limit.hpp"

#include "benchmarks/base/text/units.hpp"

namespace apod::show {

std::string Limit::name() const {
  const std::string what(to_string(nearest));
  return measured ? "measured " + what + " ceiling" : "theoretical " + what + " peak";
}

std::string Limit::text() const {
  std::string text = text::format_percent(share) + " of the " + name();
  if (share > visibly_above) {
    text += measured ? " (so the ceiling is too low; to measure it again: bench ceilings)"
                     : " (so the limit is not this peak)";
  }
  return text;
}

Limit limit_of(const CaseSummary& summary) {
  Limit limit;
  if (const auto& roofline = summary.roofline) {
    limit.measured = true;
    limit.bound = roofline->bound;
    if (roofline->nearest == Bound::unknown || roofline->cache_resident) return limit;
    limit.nearest = roofline->nearest;
    limit.share = roofline->share;
    return limit;
  }
  if (summary.peak.exceeded || !(summary.peak.rate > 0)) return limit;
  limit.nearest = summary.peak.bound;
  limit.share = summary.value("share_of_peak");
  if (limit.share >= near_ceiling) limit.bound = limit.nearest;
  return limit;
}

double at_most(const Estimate& estimate) {
  return estimate.has_interval() ? estimate.high : estimate.value;
}

double at_least(const Estimate& estimate) {
  return estimate.has_interval() ? estimate.low : estimate.value;
}

double sure_share(const CaseSummary& summary) {
  const Estimate time = summary.time();
  const double share = limit_of(summary).share;
  return time.has_interval() ? share * time.value / time.high : share;
}

}  // namespace apod::show
