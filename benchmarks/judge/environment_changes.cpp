#include "benchmarks/judge/environment_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/judge/machines.hpp"
#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
namespace {

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
  // A folder of nights may have hundreds.
  constexpr std::size_t most = 4;
  return text::first_few(values, values.size() <= most ? most : most - 1);
}

/// A clock wanders from run to run, and is named where it makes another kind of machine.
std::vector<EnvironmentChange> clock_change(const Side& base, const Side& new_side) {
  const auto clock_of = [](const SideSession& session) {
    return SideSession{"", "", {{"cpu_mhz", property(session, "cpu_mhz")}}};
  };
  std::string difference;
  for (const auto& before : base.sessions) {
    for (const auto& after : new_side.sessions) {
      difference = machine_difference(clock_of(before), clock_of(after));
      if (difference.empty()) return {};
    }
  }
  return {{"cpu_mhz", difference, false}};
}

}  // namespace

std::vector<EnvironmentChange> environment_changes(const Side& base, const Side& new_side) {
  auto keys = keys_of(base);
  keys.merge(keys_of(new_side));
  std::vector<EnvironmentChange> changes;
  for (const auto& key : keys) {
    const auto* known = find_property(key);
    if (known != nullptr && known->differs == Differs::always) continue;
    const auto before = values_of(base, key);
    const auto after = values_of(new_side, key);
    if (before.empty() || after.empty()) {
      if (!is_decisive(key)) continue;
      changes.push_back({key,
                         fmt::format("{} is recorded only on {} side: {}", key,
                                     before.empty() ? "the new" : "the base",
                                     list(before.empty() ? after : before)),
                         false});
      continue;
    }
    const bool mixed = before.size() > 1 || after.size() > 1;
    if (before == after && !(mixed && is_decisive(key))) continue;
    changes.push_back(
        {key,
         fmt::format(
             "{} {} -> {}{}", key, list(before), list(after),
             mixed && is_decisive(key) ? " (differs between the sessions of one side)" : ""),
         is_decisive(key)});
  }
  const auto clock = clock_change(base, new_side);
  changes.insert(changes.end(), clock.begin(), clock.end());
  std::ranges::stable_partition(changes, [](const auto& one) { return one.decisive; });
  return changes;
}

}  // namespace apod::judge
