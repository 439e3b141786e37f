#include "benchmarks/judge/side_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/launch_phase.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
namespace {

/// "5", or "1 to 5".
struct Range {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::size_t most = 0;

  void take(std::size_t count) {
    least = std::min(least, count);
    most = std::max(most, count);
  }
  std::string text() const {
    return (least < most ? fmt::format("{} to ", least) : "") + std::to_string(most);
  }
};

/// Of "why: 8 cases, the first x" what does not differ from run to run: "why".
std::string without_count(const std::string& note) {
  const auto end = note.rfind(" cases, the first ");
  if (end == note.npos) return note;
  const auto colon = note.rfind(": ", end);
  const bool is_count = colon != note.npos && colon + 2 < end &&
                        note.find_first_not_of("0123456789", colon + 2) == end;
  return is_count ? note.substr(0, colon) : note;
}

}  // namespace

std::string difference_of_ways(const std::string& base, const std::string& other) {
  // An expression may hold blanks. It is the last word.
  const auto words_of = [](const std::string& way) {
    const auto read = std::min(way.find(" read:"), way.size());
    auto words = text::split(way.substr(0, read), ' ');
    if (read < way.size()) words.push_back(way.substr(read + 1));
    return words;
  };
  const auto only = [&](const std::string& way, const std::string& compared) {
    auto words = words_of(way);
    const auto others = words_of(compared);
    std::erase_if(
        words, [&](const auto& word) { return std::ranges::find(others, word) != others.end(); });
    return words.empty() ? "nothing" : text::joined(words, " ");
  };
  return only(base, other) + " -> " + only(other, base);
}

std::vector<std::string> notes_of_files(const std::vector<const Side*>& sides) {
  struct Said {
    std::string key;
    std::string text;  ///< of the first
    std::vector<std::string> files;
  };
  std::vector<Said> all;
  for (const auto* side : sides) {
    for (const auto& note : side->notes) {
      const auto session = std::ranges::find_if(side->sessions, [&](const SideSession& one) {
        return note.starts_with(one.file + ": ");
      });
      const bool named = session != side->sessions.end();
      const bool one_file = side->sessions.size() == 1;
      const auto text = named ? note.substr(session->file.size() + 2) : note;
      const auto key = without_count(text);
      auto known = std::ranges::find_if(all, [&](const Said& said) { return said.key == key; });
      if (known == all.end()) known = all.insert(known, {key, text, {}});
      if (named || one_file)
        known->files.push_back(named ? session->file : side->sessions.front().file);
    }
  }
  std::vector<std::string> notes;
  for (const auto& [key, text, files] : all) {
    const std::set<std::string> names(files.begin(), files.end());
    notes.push_back(
        files.empty()       ? text
        : files.size() == 1 ? files.front() + ": " + text
        : names.size() == 1
            ? fmt::format("{}: {} (in {} of its runs)", files.front(), text, files.size())
            : fmt::format("{} (in {} files, the first {})", text, names.size(), files.front()));
  }
  return notes;
}

std::vector<std::string> phase_notes(const std::vector<CasePair>& pairs) {
  const auto fact = [](const SideCase& c, const char* name) {
    return c.facts.find(name).value_or(0);
  };
  const auto weighs = [&](const SideCase& c) {
    const double period = fact(c, "phase_period"), visited = fact(c, "phases_visited");
    return (period > 0 || visited > 0) && weigh_alike(period, visited).value_or(true);
  };
  const auto is_short = [](const SideCase& c) {
    return !c.times.empty() && phases_matter(c.times.front().seconds, least_that_matters);
  };
  std::vector<std::string> periods, weights;
  std::size_t act = 0;
  for (const auto& [a, b] : pairs) {
    if (a == nullptr || b == nullptr) continue;
    const bool otherwise = is_short(*a) && is_short(*b) && weighs(*a) != weighs(*b);
    if (otherwise && (weights.empty() || weights.back() != a->name)) weights.push_back(a->name);
    const auto [least, most] = std::minmax({fact(*a, "phase_period"), fact(*b, "phase_period")});
    if (!(least > 1)) continue;
    ++act;
    if (std::fmod(most, least) == 0) continue;
    periods.push_back(fmt::format("{:.3g} -> {:.3g} in {}", fact(*a, "phase_period"),
                                  fact(*b, "phase_period"), a->name));
  }
  std::vector<std::string> notes;
  const auto add = [&](const char* what, const std::vector<std::string>& where) {
    notes.push_back(what + text::first_few(where, 1) + ": see docs/launch-phase.md");
  };
  if (2 * periods.size() > act) add("phases of launches now have a different period: ", periods);
  if (!weights.empty()) add("the phases of launches have equal weight only in ", weights);
  return notes;
}

bool has_repetitions(const Side& side) {
  return std::ranges::any_of(side.sessions,
                             [](const SideSession& session) { return session.one_process; });
}

std::string replicates_text(const Side& side) {
  Range processes;    // of a case, over the sessions that have several
  Range repetitions;  // of a case in a session that is one process
  std::size_t runs = 0;
  for (const auto& session : side.sessions) runs += session.one_process ? 1 : 0;
  for (const auto& c : side.cases) {
    std::size_t count = 0;
    std::map<std::uint32_t, std::size_t> repeated;
    for (const auto& time : c.times)
      side.sessions[time.session].one_process ? ++repeated[time.session] : ++count;
    if (count > 0) processes.take(count);
    for (const auto& [session, times] : repeated) repetitions.take(times);
  }
  std::vector<std::string> parts;
  if (processes.most > 0)
    parts.push_back(processes.text() + (processes.most == 1 ? " process" : " processes"));
  if (repetitions.most > 0) {
    parts.push_back(repetitions.text() + (repetitions.most == 1 ? " repetition" : " repetitions") +
                    " of " +
                    (runs == 1 ? "one process" : fmt::format("each of {} processes", runs)));
  }
  if (parts.empty()) return "no process";
  if (processes.most == 0 && repetitions.most == 1) return text::counted(runs, "run");
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string span_text(const Side& side) {
  const auto sessions = side.sessions.size();
  const auto undated =
      std::ranges::find_if(side.sessions, [](const auto& session) { return !instant_of(session); });
  if (undated != side.sessions.end()) {
    return fmt::format("the spread between the {} sessions is unknown: {} has no date", sessions,
                       undated->file);
  }
  const auto days = days_of(side);
  const auto boards = values_of(side, "gpu_uuid").size();
  const std::string on = boards == 0 ? "" : " on " + text::counted(boards, "board");
  if (days.count > 1) return fmt::format("{} sessions from {} days{}", sessions, days.count, on);
  return fmt::format(
      "all {} sessions{} are within {}: their spread does not include differences between days",
      sessions, on, text::format_duration(std::max(1.0, *days.last - *days.first)));
}

std::vector<std::string> differing_machines(const Side& side) {
  std::vector<std::string> lines;
  for (const auto& known : run_properties()) {
    if (known.differs != Differs::decisive) continue;
    const auto values = values_of(side, std::string(known.name));
    if (values.size() > 1)
      lines.push_back(fmt::format("{} {}", known.name, fmt::join(values, ", ")));
  }
  return lines;
}

std::size_t count_builds(const Side& side) {
  return values_of(side, "commit").size();
}

}  // namespace apod::judge
