#include "benchmarks/show/rates.hpp"

#include <algorithm>
#include <set>

namespace apod::show {
namespace {

/// Work that differs by no more is taken to be the same.
constexpr double same_work = 0.01;

}  // namespace

std::string rate_of_bytes(const CaseSummary& summary) {
  return summary.fact("bus_bandwidth") != nullptr ? "bus_bandwidth" : "bandwidth";
}

std::string compared_fact(const Cases& cases) {
  double least = 0;
  double most = 0;
  std::size_t computing = 0;
  std::size_t moving = 0;
  std::set<std::string> rates;
  for (const auto* summary : cases) {
    const double bandwidth = summary->value(rate_of_bytes(*summary));
    computing += summary->computes ? 1 : 0;
    rates.insert(rate_of_bytes(*summary));
    moving += bandwidth > 0 ? 1 : 0;
    const double work = std::max(bandwidth, summary->value("flops")) * summary->time().value;
    least = summary == cases.front() ? work : std::min(least, work);
    most = std::max(most, work);
  }
  if (most <= least * (1 + same_work)) return "time";
  if (2 * computing > cases.size()) return "flops";
  return moving == cases.size() && rates.size() == 1 ? *rates.begin() : "time";
}

bool is_rate(const std::string& fact) {
  return fact == "bandwidth" || fact == "bus_bandwidth" || fact == "flops";
}

std::string spoken(std::string fact) {
  if (fact == "flops") return "arithmetic rate";
  if (fact == "speedup") return "times as fast as the baseline";
  std::replace(fact.begin(), fact.end(), '_', ' ');
  return fact;
}

}  // namespace apod::show
