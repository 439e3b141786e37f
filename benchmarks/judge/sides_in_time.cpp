#include "benchmarks/judge/sides_in_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace apod::judge {
namespace {

/// The sessions of a side in the order of their dates.
std::vector<std::uint32_t> by_date(const Side& side) {
  std::vector<std::uint32_t> order(side.sessions.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](auto i) { return instant_of(side.sessions[i]).value_or(0); });
  return order;
}

/// Files of fewer days tell nothing of what lies between two days.
constexpr std::size_t fewest_days_of_history = 3;

NightRows rows_of(const std::vector<SideLogs>& logs, const std::vector<std::uint32_t>& order,
                  std::span<const std::uint32_t> occasions) {
  NightRows rows;
  for (const auto& one : logs) {
    auto& row = rows.cases.emplace_back();
    for (const auto session : order) row.push_back(one.session_means[session]);
  }
  for (const auto session : order) rows.occasions.push_back(occasions[session]);
  return rows;
}

/// Numbers that are equal for sessions of one day on one host, which what happened to the machine
/// may have slowed alike. Where no host is recorded each counts by itself, as on hosted runners;
/// where no date is, nothing tells that they are two.
std::vector<std::uint32_t> occasions_of(const Side& base, const Side& new_side, const Days& days) {
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> known;
  std::vector<std::uint32_t> occasions;
  const bool is_known = std::ranges::all_of(
      new_side.sessions, [](const auto& session) { return instant_of(session).has_value(); });
  for (const auto* side : {&base, &new_side}) {
    for (const auto& session : side->sessions) {
      if (side == &new_side && !is_known) {
        occasions.push_back(std::numeric_limits<std::uint32_t>::max());
        continue;
      }
      const auto day = days.of_session[occasions.size()];
      auto host = property(session, "host");
      if (host.empty() && day < days.count) host = std::to_string(occasions.size());
      const auto next = static_cast<std::uint32_t>(known.size());
      occasions.push_back(known.try_emplace({day, std::move(host)}, next).first->second);
    }
  }
  return occasions;
}

}  // namespace

std::optional<Timeline> timeline_of(const Side& base, const Side& new_side) {
  if (base.sessions.size() < fewest_nights) return std::nullopt;
  Side both = base;
  both.sessions.insert(both.sessions.end(), new_side.sessions.begin(), new_side.sessions.end());
  Timeline time{by_date(base), by_date(new_side), days_of(both), {}};
  const bool none_is_dated = time.days.undated == both.sessions.size();
  if (none_is_dated) return time;
  // A new side without a date is behind all that has one.
  double last = -std::numeric_limits<double>::infinity();
  for (const auto& session : new_side.sessions)
    last = std::max(last, instant_of(session).value_or(std::numeric_limits<double>::infinity()));
  std::vector<std::string> undated;
  std::vector<std::string> later;
  std::erase_if(time.base, [&](std::uint32_t i) {
    const auto instant = instant_of(base.sessions[i]);
    if (instant && *instant <= last) return false;
    (instant ? later : undated).push_back(base.sessions[i].file);
    return true;
  });
  const auto say = [&](const std::vector<std::string>& files, const char* why) {
    if (files.empty()) return;
    time.notes.push_back(fmt::format(
        "{} of {} files of the base {}, so the comparison by nights leaves {} out: {}{}",
        files.size(), base.sessions.size(), why, files.size() == 1 ? "it" : "them", files.front(),
        files.size() > 1 ? " and others" : ""));
  };
  say(undated, "have no readable date");
  say(later, "are later than the new side");
  std::set<std::uint32_t> days;
  for (const auto i : time.base) days.insert(time.days.of_session[i]);
  if (time.base.size() < fewest_nights || days.size() < fewest_days_of_history) return std::nullopt;
  return time;
}

double finest_digit(std::span<const CasePair> pairs) {
  double finest = std::numeric_limits<double>::infinity();
  std::vector<double> seconds;
  for (const auto& [base, after] : pairs) {
    seconds.clear();
    for (const auto* c : {base, after}) {
      for (const auto& time : c->times) seconds.push_back(time.seconds);
    }
    finest = std::min(finest, last_digit(seconds).value_or(finest));
  }
  return std::isinf(finest) ? 0 : finest;
}

Nights nights_of(const std::vector<SideLogs>& before, const std::vector<SideLogs>& after,
                 const Timeline& time, const Side& base, const Side& new_side) {
  const auto occasions = occasions_of(base, new_side, time.days);
  const std::span all(occasions);
  std::vector<double> ticks;
  for (std::size_t i = 0; i < before.size(); ++i) ticks.push_back(tick_of(before[i], after[i]));
  return {rows_of(before, time.base, all),
          rows_of(after, time.new_side, all.last(time.new_side.size())), ticks};
}

}  // namespace apod::judge
