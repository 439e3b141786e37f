#include "benchmarks/look/trace/counters.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/base/facts.hpp"

namespace apod::trace {
namespace {

constexpr double sector_bytes = 32;

/// Launches with equal keys belong together. Of a launch or of an entry.
template <class Kernel>
auto key_of(Kernel& kernel) {
  return std::tie(kernel.name, kernel.grid, kernel.block);
}

std::optional<double> value_of(const KernelCounters& launch, const std::string& name) {
  const auto found = launch.values.find(name);
  return found == launch.values.end() ? std::nullopt : std::optional(found->second);
}

/// Sum over the launches that have all of `names`; nothing where none has.
std::optional<double> sum(const Counters& counters, const std::vector<std::string>& names) {
  double total = 0;
  bool known = false;
  for (const auto& launch : counters.launches) {
    double of_launch = 0;
    const bool has_all = std::ranges::all_of(names, [&](const std::string& name) {
      const auto value = value_of(launch, name);
      of_launch += value.value_or(0);
      return value.has_value();
    });
    if (!has_all) continue;
    total += of_launch;
    known = true;
  }
  return known ? std::optional(total) : std::nullopt;
}

/// Mean of `name`; a launch weighs the sum of its counters `weights`.
std::optional<double> mean(const Counters& counters, const std::string& name,
                           const std::vector<std::string>& weights) {
  double total = 0;
  double weight = 0;
  for (const auto& launch : counters.launches) {
    const auto value = value_of(launch, name);
    if (!value) continue;
    double mine = 0;
    for (const auto& part : weights) mine += value_of(launch, part).value_or(0);
    total += *value * mine;
    weight += mine;
  }
  return weight > 0 ? std::optional(total / weight) : std::nullopt;
}

std::optional<double> efficiency(const Counters& counters, const std::string& access) {
  const auto bytes = sum(counters, {"global_" + access + "_bytes"});
  const auto sectors = sum(counters, {"global_" + access + "_sectors"});
  if (!bytes || !sectors || !(*sectors > 0)) return std::nullopt;
  return *bytes / (sector_bytes * *sectors);
}

/// Of all launches, as the metric's roll-up asks: a sum of sums, the least or the largest of those;
/// of anything else the mean, weighted by duration.
std::optional<double> of_metric(const Counters& counters, const std::string& name) {
  if (name.ends_with(".sum")) return sum(counters, {name});
  const bool least = name.ends_with(".min");
  if (!least && !name.ends_with(".max")) return mean(counters, name, {"duration"});
  std::optional<double> extreme;
  for (const auto& launch : counters.launches) {
    const auto value = value_of(launch, name);
    if (!value) continue;
    extreme = !extreme ? *value : least ? std::min(*extreme, *value) : std::max(*extreme, *value);
  }
  return extreme;
}

}  // namespace

Profile profile_of(const Counters& counters) {
  using Sizes = std::array<std::uint32_t, 3>;
  struct Group {
    KernelProfile kernel;
    std::map<std::string, std::uint64_t> launches;  ///< that have the counter
  };
  std::map<std::tuple<std::string, Sizes, Sizes>, Group> groups;
  for (const auto& launch : counters.launches) {
    auto& [kernel, launches] = groups[key_of(launch)];
    key_of(kernel) = key_of(launch);
    kernel.time.add(value_of(launch, "duration").value_or(0));
    for (const auto& [name, value] : launch.values) {
      auto& mean = kernel.counters[name];
      mean += (value - mean) / static_cast<double>(++launches[name]);
    }
  }
  Profile profile;
  for (auto& [key, group] : groups) profile.kernels.push_back(std::move(group.kernel));
  std::ranges::stable_sort(profile.kernels, [](const auto& a, const auto& b) {
    return a.time.total_s > b.time.total_s;
  });
  return profile;
}

std::map<std::string, double> facts_of(const Counters& counters) {
  std::map<std::string, double> facts;
  const auto keep = [&](const char* name, std::optional<double> value) {
    if (value) facts[name] = *value;
  };
  keep("dram_bytes", sum(counters, {"dram_bytes_read", "dram_bytes_written"}));
  keep("fp32_instructions", sum(counters, {"fadd", "fmul", "ffma"}));
  keep("fp64_instructions", sum(counters, {"dadd", "dmul", "dfma"}));
  keep("tensor_instructions", sum(counters, {"tensor_instructions"}));
  for (const char* name : {"dram_throughput", "l2_throughput", "l1_throughput",
                           "achieved_occupancy", "issue_active", "tensor_active"}) {
    keep(name, mean(counters, name, {"duration"}));
  }
  keep("l2_hit_rate",
       mean(counters, "l2_hit_rate", {"global_load_sectors", "global_store_sectors"}));
  for (const auto& launch : counters.launches) {
    for (const auto& [name, value] : launch.values) {
      if (is_metric(name)) keep(name.c_str(), of_metric(counters, name));
    }
  }
  keep("load_efficiency", efficiency(counters, "load"));
  keep("store_efficiency", efficiency(counters, "store"));
  return facts;
}

void join_counters(const Profile& counted, Profile& profile) {
  for (const auto& kernel : counted.kernels) {
    bool known = false;
    for (auto& traced : profile.kernels) {
      if (key_of(traced) != key_of(kernel)) continue;
      traced.counters = kernel.counters;
      known = true;
    }
    if (!known) profile.kernels.push_back(kernel);
  }
}

}  // namespace apod::trace
