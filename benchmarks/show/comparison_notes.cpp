#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/closest.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/comparison_view.hpp"

namespace apod::show {
namespace {

// What is beyond is not known at all; its digits would only pretend.
constexpr double most_share_shown = 10;

std::string share_text(double share) {
  if (share > most_share_shown) return "over 1000 %";
  return std::isfinite(share) ? fmt::format("{:.4g} %", 100 * share) : text::no_value;
}

constexpr std::array<Replicate, 3> replicates{Replicate::process, Replicate::session,
                                              Replicate::block};

std::string spread_between_sessions(const CompareOptions& options, SessionSource source) {
  switch (source) {
    case SessionSource::none:
      return "";
    case SessionSource::assumed:
      return fmt::format(
          "a spread of {} between sessions is assumed, because nothing tells it: no calibration, "
          "fewer than four days in the base, fewer than 20 cases",
          share_text(cautious_deviation));
    case SessionSource::given:
      return "spread between sessions: " +
             share_text(options.session_deviation.value_or(cautious_deviation)) +
             text::in_brackets(options.session_source);
    case SessionSource::calibration:
      return "spread between sessions: calibrated" + text::in_brackets(options.session_source);
    case SessionSource::sessions:
      return "spread between sessions: as the days of both sides differ";
    case SessionSource::history:
      return "spread between sessions: as the days of the base differ";
    case SessionSource::suite:
      return "spread between sessions: as the cases themselves differ, most of which did not "
             "change";
  }
  return "";
}

/// One line for each way in which some case knows the spread; they say of how many where they are
/// more than one.
std::vector<std::string> spreads_between_sessions(const Comparison& comparison) {
  std::array<std::size_t, EnumNames<SessionSource>::names.size()> counts{};
  for (const auto& c : comparison.cases) {
    if (is_judged(c)) ++counts[static_cast<std::size_t>(c.session_source)];
  }
  const auto judged = count_judged(comparison);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    auto line = spread_between_sessions(comparison.options, static_cast<SessionSource>(i));
    if (line.empty()) continue;
    if (counts[i] < judged) line = count_of_cases(counts[i]) + ": " + line;
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Empty where nothing is judged.
std::string threshold_note(const Comparison& comparison) {
  double least = comparison.options.threshold;
  double most = least;
  bool first = true;
  for (const auto& c : comparison.cases) {
    if (!is_judged(c) || c.verdict == Verdict::identical) continue;
    least = first ? c.threshold : std::min(least, c.threshold);
    most = first ? c.threshold : std::max(most, c.threshold);
    first = false;
  }
  if (first) return "";
  auto text = "threshold of a change: " + share_text(least) +
              (least < most ? " to " + share_text(most) + ", by case" : "");
  const auto& options = comparison.options;
  if (options.threshold_given && (least != options.threshold || most != options.threshold)) {
    text += "; the base's own comes before --threshold " + share_text(options.threshold);
  }
  return text + (options.strict ? "; its whole interval must lie beyond (--strict)" : "");
}

/// "3 to 12" of numbers that are met one by one.
struct Counts {
  std::size_t least = 0;
  std::size_t most = 0;

  void meet(std::size_t number) {
    least = most == 0 ? number : std::min(least, number);
    most = std::max(most, number);
  }
  std::string text() const {
    return (least < most ? fmt::format("{} to ", least) : "") + std::to_string(most);
  }
};

/// "judged on 3 to 12 processes a side", and likewise of sessions or blocks; where the sides
/// differ, "judged on 10 days in the base and 1 on the new side".
std::vector<std::string> units_notes(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const auto replicate : replicates) {
    Counts base;
    Counts new_side;
    for (const auto& c : comparison.cases) {
      // Repetitions are no processes; a note of the comparison tells how many there are.
      if (comparison.one_process && replicate == Replicate::process) continue;
      if (!is_judged(c) || c.replicate != replicate) continue;
      base.meet(c.base_units);
      (replicate == Replicate::block ? base : new_side).meet(c.new_units);
    }
    if (base.most == 0) continue;
    const auto before = base.text();
    const auto after = new_side.text();
    lines.push_back(before == after || replicate == Replicate::block
                        ? fmt::format("judged on {} {}", before, units(replicate))
                        : fmt::format("judged on {} {} in the base and {} on the new side", before,
                                      replicate == Replicate::session ? "days" : "processes",
                                      after));
  }
  return lines;
}

/// What would settle the inconclusive cases, in units of measuring.
void add_effort(const Comparison& comparison, std::vector<std::string>& lines) {
  bool more_blocks = false;
  for (const auto replicate : replicates) {
    const bool blocks = replicate == Replicate::block;
    std::vector<double> needed;
    std::size_t hopeless = 0;
    for (const auto& c : comparison.cases) {
      if (c.verdict != Verdict::inconclusive || c.replicate != replicate) continue;
      const bool possible = c.units_needed && (!blocks || *c.units_needed <= most_blocks);
      possible ? needed.push_back(static_cast<double>(*c.units_needed)) : void(++hopeless);
    }
    const char* unit = units(replicate);
    if (!needed.empty()) {
      const double most = *std::max_element(needed.begin(), needed.end());
      const double middle = std::ceil(stats::median(needed));
      lines.push_back(fmt::format(
          "to detect the threshold in {}: {:.0f} {}{}", count_of_cases(needed.size()), middle, unit,
          most > middle ? fmt::format(" (median; at most {:.0f})", most) : ""));
    }
    more_blocks = more_blocks || (blocks && !needed.empty());
    if (hopeless > 0) {
      const auto cases = count_of_cases(hopeless);
      lines.push_back(
          blocks
              ? fmt::format("not even {} blocks would detect the threshold in {}: the times vary "
                            "too much",
                            most_blocks, cases)
              : fmt::format("no number of {} detects the threshold in {}: the spread between "
                            "sessions decides, or the timer's tick",
                            unit, cases));
    }
  }
  if (more_blocks) {
    lines.emplace_back("measure more blocks: bench compare ... --blocks N, or a larger --budget");
  }
  if (!comparison.next_step.empty()) lines.push_back(comparison.next_step);
}

}  // namespace

const char* units(Replicate replicate) {
  switch (replicate) {
    case Replicate::process:
      return "processes a side";
    case Replicate::session:
      return "days a side";
    case Replicate::block:
      return "blocks";
  }
  return "";
}

std::vector<std::string> sensitivity(const Comparison& comparison) {
  std::vector<double> detectable;
  for (const auto& c : comparison.cases) {
    if (is_judged(c) && c.detectable && std::isfinite(*c.detectable)) {
      detectable.push_back(*c.detectable);
    }
  }
  std::vector<std::string> lines;
  if (!detectable.empty()) {
    const auto [least, most] = std::minmax_element(detectable.begin(), detectable.end());
    const auto lowest = text::format_percent(*least);
    const auto highest = text::format_percent(*most);
    const auto range = lowest == highest ? "" : fmt::format(", from {} to {}", lowest, highest);
    lines.push_back(fmt::format("smallest detectable change: {} (median of {}{})",
                                text::format_percent(stats::median(detectable)),
                                count_of_cases(detectable.size()), range));
  }
  const std::size_t unknown = count_judged(comparison) - detectable.size();
  if (unknown > 0) {
    lines.push_back("smallest detectable change: unknown in " + count_of_cases(unknown) +
                    ", for want of processes");
  }
  if (comparison.count(Verdict::inconclusive) > 0) add_effort(comparison, lines);
  return lines;
}

std::vector<std::string> notes(const Comparison& comparison) {
  if (comparison.notes_say_all) return comparison.notes;
  std::vector<std::string> lines;
  if (auto line = threshold_note(comparison); !line.empty()) lines.push_back(std::move(line));
  lines.push_back(fmt::format("alpha {:.4g} for all cases together, by Holm's correction",
                              comparison.options.alpha));
  for (auto& line : units_notes(comparison)) lines.push_back(std::move(line));
  for (auto& line : spreads_between_sessions(comparison)) lines.push_back(std::move(line));
  if (comparison.method != CompareMethod::files) {
    lines.push_back(fmt::format("order of the blocks: --seed {}", comparison.seed));
  }
  if (comparison.interrupted) {
    lines.emplace_back("interrupted: judged on the whole blocks until then");
  }
  if (!comparison.failure.empty()) {
    lines.push_back("ended early, and judged on the whole blocks until then: " +
                    comparison.failure);
  }
  for (const auto& note : comparison.notes) lines.push_back(note);
  return lines;
}

}  // namespace apod::show
