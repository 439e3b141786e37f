#include "benchmarks/base/side.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <set>
#include <utility>

namespace apod {

bool is_of_one_kernel(std::string_view fact) {
  return fact.starts_with(kernel_time_of) || fact.starts_with(launches_of);
}

namespace {

constexpr std::string_view period_fact = "phase_period";

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
  std::vector<double> sums(all.size());
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
    add(at, value);
  }
  traced_ += traced ? 1 : 0;
}

void FactSums::add(std::size_t i, double value) {
  double& sum = sums_[i];
  const bool agrees = sum == 0 || sum == value;
  const double period = agrees ? value : std::numeric_limits<double>::quiet_NaN();
  sum = name(i) == period_fact ? period : sum + value;
}

void FactSums::merge(const FactSums& other) {
  for (const auto& [names, processes] : other.processes_) count(names, processes);
  for (std::size_t i = 0, to = 0; i < other.size(); ++i) {
    while (name(to) != other.name(i)) ++to;
    add(to, other.sums_[i]);
  }
  traced_ += other.traced_;
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
  std::vector<double> means(sums_);
  for (std::size_t i = 0; i < size(); ++i) {
    if (name(i) == period_fact) continue;
    means[i] /= is_of_one_kernel(name(i).str()) ? traced_ : counts[i];
  }
  Facts facts(*names_, std::move(means));
  const auto of_all = facts.find(period_fact);
  if (!of_all || !std::isnan(*of_all)) return facts;
  std::map<SharedText, double> others(facts.begin(), facts.end());
  others.erase(period_fact);
  return Facts(others);
}

}  // namespace apod
