#include "benchmarks/report/comparison_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "benchmarks/stats/means.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

// What is beyond is not known at all; its digits would only pretend.
constexpr double most_share_shown = 10;
constexpr std::size_t most_warnings = 10;

constexpr std::array<Verdict, 8> report_order{
    Verdict::regression,   Verdict::missing, Verdict::invalid, Verdict::improvement,
    Verdict::inconclusive, Verdict::small,   Verdict::added,   Verdict::unchanged};

/// What the report order compares: the verdict's place, then the change's size. No NaN.
std::pair<std::ptrdiff_t, double> sort_key(const CaseComparison& c) {
  const auto place = std::find(report_order.begin(), report_order.end(), c.verdict);
  const double size = std::isfinite(c.change) ? std::abs(c.change) : 0;
  return {place - report_order.begin(), -size};
}

std::string time_or_none(double seconds) {
  return seconds > 0 ? text::format_time(seconds) : text::no_value;
}

/// Two significant digits; what is too small to matter is only said to be so.
std::string format_p(double p) {
  if (!std::isfinite(p)) return text::no_value;
  return p < 1e-9 ? "<1e-9" : fmt::format("{:.2g}", p);
}

std::string share_text(double share) {
  if (share > most_share_shown) return "over 1000 %";
  return std::isfinite(share) ? fmt::format("{:.4g} %", 100 * share) : text::no_value;
}

constexpr std::array<Replicate, 3> replicates{Replicate::process, Replicate::session,
                                              Replicate::block};

/// What more of would tell smaller changes apart.
const char* units(Replicate replicate) {
  switch (replicate) {
    case Replicate::process:
      return "processes a side";
    case Replicate::session:
      return "sessions a side";
    case Replicate::block:
      return "blocks";
  }
  return "";
}

/// " (--sigma-session)", "" where there is none.
std::string in_brackets(const std::string& text) {
  return text.empty() ? "" : " (" + text::printable(text) + ")";
}

std::string spread_between_sessions(const CompareOptions& options, SessionSource source) {
  switch (source) {
    case SessionSource::none:
      return "";
    case SessionSource::assumed:
      return fmt::format(
          "a spread of {} between sessions is assumed, because no calibration is there: run `bench "
          "calibrate`, or say it with --sigma-session",
          share_text(cautious_deviation));
    case SessionSource::given:
      return "spread between sessions: " +
             share_text(options.session_deviation.value_or(cautious_deviation)) +
             in_brackets(options.session_source);
    case SessionSource::calibration:
      return "spread between sessions: calibrated" + in_brackets(options.session_source);
    case SessionSource::sessions:
      return "spread between sessions: as they differ themselves";
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

std::string threshold_note(const Comparison& comparison) {
  double least = comparison.options.threshold;
  double most = least;
  bool first = true;
  for (const auto& c : comparison.cases) {
    if (!is_judged(c)) continue;
    least = first ? c.threshold : std::min(least, c.threshold);
    most = first ? c.threshold : std::max(most, c.threshold);
    first = false;
  }
  return "a change matters from " + share_text(least) +
         (least < most ? " to " + share_text(most) + ", by case, on" : " on") +
         (comparison.options.strict ? "; its whole interval must lie beyond (--strict)" : "");
}

/// "judged on 3 to 12 processes a side", and likewise of sessions or blocks.
std::vector<std::string> units_notes(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const auto replicate : replicates) {
    std::size_t least = 0;
    std::size_t most = 0;
    for (const auto& c : comparison.cases) {
      if (!is_judged(c) || c.replicate != replicate) continue;
      const auto [low, high] = std::minmax(c.base_units, c.new_units);
      least = most == 0 ? low : std::min(least, low);
      most = std::max(most, high);
    }
    if (most == 0) continue;
    lines.push_back(fmt::format("judged on {}{} {}",
                                least < most ? fmt::format("{} to ", least) : "", most,
                                units(replicate)));
  }
  return lines;
}

/// What would settle the inconclusive cases, in units of measuring.
void add_effort(const Comparison& comparison, std::vector<std::string>& lines) {
  const bool blocks = comparison.method == CompareMethod::blocks;
  bool helps = false;
  for (const auto replicate : replicates) {
    std::vector<double> needed;
    std::size_t hopeless = 0;
    for (const auto& c : comparison.cases) {
      if (c.verdict != Verdict::inconclusive || c.replicate != replicate) continue;
      c.units_needed ? needed.push_back(static_cast<double>(*c.units_needed)) : void(++hopeless);
    }
    const char* unit = units(replicate);
    if (!needed.empty()) {
      helps = true;
      const double most = *std::max_element(needed.begin(), needed.end());
      const double middle = std::ceil(stats::median(needed));
      lines.push_back(fmt::format(
          "to detect the threshold in {}: {:.0f} {}{}", count_of_cases(needed.size()), middle, unit,
          most > middle ? fmt::format(" (median; at most {:.0f})", most) : ""));
    }
    if (hopeless > 0) {
      lines.push_back(fmt::format(
          "no number of {} detects the threshold in {}: {}", unit, count_of_cases(hopeless),
          blocks ? "the times vary too much" : "the spread between sessions decides"));
    }
  }
  if (blocks && !helps) return;
  lines.emplace_back(
      blocks ? "measure more blocks: bench compare ... --blocks N, or a larger --budget"
             : "measure side by side: bench compare --base-bin A --new-bin B --config X");
}

}  // namespace

bool is_judged(const CaseComparison& c) {
  const bool compared =
      c.verdict != Verdict::missing && c.verdict != Verdict::added && c.verdict != Verdict::invalid;
  return compared && c.base_s > 0 && c.new_s > 0;
}

