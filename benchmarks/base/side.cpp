#include "benchmarks/base/side.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <set>
#include <utility>

namespace apod {

bool is_of_one_kernel(std::string_view fact) {
  return fact.starts_with(kernel_time_of) || fact.starts_with(launches_of);
}

namespace {

/// Keeps one copy of each list of names, until the program ends.
const std::vector<SharedText>* kept_once(std::vector<SharedText> names) {
  static auto* const lists = new std::set<std::vector<SharedText>>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return &*lists->insert(std::move(names)).first;
}

}  // namespace

Facts::Facts(const std::map<SharedText, double>& facts) {
  if (facts.empty()) return;
  Names names;
  for (const auto& [name, value] : facts) {
    names.push_back(name);
    values_.push_back(value);
  }
  names_ = kept_once(std::move(names));
}

std::optional<double> Facts::find(std::string_view name) const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if ((*names_)[i] == name) return values_[i];
  }
  return std::nullopt;
}

void Facts::merge(const Facts& other) {
  std::map<SharedText, double> all(other.begin(), other.end());
  all.insert(begin(), end());  // what is there stays
  *this = Facts(all);
}

void Facts::erase_of_kernels() {
  std::map<SharedText, double> others(begin(), end());
  std::erase_if(others, [](const auto& fact) { return is_of_one_kernel(fact.first.str()); });
  *this = Facts(others);
}

void FactSums::count(const Names* names, std::uint32_t processes) {
  const auto known =
      std::ranges::find_if(processes_, [&](const auto& one) { return one.first == names; });
  if (known != processes_.end()) {
    known->second += processes;
    return;
  }
  processes_.emplace_back(names, processes);
  Names all;
  if (names_ != nullptr) all = *names_;
  const auto before = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), names->begin(), names->end());
  std::inplace_merge(all.begin(), all.begin() + before, all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<long double> sums(all.size());
  for (std::size_t i = 0, to = 0; i < size(); ++i) {
    while (all[to] != name(i)) ++to;
    sums[to] = sums_[i];
  }
  names_ = kept_once(std::move(all));
  sums_ = std::move(sums);
}

void FactSums::add(const std::map<std::string, double>& process) {
  const auto is_of = [&](const Names& names) {
    auto next = names.begin();
    for (const auto& [name, value] : process) {
      if (!std::isfinite(value)) continue;
      if (next == names.end() || *next != name) return false;
      ++next;
    }
    return next == names.end();
  };
  const auto known =
      std::ranges::find_if(processes_, [&](const auto& one) { return is_of(*one.first); });
  if (known != processes_.end()) {
    ++known->second;
  } else {
    Names names;
    for (const auto& [name, value] : process) {
      if (std::isfinite(value)) names.emplace_back(name);
    }
    count(kept_once(std::move(names)), 1);
  }
  bool traced = false;
  std::size_t at = 0;
  for (const auto& [name, value] : process) {
    traced = traced || name == "span" || is_of_one_kernel(name);
    if (!std::isfinite(value)) continue;
    while (this->name(at) != name) ++at;
    sums_[at] += value;
  }
  traced_ += traced ? 1 : 0;
  const auto period = process.find("phase_period");
  const auto spread = process.find("phase_spread");
  if (period == process.end() || spread == process.end()) return;
  if (!(period->second >= 1 && period->second < 1e9 && spread->second >= 0)) return;
  phases_.push_back({spread->second, static_cast<int>(period->second)});
}

void FactSums::merge(const FactSums& other) {
  for (const auto& [names, processes] : other.processes_) count(names, processes);
  for (std::size_t i = 0, to = 0; i < other.size(); ++i) {
    while (name(to) != other.name(i)) ++to;
    sums_[to] += other.sums_[i];
  }
  traced_ += other.traced_;
  phases_.insert(phases_.end(), other.phases_.begin(), other.phases_.end());
}

Facts FactSums::means() const {
  std::vector<std::uint32_t> counts(size());
  for (const auto& [names, processes] : processes_) {
    std::size_t at = 0;
    for (const auto fact : *names) {
      while (name(at) != fact) ++at;
      counts[at] += processes;
    }
  }
  if (names_ == nullptr) return {};
  std::vector<double> means(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const auto processes = is_of_one_kernel(name(i).str()) ? traced_ : counts[i];
    means[i] = static_cast<double>(sums_[i] / processes);
  }
  Facts facts(*names_, std::move(means));
  if (const auto voted = vote(phases_)) {
    const auto period = static_cast<double>(voted->period);
    facts.merge({{"phase_period", period}, {"phase_spread", voted->spread}});
  }
  return facts;
}

}  // namespace apod
