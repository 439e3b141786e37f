#include "benchmarks/base/stats/body.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {
namespace {

/// Median of the shortest interval that holds half of the values: it lies where most are.
double densest(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2 + 1;
  std::size_t best = 0;
  for (std::size_t i = 0; i + half <= values.size(); ++i) {
    const double width = values[i + half - 1] - values[i];
    if (width < values[best + half - 1] - values[best]) best = i;
  }
  return median(std::span(values).subspan(best, half));
}

/// The indices, those nearest to `centre` first, and how many of them are no group apart.
struct Ranked {
  std::vector<std::size_t> order;
  std::size_t members = 0;
};

Ranked ranked(std::span<const double> values, std::span<const double> errors, double centre) {
  constexpr double far_out = 4;
  const double wanted = std::log(1000.0);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    distances.push_back(std::max(std::abs(values[i] - centre), errors[i]));
  }
  Ranked result;
  result.order.resize(values.size());
  std::iota(result.order.begin(), result.order.end(), 0);
  std::stable_sort(result.order.begin(), result.order.end(),
                   [&](std::size_t a, std::size_t b) { return distances[a] < distances[b]; });
  const auto at = [&](std::size_t rank) { return distances[result.order[rank]]; };
  result.members = values.size();
  double most = wanted;
  for (std::size_t inside = std::max<std::size_t>(1, values.size() / 3); inside < values.size();
       ++inside) {
    const double evidence =
        static_cast<double>(values.size() - inside) * std::log(at(inside) / at(inside - 1));
    if (evidence <= most || at(inside) < far_out * at((inside - 1) / 2)) continue;
    most = evidence;
    result.members = inside;
  }
  return result;
}

std::vector<double> picked(std::span<const double> values, std::span<const std::size_t> indices) {
  std::vector<double> some;
  some.reserve(indices.size());
  for (const auto i : indices) some.push_back(values[i]);
  return some;
}

Body made(std::span<const double> values, Ranked found) {
  found.order.resize(found.members);
  std::sort(found.order.begin(), found.order.end());
  return {median(picked(values, found.order)), std::move(found.order)};
}

}  // namespace

Body body_of(std::span<const double> values, std::span<const double> errors) {
  if (values.empty()) return {};
  const auto first =
      ranked(values, errors, densest(std::vector<double>(values.begin(), values.end())));
  auto body = made(values, first);
  const auto apart = std::span(first.order).subspan(first.members);
  if (3 * apart.size() < values.size()) return body;
  auto other = made(values, ranked(values, errors, densest(picked(values, apart))));
  return std::abs(other.centre) < std::abs(body.centre) ? other : body;
}

}  // namespace apod::stats
