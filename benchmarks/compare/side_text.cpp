#include "benchmarks/compare/side_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "benchmarks/model/decisive_keys.hpp"
#include "benchmarks/text/date.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::compare {
namespace {

constexpr double day_s = 24 * 3600;

/// Every value that a session has of `key`.
std::set<std::string> values_of(const Side& side, const std::string& key) {
  std::set<std::string> values;
  for (const auto& session : side.sessions) {
    const auto found = session.environment.find(key);
    if (found != session.environment.end()) values.insert(found->second);
  }
  return values;
}

std::string counted(std::size_t count, const std::string& word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

}  // namespace

bool has_repetitions(const Side& side) {
  return std::any_of(side.sessions.begin(), side.sessions.end(),
                     [](const SideSession& session) { return session.one_process; });
}

std::string replicates_text(const Side& side) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::size_t most = 0;
  for (const auto& c : side.cases) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const auto& time : c.times) ++counts[has_repetitions(side) ? time.session : 0];
    for (const auto& [session, count] : counts) {
      least = std::min(least, count);
      most = std::max(most, count);
    }
  }
  if (most == 0) return "";
  const std::string range = least < most ? fmt::format("{} to ", least) : "";
  if (!has_repetitions(side))
    return fmt::format("{}{} {}", range, most, most == 1 ? "process" : "processes");
  const auto sessions = side.sessions.size();
  return range + counted(most, "repetition") + " of " +
         (sessions == 1 ? "one process" : fmt::format("each of {} processes", sessions));
}

std::string span_text(const Side& side) {
  const auto sessions = side.sessions.size();
  double first = std::numeric_limits<double>::infinity();
  double last = -first;
  for (const auto& session : side.sessions) {
    const auto found = session.environment.find("date");
    const auto instant =
        found == session.environment.end() ? std::nullopt : text::instant_of(found->second);
    if (!instant) {
      return fmt::format("how far apart the {} sessions lie is not known: {} has no date", sessions,
                         session.file);
    }
    first = std::min(first, *instant);
    last = std::max(last, *instant);
  }
  const auto boards = values_of(side, "gpu_uuid").size();
  const std::string on = boards == 0 ? "" : " on " + counted(boards, "board");
  if (last - first < day_s) {
    return fmt::format(
        "all {} sessions{} lie within {}: differences between days are not in their spread",
        sessions, on, text::format_duration(std::max(1.0, last - first)));
  }
  const auto days = static_cast<std::size_t>(std::lround((last - first) / day_s));
  return fmt::format("{} sessions over {}{}", sessions, counted(days, "day"), on);
}

std::vector<std::string> differing_machines(const Side& side) {
  std::vector<std::string> lines;
  for (const auto key : decisive_keys) {
    const auto values = values_of(side, std::string(key));
    if (values.size() > 1) lines.push_back(fmt::format("{} {}", key, fmt::join(values, ", ")));
  }
  return lines;
}

std::size_t count_builds(const Side& side) {
  return values_of(side, "commit").size();
}

}  // namespace apod::compare
