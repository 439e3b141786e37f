#include "benchmarks/compare/side_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "benchmarks/compare/sessions.hpp"
#include "benchmarks/model/decisive_keys.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::compare {
namespace {

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
  const auto undated = std::find_if(side.sessions.begin(), side.sessions.end(),
                                    [](const auto& session) { return !instant_of(session); });
  if (undated != side.sessions.end()) {
    return fmt::format("how far apart the {} sessions lie is not known: {} has no date", sessions,
                       undated->file);
  }
  const auto days = days_of(side);
  const auto boards = values_of(side, "gpu_uuid").size();
  const std::string on = boards == 0 ? "" : " on " + counted(boards, "board");
  if (days.count > 1) return fmt::format("{} sessions of {} days{}", sessions, days.count, on);
  return fmt::format(
      "all {} sessions{} lie within {}: differences between days are not in their spread", sessions,
      on, text::format_duration(std::max(1.0, *days.last - *days.first)));
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
