#include "benchmarks/show/limit.hpp"

namespace apod::show {

std::string Limit::name() const {
  return measured ? "measured " + nearest + " ceiling" : "theoretical " + nearest + " peak";
}

Limit limit_of(const CaseSummary& summary) {
  Limit limit;
  if (const auto& roofline = summary.roofline) {
    limit.measured = true;
    limit.bound = to_string(roofline->bound);
    if (roofline->nearest == Bound::unknown || roofline->cache_resident) return limit;
    limit.nearest = to_string(roofline->nearest);
    limit.share = roofline->share;
    return limit;
  }
  const auto& throughput = summary.throughput;
  if (throughput.above_peak) return limit;
  limit.nearest = throughput.bound;
  limit.share = throughput.share;
  if (limit.share >= near_ceiling) limit.bound = limit.nearest;
  return limit;
}

double at_most(const Estimate& estimate) {
  return estimate.has_interval() ? estimate.high : estimate.value;
}

double sure_share(const CaseSummary& summary) {
  const Estimate& time = summary.time_s;
  const double share = limit_of(summary).share;
  return time.has_interval() ? share * time.value / time.high : share;
}

}  // namespace apod::show
