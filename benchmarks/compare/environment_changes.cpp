#include "benchmarks/compare/environment_changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "benchmarks/model/decisive_keys.hpp"

namespace apod::compare {
namespace {

// These differ between any two runs and explain nothing.
constexpr std::array<std::string_view, 2> silent_keys{"date", "load_average"};
using Values = std::set<std::string>;

std::map<std::string, Values> values_of(const Side& side) {
  std::map<std::string, Values> values;
  for (const auto& session : side.sessions) {
    for (const auto& [key, value] : session.environment) {
      if (!value.empty()) values[key].insert(value);
    }
  }
  return values;
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
  const auto before = values_of(base);
  const auto after = values_of(new_side);
  std::set<std::string> keys;
  for (const auto& [key, values] : before) keys.insert(key);
  for (const auto& [key, values] : after) keys.insert(key);
  // Where no processor or GPU is named, as in Google Benchmark's files, their number tells machines
  // apart.
  const bool unnamed = keys.count("cpu") + keys.count("gpu") == 0;
  const auto decides = [&](const std::string& key) {
    return is_decisive(key) || (unnamed && key == "cpus");
  };
  std::vector<EnvironmentChange> changes;
  for (const auto& key : keys) {
    if (holds(silent_keys, key)) continue;
    const auto b = before.find(key);
    const auto n = after.find(key);
    if (b == before.end() || n == after.end()) {
      if (!decides(key)) continue;
      changes.push_back({key,
                         fmt::format("{} is recorded on {} side only: {}", key,
                                     b == before.end() ? "the new" : "the base",
                                     list(b == before.end() ? n->second : b->second)),
                         false});
      continue;
    }
    const bool mixed = b->second.size() > 1 || n->second.size() > 1;
    if (b->second == n->second && !(mixed && decides(key))) continue;
    changes.push_back({key,
                       fmt::format("{} {} -> {}{}", key, list(b->second), list(n->second),
                                   mixed && decides(key) ? " (sessions of one side differ)" : ""),
                       decides(key)});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.decisive && !b.decisive; });
  return changes;
}

}  // namespace apod::compare