std::size_t count_judged(const Comparison& comparison) {
  return static_cast<std::size_t>(
      std::count_if(comparison.cases.begin(), comparison.cases.end(), is_judged));
}

bool ended_early(const Comparison& comparison) {
  return comparison.interrupted || !comparison.failure.empty();
}

bool is_incomplete(const Comparison& comparison) {
  return ended_early(comparison) ||
         comparison.count(Verdict::missing) + comparison.count(Verdict::invalid) > 0;
}

bool is_problem(Verdict verdict) {
  return verdict == Verdict::regression || verdict == Verdict::missing ||
         verdict == Verdict::invalid;
}

Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regression:
    case Verdict::missing:
    case Verdict::invalid:
      return Tone::bad;
    case Verdict::improvement:
      return Tone::good;
    case Verdict::inconclusive:
      return Tone::warning;
    case Verdict::small:
    case Verdict::added:
      return Tone::plain;
    case Verdict::unchanged:
      return Tone::dim;
  }
  return Tone::plain;
}

std::vector<const CaseComparison*> in_report_order(const Comparison& comparison) {
  std::vector<const CaseComparison*> cases;
  cases.reserve(comparison.cases.size());
  for (const auto& c : comparison.cases) cases.push_back(&c);
  std::stable_sort(cases.begin(), cases.end(),
                   [](const auto* a, const auto* b) { return sort_key(*a) < sort_key(*b); });
  return cases;
}

Table case_columns() {
  Table table;
  table.columns = {{"case", false},    {"base", true, 60},     {"new", true, 70},       {"change"},
                   {"verdict", false}, {"p (Holm)", true, 40}, {"detectable", true, 30}};
  return table;
}

std::vector<Cell> case_row(const CaseComparison& c, std::size_t name_width) {
  const bool judged = is_judged(c);
  return {{text::shorten(text::printable(c.name), name_width)},
          {time_or_none(c.base_s)},
          {time_or_none(c.new_s)},
          {judged ? change_of(c) : text::no_value,
           is_change(c.verdict) ? tone_of(c.verdict) : Tone::plain},
          {std::string(to_string(c.verdict)), tone_of(c.verdict)},
          {judged ? format_p(c.p_adjusted) : text::no_value},
          {judged && c.detectable ? text::format_percent(*c.detectable) : text::no_value}};
}

std::vector<std::string> remarks(const CaseComparison& c) {
  std::vector<std::string> lines;
  if (!c.reason.empty()) lines.push_back(text::printable(c.reason));
  if (!is_change(c.verdict)) return lines;
  for (const auto& cause : c.causes) lines.push_back(text::printable(cause.text));
  for (const auto& warning : c.warnings) lines.push_back("! " + text::printable(warning));
  return lines;
}

std::string count_of_cases(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "case" : "cases");
}

std::string change_of(const CaseComparison& c) {
  return format_change({c.change, c.change_low, c.change_high});
}

std::string times_of(const CaseComparison& c) {
  if (!is_judged(c)) return "";
  return fmt::format("{} -> {}, {}", text::format_time(c.base_s), text::format_time(c.new_s),
                     change_of(c));
}

std::vector<std::string> quiet_warnings(const Comparison& comparison) {
  std::map<std::string, std::size_t> counts;
  for (const auto& c : comparison.cases) {
    if (is_change(c.verdict)) continue;
    for (const auto& warning : c.warnings) ++counts[text::printable(warning)];
  }
  std::vector<std::pair<std::string, std::size_t>> ordered(counts.begin(), counts.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> lines;
  for (const auto& [warning, count] : ordered) {
    if (lines.size() == most_warnings) {
      lines.push_back(
          fmt::format("and {} more: --out FILE.json has them", ordered.size() - most_warnings));
      break;
    }
    lines.push_back(warning + ": " + count_of_cases(count));
  }
  return lines;
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
    const std::string range = *least < *most
                                  ? fmt::format(", from {} to {}", text::format_percent(*least),
                                                text::format_percent(*most))
                                  : "";
    lines.push_back(fmt::format("smallest detectable change: {} (median of {}{})",
                                text::format_percent(stats::median(detectable)),
                                count_of_cases(detectable.size()), range));
  }
  const std::size_t unknown = count_judged(comparison) - detectable.size();
  if (unknown > 0) {
    lines.push_back("smallest detectable change: unknown in " + count_of_cases(unknown) +
                    ", for want of repetitions");
  }
  if (comparison.count(Verdict::inconclusive) > 0) add_effort(comparison, lines);
  return lines;
}

std::vector<std::string> notes(const Comparison& comparison) {
  std::vector<std::string> lines;
  lines.push_back(threshold_note(comparison));
  lines.push_back(fmt::format("alpha {:.4g} for all cases together, by Holm's correction",
                              comparison.options.alpha));
  for (auto& line : units_notes(comparison)) lines.push_back(std::move(line));
  for (auto& line : spreads_between_sessions(comparison)) lines.push_back(std::move(line));
  if (comparison.method == CompareMethod::blocks) {
    lines.push_back(fmt::format("order of the blocks: --seed {}", comparison.seed));
  }
  if (comparison.interrupted) {
    lines.emplace_back("interrupted: judged on the whole blocks until then");
  }
  if (!comparison.failure.empty()) {
    lines.push_back("ended early, and judged on the whole blocks until then: " +
                    text::printable(comparison.failure));
  }
  for (const auto& note : comparison.notes) lines.push_back(text::printable(note));
  return lines;
}

}  // namespace apod::report
