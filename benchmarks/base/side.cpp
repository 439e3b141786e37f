#include "benchmarks/base/side.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace apod {

bool is_of_one_kernel(std::string_view fact) {
  return fact.starts_with(kernel_time_of) || fact.starts_with(launches_of);
}

void FactSums::add(const std::string& name, double sum, std::uint32_t count) {
  const auto place =
      std::lower_bound(sums_.begin(), sums_.end(), name,
                       [](const auto& fact, const auto& wanted) { return fact.first < wanted; });
  const auto i = std::distance(sums_.begin(), place);
  if (place == sums_.end() || place->first != name) {
    sums_.insert(place, {name, sum});
    counts_.insert(counts_.begin() + i, count);
  } else {
    place->second += sum;
    counts_[static_cast<std::size_t>(i)] += count;
  }
}

void FactSums::add(const std::map<std::string, double>& process) {
  bool traced = false;
  if (sums_.empty()) {
    sums_.reserve(process.size());
    counts_.reserve(process.size());
  }
  std::size_t next = 0;  // where the fact is, as the processes of a case have the same ones
  for (const auto& [name, value] : process) {
    if (next < sums_.size() && sums_[next].first == name && std::isfinite(value)) {
      sums_[next].second += value;
      counts_[next++] += 1;
    } else if (std::isfinite(value)) {
      add(name, value, 1);
      if (next + 1 == sums_.size()) ++next;
    }
    traced = traced || name == "span" || is_of_one_kernel(name);
  }
  traced_ += traced ? 1 : 0;
}

void FactSums::merge(const FactSums& other) {
  for (std::size_t i = 0; i < other.sums_.size(); ++i) {
    add(other.sums_[i].first, other.sums_[i].second, other.counts_[i]);
  }
  traced_ += other.traced_;
}

Facts FactSums::means() const {
  Facts means = sums_;
  for (std::size_t i = 0; i < means.size(); ++i) {
    means[i].second /= is_of_one_kernel(means[i].first.str()) ? traced_ : counts_[i];
  }
  return means;
}

}  // namespace apod
