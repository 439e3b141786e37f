#include "benchmarks/judge/machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/judge/sessions.hpp"
#include "benchmarks/judge/side_logs.hpp"

namespace apod::judge {
namespace {

constexpr std::array<const char*, 10> keys_of_kind{
    "backend", "gpu", "mig", "ecc", "power_limit_w", "driver", "cuda", "cpu", "cpus", "caches"};
constexpr const char* clock_key = "cpu_mhz";
constexpr const char* host_key = "host";
// A processor's clock is measured when the program starts, and wanders.
constexpr double clocks_may_differ = 1.15;

bool clocks_differ(const std::string& a, const std::string& b) {
  const double before = std::strtod(a.c_str(), nullptr);
  const double after = std::strtod(b.c_str(), nullptr);
  if (!(before > 0) || !(after > 0)) return false;
  return std::max(before, after) > clocks_may_differ * std::min(before, after);
}

/// The value without a copy; null where it is not recorded.
const std::string* known(const SideSession& session, const char* key) {
  const auto found = session.environment.find(key);
  return found == session.environment.end() || found->second.empty() ? nullptr : &found->second;
}

}  // namespace

std::string machine_difference(const SideSession& a, const SideSession& b, Hosts hosts) {
  std::string text;
  const auto add = [&](const char* key, const std::string& before, const std::string& after) {
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", key, before, after);
  };
  const auto compare = [&](const char* key) {
    const auto* before = known(a, key);
    const auto* after = known(b, key);
    if (before != nullptr && after != nullptr && *before != *after) add(key, *before, *after);
  };
  for (const char* key : keys_of_kind) compare(key);
  if (hosts == Hosts::apart) compare(host_key);
  const auto* before = known(a, clock_key);
  const auto* after = known(b, clock_key);
  if (before != nullptr && after != nullptr && clocks_differ(*before, *after))
    add(clock_key, *before, *after);
  return text;
}

bool same_machine(const SideSession& a, const SideSession& b, Hosts hosts) {
  return machine_difference(a, b, hosts).empty();
}

Hosts hosts_of(const std::vector<const Side*>& sides) {
  constexpr std::size_t fewest = 4;    // differences of either kind
  constexpr std::size_t enough = 100;  // cases
  constexpr double many_times = 3;
  struct Time {
    double instant = 0;
    const std::string* host = nullptr;
    double ln = 0;
  };
  std::map<std::string_view, std::vector<Time>> cases;
  std::set<std::string> hosts;
  for (const auto* side : sides) {
    hosts.merge(values_of(*side, host_key));
    for (const auto& c : side->cases) {
      if (cases.size() == enough && !cases.contains(c.name)) continue;
      for (const auto& time : c.times) {
        const auto& session = side->sessions[time.session];
        const auto* host = known(session, host_key);
        const double ln = std::log(time.seconds);
        if (host) cases[c.name].push_back({instant_of(session).value_or(0), host, ln});
      }
    }
  }
  if (hosts.size() < 2) return Hosts::alike;
  std::vector<double> ratios;
  for (auto& [name, times] : cases) {
    std::ranges::stable_sort(times, {}, &Time::instant);
    std::vector<double> between;  // neighbours of two hosts
    std::vector<double> within;   // those that follow on one host
    std::map<std::string_view, double> last_of;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto& [instant, host, ln] = times[i];
      if (i > 0 && *times[i - 1].host != *host) between.push_back(std::abs(ln - times[i - 1].ln));
      const auto [last, is_new] = last_of.try_emplace(*host, ln);
      if (!is_new) within.push_back(std::abs(ln - std::exchange(last->second, ln)));
    }
    if (between.size() < fewest || within.size() < fewest) continue;
    ratios.push_back(stats::mean(between) / std::max(stats::mean(within), least_deviation));
  }
  return !ratios.empty() && stats::median(ratios) > many_times ? Hosts::apart : Hosts::alike;
}

Side without(const Side& side, const std::vector<bool>& out) {
  Side result;
  result.label = side.label;
  result.notes = side.notes;
  result.is_counter = side.is_counter;
  result.is_rate = side.is_rate;
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < side.sessions.size(); ++i) {
    places.push_back(static_cast<std::uint32_t>(result.sessions.size()));
    if (!out[i]) result.sessions.push_back(side.sessions[i]);
  }
  for (const auto& c : side.cases) {
    SideCase kept = c;
    std::erase_if(kept.times, [&](const auto& time) { return out[time.session]; });
    for (auto& time : kept.times) time.session = places[time.session];
    if (!kept.times.empty() || !kept.failed.empty()) result.cases.push_back(std::move(kept));
  }
  return result;
}

OfMachine of_machine(const Side& side, const SideSession& session, Hosts hosts) {
  OfMachine result;
  std::vector<bool> out;
  for (const auto& one : side.sessions) {
    const auto difference = machine_difference(one, session, hosts);
    out.push_back(!difference.empty());
    if (out.back() && result.others++ == 0) result.difference = difference;
  }
  result.side = without(side, out);
  return result;
}

const SideSession& last_session(const Side& side) {
  const auto instant = [](const SideSession& session) { return instant_of(session); };
  // One without a date sorts first.
  if (!std::ranges::min(side.sessions | std::views::transform(instant)))
    return side.sessions.back();
  return *std::ranges::max_element(side.sessions, {}, instant);
}

}  // namespace apod::judge
