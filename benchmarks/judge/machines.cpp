#include "benchmarks/judge/machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
namespace {

constexpr std::array<const char*, 10> keys_of_kind{
    "backend", "gpu", "mig", "ecc", "power_limit_w", "driver", "cuda", "cpu", "cpus", "caches"};
constexpr const char* clock_key = "cpu_mhz";
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

std::string machine_difference(const SideSession& a, const SideSession& b) {
  std::string text;
  const auto add = [&](const char* key, const std::string& before, const std::string& after) {
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", key, before, after);
  };
  for (const char* key : keys_of_kind) {
    const auto* before = known(a, key);
    const auto* after = known(b, key);
    if (before != nullptr && after != nullptr && *before != *after) add(key, *before, *after);
  }
  const auto* before = known(a, clock_key);
  const auto* after = known(b, clock_key);
  if (before != nullptr && after != nullptr && clocks_differ(*before, *after)) {
    add(clock_key, *before, *after);
  }
  return text;
}

bool same_machine(const SideSession& a, const SideSession& b) {
  return machine_difference(a, b).empty();
}

OfMachine of_machine(const Side& side, const SideSession& session) {
  constexpr auto out = std::numeric_limits<std::uint32_t>::max();
  OfMachine result;
  std::vector<std::uint32_t> places;
  for (const auto& one : side.sessions) {
    const auto difference = machine_difference(one, session);
    if (difference.empty()) {
      places.push_back(static_cast<std::uint32_t>(result.side.sessions.size()));
      result.side.sessions.push_back(one);
      continue;
    }
    places.push_back(out);
    if (result.others++ == 0) result.difference = difference;
  }
  if (result.side.sessions.empty()) return result;
  result.side.label = side.label;
  result.side.notes = side.notes;
  result.side.is_counter = side.is_counter;
  for (const auto& c : side.cases) {
    SideCase kept = c;
    std::erase_if(kept.times, [&](const auto& time) { return places[time.session] == out; });
    for (auto& time : kept.times) time.session = places[time.session];
    if (!kept.times.empty() || !kept.failed.empty()) result.side.cases.push_back(std::move(kept));
  }
  return result;
}

const SideSession& last_session(const Side& side) {
  const auto instant = [](const SideSession& session) { return instant_of(session); };
  const bool dated = std::all_of(side.sessions.begin(), side.sessions.end(),
                                 [&](const auto& session) { return instant(session).has_value(); });
  if (!dated) return side.sessions.back();
  return *std::max_element(side.sessions.begin(), side.sessions.end(),
                           [&](const auto& a, const auto& b) { return *instant(a) < *instant(b); });
}

}  // namespace apod::judge
