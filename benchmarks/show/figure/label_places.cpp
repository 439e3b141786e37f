#include <algorithm>
#include <cstddef>
#include <numeric>

#include "benchmarks/show/figure/point_names.hpp"

namespace apod::figure {
namespace {

/// Labels that touch.
struct Cluster {
  double sum = 0;  ///< of what its labels want, each less its distance from the first
  std::vector<std::size_t> labels;

  double place(double gap, double first, double last) const {
    const auto count = static_cast<double>(labels.size());
    const double most = std::max(first, last - gap * (count - 1));
    return std::clamp(sum / count, first, most);
  }
};

}  // namespace

std::vector<double> label_places(const std::vector<double>& wanted, double gap, double first,
                                 double last) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<Cluster> clusters;
  for (const std::size_t label : order) {
    clusters.push_back({wanted[label], {label}});
    while (clusters.size() > 1) {
      Cluster& before = clusters[clusters.size() - 2];
      const Cluster& here = clusters.back();
      const double reach = gap * static_cast<double>(before.labels.size());
      if (before.place(gap, first, last) + reach <= here.place(gap, first, last)) break;
      before.sum += here.sum - reach * static_cast<double>(here.labels.size());
      before.labels.insert(before.labels.end(), here.labels.begin(), here.labels.end());
      clusters.pop_back();
    }
  }
  std::vector<double> places(wanted.size());
  for (const Cluster& cluster : clusters) {
    double place = cluster.place(gap, first, last);
    for (const std::size_t label : cluster.labels) {
      places[label] = place;
      place += gap;
    }
  }
  return places;
}

}  // namespace apod::figure
