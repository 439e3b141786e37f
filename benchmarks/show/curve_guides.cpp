#include "benchmarks/show/curve_guides.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/show/estimate_text.hpp"

namespace apod::show {
namespace {

/// A line to hold values against is in reach up to this multiple of the largest.
constexpr double in_reach = 4;
/// Work that differs by no more is taken to be the same.
constexpr double same_work = 0.01;
/// What differs by less is the same ceiling.
constexpr double same_ceiling = 0.01;

/// Whether arithmetic is what the case comes closest to.
bool computes(const CaseSummary& summary) {
  if (summary.roofline && summary.roofline->nearest != Bound::unknown) {
    const Bound nearest = summary.roofline->nearest;
    return nearest == Bound::fp32 || nearest == Bound::fp64 || nearest == Bound::tensor;
  }
  const Bound bound = summary.peak.bound;
  return bound == Bound::fp32 || bound == Bound::fp64 ||
         (summary.value("bandwidth") <= 0 && summary.value("flops") > 0);
}

/// The one value that `of` has for all cases of which it has a number; 0 where it differs.
template <class Of>
double common(const std::vector<Plotted>& shown, const Of& of) {
  double least = 0;
  double most = 0;
  for (const auto& item : shown) {
    const double value = of(*item.summary);
    if (std::isnan(value)) continue;
    if (!(value > 0)) return 0;
    least = least > 0 ? std::min(least, value) : value;
    most = std::max(most, value);
  }
  return most <= least * (1 + same_ceiling) ? most : 0;
}

}  // namespace

std::string usual_fact(const Cases& cases) {
  double least = 0;
  double most = 0;
  std::size_t computing = 0;
  std::size_t moving = 0;
  for (const auto* summary : cases) {
    const double bandwidth = summary->value("bandwidth");
    computing += computes(*summary) ? 1 : 0;
    moving += bandwidth > 0 ? 1 : 0;
    const double work = std::max(bandwidth, summary->value("flops")) * summary->time().value;
    least = summary == cases.front() ? work : std::min(least, work);
    most = std::max(most, work);
  }
  if (most <= least * (1 + same_work)) return "time";
  if (2 * computing > cases.size()) return "flops";
  return moving == cases.size() ? "bandwidth" : "time";
}

std::vector<figure::Guide> guides_of(const Result& result, const std::vector<Plotted>& shown,
                                     const std::string& fact) {
  std::vector<figure::Guide> guides;
  double most = 0;
  for (const auto& item : shown) most = std::max(most, item.value.value);
  const auto add = [&](const std::string& name, double value, bool dashed) {
    if (!(value > 0) || value > most * in_reach) return;
    guides.push_back(figure::level_guide(name + " " + fact_text(fact, value), value, dashed));
  };
  const auto& device = result.environment.device;
  const bool on_device = std::all_of(shown.begin(), shown.end(), [&](const Plotted& item) {
    return item.summary->info->backend == device.backend;
  });
  if (!on_device) return guides;
  const double ceiling = common(shown, [&](const CaseSummary& s) {
    if (!s.roofline) return 0.0;
    const bool bytes =
        s.roofline->nearest == Bound::memory || s.roofline->nearest == Bound::transfer;
    if (fact == "time") return s.time().value * s.roofline->share;
    if (fact == "bandwidth") {
      return s.roofline->memory_ceiling_bytes_per_s > 0 && s.fact("transfer_bytes") == nullptr
                 ? s.roofline->memory_ceiling_bytes_per_s
                 : (bytes ? s.roofline->ceiling : 0.0);
    }
    // Small problems of an experiment may be bound by memory, which says nothing of arithmetic.
    return fact == "flops" ? (computes(s) ? s.roofline->ceiling : figure::no_value) : 0.0;
  });
  add(fact == "time" ? "at the measured ceiling" : "measured ceiling", ceiling, false);
  const double peak = common(shown, [&](const CaseSummary& s) {
    const Bound bound = s.peak.bound;
    if (fact == "bandwidth") {
      return s.fact("transfer_bytes") != nullptr ? device.peak_transfer_bytes_per_s
                                                 : device.peak_memory_bytes_per_s;
    }
    if (fact != "flops") return 0.0;
    if (bound == Bound::memory) return figure::no_value;
    return bound == Bound::fp64 ? device.peak_fp64_flops
                                : (bound == Bound::fp32 ? device.peak_fp32_flops : 0.0);
  });
  add("peak", peak, true);
  return guides;
}

}  // namespace apod::show
