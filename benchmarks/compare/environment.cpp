#include "benchmarks/compare/environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "benchmarks/model/decisive_keys.hpp"

namespace apod::compare {
namespace {

// These differ between any two runs and explain nothing.
constexpr std::array<std::string_view, 2> silent_keys{"date", "load_average"};
// A load below this share of the processors, or a change below it, is not worth a word.
constexpr double idle_load = 0.25;
// A change above this share of the processors makes times of the two incomparable.
constexpr double much_load = 0.5;
// Another process that one of many runs met is worth a word.
constexpr double one_in_twenty = 0.05;

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

double processors_of(const Side& side) {
  double cpus = 1;
  for (const auto& session : side.sessions) {
    const auto count = session.environment.find("cpus");
    if (count != session.environment.end()) {
      cpus = std::max(cpus, std::strtod(count->second.c_str(), nullptr));
    }
  }
  return cpus;
}

/// Mean over the sessions that tell it, a processor; nothing where none does.
std::optional<double> mean_load(const Side& side) {
  double load = 0;
  double sessions = 0;
  for (const auto& session : side.sessions) {
    const auto found = session.environment.find("load_average");
    if (found == session.environment.end()) continue;
    load += std::strtod(found->second.c_str(), nullptr);
    ++sessions;
  }
  if (sessions == 0) return std::nullopt;
  return load / sessions / processors_of(side);
}

std::optional<double> find(const SideCase& c, std::string_view name) {
  for (const auto& [key, value] : c.facts) {
    if (key == name) return value;
  }
  return std::nullopt;
}

/// Mean over the cases that tell it; nothing where none does.
std::optional<double> mean_fact(const Side& side, std::string_view name) {
  double sum = 0;
  double cases = 0;
  for (const auto& c : side.cases) {
    const auto value = find(c, name);
    sum += value.value_or(0);
    cases += value ? 1 : 0;
  }
  if (cases == 0) return std::nullopt;
  return sum / cases;
}

std::string others_on_gpu(double before, double after) {
  return fmt::format("other processes on the GPU {:.2g} -> {:.2g}", before, after);
}

std::string others_on_processors(double before, double after, double cpus) {
  return fmt::format("processors busy with other processes {:.2g} -> {:.2g} of {:.0f}", before,
                     after, cpus);
}

/// What other processes did, as measured beside the cases. Files that don't have that have at least
/// the load average of the minute before their run.
void add_load(const Side& base, const Side& new_side, std::vector<EnvironmentChange>& changes) {
  const auto gpu_before = mean_fact(base, "other_gpu_processes");
  const auto gpu_after = mean_fact(new_side, "other_gpu_processes");
  if (gpu_before && gpu_after && std::abs(*gpu_after - *gpu_before) >= one_in_twenty) {
    changes.push_back({"other_gpu_processes", others_on_gpu(*gpu_before, *gpu_after), false});
  }
  const double cpus = compare::processors(base, new_side);
  const auto busy_before = mean_fact(base, "other_load");
  const auto busy_after = mean_fact(new_side, "other_load");
  if (busy_before && busy_after) {
    if (std::abs(*busy_after - *busy_before) < idle_load * cpus) return;
    changes.push_back({"other_load", others_on_processors(*busy_before, *busy_after, cpus), false});
    return;
  }
  const auto before = mean_load(base);
  const auto after = mean_load(new_side);
  if (!before || !after || std::abs(*after - *before) < idle_load) return;
  changes.push_back(
      {"load_average",
       fmt::format("load of the machine {:.2f} -> {:.2f} a processor", *before, *after), false});
}

}  // namespace

bool is_decisive(const std::string& key) {
  return holds(decisive_keys, key);
}

std::string disturbance(const SideCase& base, const SideCase& new_case, double cpus) {
  const auto gpu_before = find(base, "other_gpu_processes");
  const auto gpu_after = find(new_case, "other_gpu_processes");
  if (gpu_before && gpu_after && std::abs(*gpu_after - *gpu_before) >= one_in_twenty) {
    return others_on_gpu(*gpu_before, *gpu_after);
  }
  const auto before = find(base, "other_load");
  const auto after = find(new_case, "other_load");
  if (before && after && std::abs(*after - *before) >= much_load * cpus) {
    return others_on_processors(*before, *after, cpus);
  }
  return "";
}

double processors(const Side& base, const Side& new_side) {
  return std::max(processors_of(base), processors_of(new_side));
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
  add_load(base, new_side, changes);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.decisive && !b.decisive; });
  return changes;
}

}  // namespace apod::compare
