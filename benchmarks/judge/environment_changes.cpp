#include "benchmarks/judge/environment_changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "benchmarks/base/decisive_keys.hpp"
#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
namespace {

// These differ between any two runs, or are words about them, and explain nothing.
constexpr std::array<std::string_view, 4> silent_keys{"date", "load_average", "description", "mhz"};
using Values = std::set<std::string>;

Values keys_of(const Side& side) {
  Values keys;
  for (const auto& session : side.sessions) {
    for (const auto& [key, value] : session.environment) {
      if (!value.empty()) keys.insert(key);
    }
  }
  return keys;
}

std::string list(const Values& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

bool is_decisive(const std::string& key) {
  return holds(decisive_keys, key);
}

std::vector<EnvironmentChange> environment_changes(const Side& base, const Side& new_side) {
  auto keys = keys_of(base);
  keys.merge(keys_of(new_side));
  std::vector<EnvironmentChange> changes;
  for (const auto& key : keys) {
    if (holds(silent_keys, key)) continue;
    const auto before = values_of(base, key);
    const auto after = values_of(new_side, key);
    if (before.empty() || after.empty()) {
      if (!is_decisive(key)) continue;
      changes.push_back({key,
                         fmt::format("{} is recorded on {} side only: {}", key,
                                     before.empty() ? "the new" : "the base",
                                     list(before.empty() ? after : before)),
                         false});
      continue;
    }
    const bool mixed = before.size() > 1 || after.size() > 1;
    if (before == after && !(mixed && is_decisive(key))) continue;
    changes.push_back(
        {key,
         fmt::format("{} {} -> {}{}", key, list(before), list(after),
                     mixed && is_decisive(key) ? " (sessions of one side differ)" : ""),
         is_decisive(key)});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.decisive && !b.decisive; });
  return changes;
}

}  // namespace apod::judge
