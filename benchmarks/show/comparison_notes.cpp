#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "benchmarks/base/stats/means.hpp"
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

std::string noise_text(const CompareOptions& options, NoiseSource source) {
  switch (source) {
    case NoiseSource::none:
      return "";
    case NoiseSource::nights:
      return "from how each case varies between the nights of the base";
    case NoiseSource::processes:
      return "from the differences between the processes of each side";
    case NoiseSource::calibration:
      return "from the calibration" + text::in_brackets(options.calibration);
    case NoiseSource::cases:
      return "from the usual difference between two runs of one program, and from the changes of "
             "the other cases; a base with many runs gives a better value";
  }
  return "";
}

/// One line for each source of noise; they say of how many cases where there are several.
std::vector<std::string> noise_notes(const Comparison& comparison) {
  std::array<std::size_t, EnumNames<NoiseSource>::names.size()> counts{};
  for (const auto& c : comparison.cases) {
    if (is_judged(c)) ++counts[static_cast<std::size_t>(c.noise_source)];
  }
  const auto judged = count_judged(comparison);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto text = noise_text(comparison.options, static_cast<NoiseSource>(i));
    if (text.empty()) continue;
    lines.push_back(
        (counts[i] < judged ? "noise of " + text::counted(counts[i], "case") : "noise") + ": " +
        text);
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
  auto text = "threshold (a smaller change does not matter): " + share_text(least) +
              (least < most ? " to " + share_text(most) + ", by case" : "");
  const auto& options = comparison.options;
  if (options.threshold_given && (least != options.threshold || most != options.threshold)) {
    text +=
        "; the threshold in the base's file overrides --threshold " + share_text(options.threshold);
  }
  return text + (options.strict
                     ? "; the whole interval of a change must be beyond the threshold (--strict)"
                     : "");
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
/// differ, "judged on 10 runs in the base and 1 on the new side".
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
    lines.push_back(
        before == after || replicate == Replicate::block
            ? fmt::format("decided from {} {}", before, units(replicate))
            : fmt::format("decided from {} {} in the base and {} on the new side", before,
                          replicate == Replicate::session ? "runs" : "processes", after));
  }
  return lines;
}

/// Blocks that would settle the inconclusive cases.
void add_effort(const Comparison& comparison, std::vector<std::string>& lines) {
  std::vector<double> needed;
  std::size_t hopeless = 0;
  for (const auto& c : comparison.cases) {
    if (c.verdict != Verdict::inconclusive || c.replicate != Replicate::block) continue;
    const bool possible = c.units_needed && *c.units_needed <= most_blocks;
    possible ? needed.push_back(static_cast<double>(*c.units_needed)) : void(++hopeless);
  }
  if (!needed.empty()) {
    const double most = *std::ranges::max_element(needed);
    const double middle = std::ceil(stats::median(needed));
    lines.push_back(fmt::format(
        "{:.0f} blocks would show a change as large as the threshold in {}{}", middle,
        text::counted(needed.size(), "case"),
        most > middle
            ? fmt::format(" (the median of these cases; the largest number is {:.0f})", most)
            : ""));
    lines.emplace_back(
        "to measure more blocks: bench compare ... --blocks N, or a larger --budget");
  }
  if (hopeless > 0) {
    lines.push_back(
        fmt::format("even {} blocks would not show a change as large as the threshold in {}: the "
                    "times vary too much",
                    most_blocks, text::counted(hopeless, "case")));
  }
}

/// Beyond 100 times a change is another unit, and no size.
bool is_told(const std::optional<double>& size) {
  return size && *size < 99;
}

}  // namespace

const char* units(Replicate replicate) {
  return replicate == Replicate::process   ? "processes a side"
         : replicate == Replicate::session ? "runs a side"
                                           : "blocks";
}

std::vector<double> detectable_changes(const Comparison& comparison, bool slower) {
  std::vector<double> detectable;
  for (const auto& c : comparison.cases) {
    const bool is_this =
        comparison.method != CompareMethod::files || slower == !(c.change.value < 0);
    const auto& size = is_this ? c.detectable : c.detectable_other;
    if (is_judged(c) && is_told(size)) detectable.push_back(*size);
  }
  return detectable;
}

std::vector<std::string> sensitivity(const Comparison& comparison) {
  const auto detectable = detectable_changes(comparison, true);
  const bool files = comparison.method == CompareMethod::files;
  const std::string what =
      files ? "smallest change that would exceed the noise" : "smallest detectable change";
  const auto range_of = [](const std::vector<double>& sizes, const char* side) {
    const auto [least, most] = std::ranges::minmax_element(sizes);
    const auto lowest = text::format_percent(*least);
    const auto highest = text::format_percent(*most);
    return lowest == highest ? "" : fmt::format(", from {} to {}{}", lowest, highest, side);
  };
  std::vector<std::string> lines;
  if (!detectable.empty()) {
    // What all cases share moves both ends, and a case's nights may be wilder on one side.
    const auto faster = files ? detectable_changes(comparison, false) : std::vector<double>();
    const double median = stats::median(detectable);
    const double other = faster.empty() ? median : stats::median(faster);
    constexpr double small = 0.1;  // to both sides alike
    const bool alike =
        faster.empty() || (std::max(median, other) < small && std::abs(other / median - 1) < small);
    lines.push_back(fmt::format(
        "{}: {}{}{} (median of {}{}{})", what, alike ? "" : "+", text::format_percent(median),
        alike ? "" : " or -" + text::format_percent(other),
        text::counted(detectable.size(), "case"), range_of(detectable, alike ? "" : " slower"),
        alike ? "" : range_of(faster, " faster")));
  }
  const auto unknown = static_cast<std::size_t>(std::ranges::count_if(
      comparison.cases, [](const auto& c) { return is_judged(c) && !is_told(c.detectable); }));
  if (unknown > 0) {
    lines.push_back(what + ": unknown in " + text::counted(unknown, "case") +
                    (files ? "" : " (too few blocks)"));
  }
  if (comparison.count(Verdict::inconclusive) > 0) add_effort(comparison, lines);
  if (!comparison.next_step.empty()) lines.push_back(comparison.next_step);
  return lines;
}

std::vector<std::string> notes(const Comparison& comparison) {
  if (comparison.notes_say_all) return comparison.notes;
  std::vector<std::string> lines;
  if (auto line = threshold_note(comparison); !line.empty()) lines.push_back(std::move(line));
  if (comparison.method != CompareMethod::files) {
    lines.push_back(fmt::format("alpha {:.4g} for all cases together, by Holm's correction",
                                comparison.options.alpha));
  }
  for (auto& line : units_notes(comparison)) lines.push_back(std::move(line));
  for (auto& line : noise_notes(comparison)) lines.push_back(std::move(line));
  if (comparison.method != CompareMethod::files)
    lines.push_back(fmt::format("order of the blocks: --seed {}", comparison.seed));
  if (comparison.interrupted || !comparison.failure.empty()) {
    lines.push_back("ended early, so only whole blocks count (each measures both sides twice): " +
                    (comparison.failure.empty() ? "interrupted" : comparison.failure));
  }
  for (const auto& note : comparison.notes) lines.push_back(note);
  return lines;
}

}  // namespace apod::show
