#include "benchmarks/judge/history_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
namespace {

/// "run9.json" comes before "run10.json".
bool name_before(const Side& a, const Side& b) {
  return ::strverscmp(file_of(a).c_str(), file_of(b).c_str()) < 0;
}

/// "2026-05-01 (a.json) and 2026-06-01 (b.json)"; one file is named once.
std::string between_text(const Side& a, const Side& b) {
  const auto date = [](const Side& of) { return property(of.sessions[0], "date").substr(0, 10); };
  if (file_of(a) == file_of(b)) return fmt::format("{} and {} ({})", date(a), date(b), file_of(a));
  return fmt::format("{} ({}) and {} ({})", date(a), file_of(a), date(b), file_of(b));
}

/// The longest time without a run of a case.
struct Gap {
  double seconds = 0;
  const Side* before = nullptr;
  const Side* after = nullptr;
};

/// The longest gap between runs in the order of time, where it is ten times as long as is usual,
/// and a week: a change there has no day, and a clock may have been wrong.
Gap gap_in(const std::vector<const Side*>& runs) {
  constexpr double week_s = 7 * 24 * 3600;
  std::vector<double> gaps;
  Gap longest;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const auto before = instant_of(runs[i - 1]->sessions.front());
    const auto after = instant_of(runs[i]->sessions.front());
    if (!before || !after) return {};
    gaps.push_back(*after - *before);
    if (gaps.back() > longest.seconds) longest = {gaps.back(), runs[i - 1], runs[i]};
  }
  if (gaps.size() < 3 || longest.seconds < std::max(week_s, 10 * stats::median(gaps))) return {};
  return longest;
}

void note_gap(const Gap& gap, const std::string& of, std::vector<std::string>& notes) {
  constexpr double day_s = 24 * 3600;
  if (gap.before == nullptr) return;
  notes.push_back(fmt::format(
      "no run{} for {:.0f} days, between {}: a change in this gap has no exact date (or "
      "a clock was wrong)",
      of, gap.seconds / day_s, between_text(*gap.before, *gap.after)));
}

}  // namespace

const std::string& file_of(const Side& run) {
  return run.sessions.front().file;
}

void sort_by_time(std::vector<Side>& runs, std::vector<std::string>& notes) {
  std::stable_sort(runs.begin(), runs.end(), name_before);
  std::vector<std::pair<double, std::size_t>> order;
  std::vector<std::string> undated;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto instant = instant_of(runs[i].sessions.front());
    if (instant) order.emplace_back(*instant, i);
    if (!instant) undated.push_back(file_of(runs[i]));
  }
  if (undated.size() >= order.size()) {
    if (undated.empty()) return;
    notes.push_back(fmt::format(
        "the runs are ordered by file name, because {} of {} {} no readable date", undated.size(),
        text::counted(runs.size(), "file"), undated.size() == 1 ? "has" : "have"));
    return;
  }
  const auto leave_out = [&](const std::vector<std::string>& files, const char* why) {
    if (files.empty()) return;
    notes.push_back(text::first_few(files, 5) + ": left out, " + why);
  };
  leave_out(undated, "no readable date");
  std::sort(order.begin(), order.end());
  std::vector<const Side*> in_order;
  std::size_t back = 0;
  std::string first;
  for (const auto& [instant, index] : order) {
    if (!in_order.empty() && in_order.back() > &runs[index] && back++ == 0)
      first = file_of(*in_order.back());
    in_order.push_back(&runs[index]);
  }
  if (back > 0 && 5 * back <= order.size())
    notes.push_back(first +
                    ": the date does not fit the order of the file names: perhaps a "
                    "clock was wrong");
  const auto is_copy = copies_in(in_order);
  std::vector<Side> sorted;
  std::vector<std::string> copies;
  std::size_t same = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [instant, index] = order[i];
    if (is_copy[i].front()) {
      copies.push_back(file_of(runs[index]));
      continue;
    }
    same += i > 0 && order[i - 1].first == instant ? 1 : 0;
    sorted.push_back(std::move(runs[index]));
  }
  runs = std::move(sorted);
  leave_out(copies, "another run has the same date and the same measured times");
  if (same > 0) {
    notes.push_back(fmt::format("{} the same date as the run before: ordered by name",
                                text::counted(same, "run") + (same == 1 ? " has" : " have")));
  }
}

void note_gaps(const std::vector<const Side*>& runs, const std::vector<RunsOfCase>& cases,
               std::vector<std::string>& notes) {
  const auto of_all = gap_in(runs);
  note_gap(of_all, "", notes);
  Gap longest;
  std::string name;
  for (const auto& of_case : cases) {
    const auto gap = gap_in(of_case.runs);
    if (gap.seconds <= longest.seconds) continue;
    longest = gap;
    name = of_case.name;
  }
  if (longest.seconds > of_all.seconds) note_gap(longest, " of " + name, notes);
}

}  // namespace apod::judge
