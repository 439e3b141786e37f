#include "benchmarks/show/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <ostream>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/comparison_view.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/junit.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::show {
namespace {

/// Names in a single line, so that a long one does not hide what follows.
constexpr std::size_t name_width = 200;
/// GitHub refuses a step's summary of more than 1 MiB.
constexpr std::size_t largest_summary = 1'000'000;

/// "threshold 1 %", or that it differs from case to case.
std::string thresholds(const Comparison& comparison) {
  const CaseComparison* first = nullptr;
  for (const auto& c : comparison.cases) {
    if (!is_judged(c)) continue;
    if (first == nullptr) first = &c;
    if (c.threshold != first->threshold) return "thresholds by case";
  }
  return fmt::format("threshold {:.4g} %", 100 * (first == nullptr ? 0 : first->threshold));
}

/// "worst +6.1 % in X": the case of these verdicts that changed most. Of recordings, whose cases
/// are parts of one run, the one that costs or saves most time.
std::string extreme(const Comparison& comparison, std::initializer_list<Verdict> verdicts,
                    const std::string& word) {
  const auto size = [&](const CaseComparison& c) {
    return std::abs(comparison.of_recordings ? c.new_s - c.base_s : std::log1p(c.change.value));
  };
  const CaseComparison* most = nullptr;
  for (const auto& c : comparison.cases) {
    const bool further = most == nullptr || size(c) > size(*most);
    const bool counts = std::ranges::find(verdicts, c.verdict) != verdicts.end();
    if (counts && further) most = &c;
  }
  const std::string change = change_text(most->change);
  return fmt::format("{} {} in {}", comparison.of_recordings ? "most time:" : word,
                     change.substr(0, change.find(" %") + 2),
                     text::shorten(text::printable(name_of(comparison, *most)), name_width));
}

/// Why it is no whole comparison, beside what its cases say: the blocks ended early, or the
/// recordings are no pair. Empty where it is one.
std::string early_end(const Comparison& comparison) {
  if (!comparison.failure.empty()) return "ended early";
  if (comparison.interrupted) return "interrupted";
  return text::joined(comparison.unlike, "; ");
}

/// "6 cases changed together, by +390 %": what cases share, where it stands apart. Every headline
/// has it, behind what is said of single cases: what is read aloud first is what got slower. "" if
/// they share nothing.
std::string shared_shift(const Comparison& comparison) {
  const auto& common = comparison.common;
  const bool moved = common && common->cases > 0 && is_change(common->verdict) &&
                     common->verdict != Verdict::small;
  return moved ? fmt::format("{} changed together, by {}", text::counted(common->cases, "case"),
                             change_text(common->change))
               : "";
}

/// The one reason why no case can be compared: another board, another build. Empty where there is
/// none.
std::string common_barrier(const Comparison& comparison) {
  const std::string* reason = nullptr;
  for (const auto& c : comparison.cases) {
    if (c.verdict == Verdict::missing || c.verdict == Verdict::added) continue;
    if (c.verdict != Verdict::invalid || (reason != nullptr && *reason != c.reason)) return "";
    reason = &c.reason;
  }
  return reason == nullptr ? "" : *reason;
}

/// Compared cases with a result.
std::size_t count_decided(const Comparison& comparison) {
  return static_cast<std::size_t>(std::ranges::count_if(comparison.cases, [](const auto& c) {
    return is_compared(c) && c.verdict != Verdict::inconclusive;
  }));
}

/// "no result for 39 of 40 cases: changes below 16 % can't be seen here".
std::string open_cases(const Comparison& comparison) {
  const auto open = comparison.count(Verdict::inconclusive);
  const auto decided = count_decided(comparison) - comparison.count(Verdict::identical);
  const auto seen = detectable_changes(comparison, true);
  return fmt::format("no result for {}{}{}", decided > 0 ? fmt::format("{} of ", open) : "",
                     text::counted(open + decided, "case"),
                     seen.empty() ? ""
                                  : ": changes below " +
                                        text::format_percent(*std::ranges::min_element(seen)) +
                                        " can't be seen here");
}

/// Cases that are faster, surely or not.
std::size_t count_faster(const Comparison& comparison) {
  return comparison.count(Verdict::suspect) + comparison.count(Verdict::improvement);
}

}  // namespace

std::string verdict_headline(const Comparison& comparison) {
  const std::string ended = early_end(comparison);
  const std::string incomplete = ended.empty() ? "INCOMPLETE" : "INCOMPLETE (" + ended + ")";
  const std::size_t compared = count_compared(comparison);
  const std::size_t regressions = comparison.count(Verdict::regression);
  if (compared == 0 && !ended.empty()) return incomplete + ": nothing was compared";
  if (const auto why = common_barrier(comparison); compared == 0 && !why.empty())
    return fmt::format("NOT JUDGED: {}", why);
  if (compared == 0) {
    return comparison.cases.empty()
               ? "NOTHING COMPARED: no case on either side"
               : "NOTHING COMPARED: no case has comparable times on both sides";
  }
  const auto shared = shared_shift(comparison);
  const auto with_shared = [&](const std::string& text) {
    return text + (shared.empty() ? "" : "; " + shared);
  };
  if (regressions > 0) {
    return with_shared(fmt::format(
        "{}REGRESSION: {} of {} slower ({}, {})", ended.empty() ? "" : incomplete + ", ",
        regressions, text::counted(compared, "case"),
        extreme(comparison, {Verdict::regression}, "worst"), thresholds(comparison)));
  }
  if (comparison.has_regression()) {
    return fmt::format(
        "{}REGRESSION: {} got slower together, by {}", ended.empty() ? "" : incomplete + ", ",
        text::counted(comparison.common->cases, "case"), change_text(comparison.common->change));
  }
  const std::string before = is_incomplete(comparison) ? incomplete + ", " : "";
  if (const auto suspects = comparison.count(Verdict::suspect); comparison.has_slower_suspect()) {
    const auto apart =
        suspects == 0
            ? ""
            : fmt::format("{} of {} {} noise ({})", suspects, text::counted(compared, "case"),
                          suspects == 1 ? "is beyond its" : "are beyond their",
                          extreme(comparison, {Verdict::suspect}, "farthest"));
    // What is slower comes first.
    if (comparison.has_slower_case()) return before + "SUSPECT: " + with_shared(apart);
    const auto more = comparison.mostly_open() ? open_cases(comparison) : apart;
    return before + "SUSPECT: " + shared + (more.empty() ? "" : "; " + more);
  }
  if (comparison.mostly_open()) {
    return with_shared((before.empty() ? "INCONCLUSIVE" : incomplete) + ": " +
                       open_cases(comparison));
  }
  if (comparison.count(Verdict::suspect) > 0) {
    const auto sure = comparison.count(Verdict::improvement);
    return with_shared(
        fmt::format("{}NO REGRESSION: {} of {} faster, {} with certainty ({})", before,
                    count_faster(comparison), text::counted(compared, "case"),
                    sure == 0 ? "none" : std::to_string(sure),
                    extreme(comparison, {Verdict::suspect, Verdict::improvement}, "best")));
  }
  const auto open = comparison.count(Verdict::inconclusive);
  const auto decided = count_decided(comparison);
  const auto cases =
      (open > 0 ? fmt::format("{} of ", decided) : "") + text::counted(open + decided, "case");
  if (is_incomplete(comparison))
    return with_shared(fmt::format("{}: no regression found in {}", incomplete, cases));
  const bool apart = comparison.count(Verdict::improvement) > 0;
  if (!apart && comparison.count(Verdict::within_noise) > 0) {
    if (!shared.empty()) return "NO REGRESSION: " + shared;
    return fmt::format("NO CLEAR CHANGE in {} ({})", cases,
                       extreme(comparison, {Verdict::within_noise}, "largest change"));
  }
  return with_shared((comparison.has_work() ? "NO REGRESSION FOUND in " : "NO SUSPECT in ") +
                     cases);
}

std::string verdict_counts(const Comparison& comparison) {
  std::string line;
  const auto add = [&](Verdict verdict, const char* words) {
    const std::size_t count = comparison.count(verdict);
    if (count > 0) line += fmt::format("{}{} {}", line.empty() ? "" : "; ", count, words);
    return count > 0;
  };
  add(Verdict::missing, "missing");
  add(Verdict::invalid, "not judged");
  // The headline has them where there are suspects, and none of them is slower.
  const bool is_said = !comparison.has_regression() && comparison.count(Verdict::suspect) > 0 &&
                       !comparison.has_slower_suspect() && !comparison.mostly_open();
  if (!is_said && add(Verdict::improvement, "faster"))
    line += fmt::format(" ({})", extreme(comparison, {Verdict::improvement}, "best"));
  if (comparison.count(Verdict::regression) > 0 || comparison.mostly_open())
    add(Verdict::suspect, "suspect");
  if (!comparison.mostly_open()) add(Verdict::inconclusive, "inconclusive");
  add(Verdict::small, "small");
  if (comparison.count(Verdict::within_noise) < count_compared(comparison))
    add(Verdict::within_noise, "within noise");
  add(Verdict::unchanged, "unchanged");
  add(Verdict::identical, "identical");
  add(Verdict::added, "new");
  return line;
}

std::string verdict_line(const Comparison& comparison) {
  const auto counts = verdict_counts(comparison);
  return verdict_headline(comparison) + (counts.empty() ? "" : "; " + counts);
}

Table comparison_rows(const Comparison& comparison) {
  Table table;
  for (const char* name :
       {"name", "verdict", "base_s", "new_s", "change", "change_low", "change_high", "p_adjusted",
        "threshold", "detectable", "base_units", "new_units", "reason", "causes", "warnings"}) {
    table.columns.push_back({name});
  }
  for (const CaseComparison& c : comparison.cases) {
    const auto number = [](double value, bool known = true) {
      return known ? Cell{"", Tone::plain, value} : Cell{};
    };
    const bool judged = is_judged(c);
    table.rows.push_back({{{c.name},
                           {std::string(to_string(c.verdict))},
                           number(c.base_s, c.base_s > 0),
                           number(c.new_s, c.new_s > 0),
                           number(c.change.value, judged),
                           number(c.change.low, judged && std::isfinite(c.change.low)),
                           number(c.change.high, judged && std::isfinite(c.change.high)),
                           number(c.p_adjusted, judged && std::isfinite(c.p_adjusted)),
                           number(c.threshold),
                           number(c.detectable.value_or(0), c.detectable.has_value()),
                           number(static_cast<double>(c.base_units)),
                           number(static_cast<double>(c.new_units)),
                           {c.reason},
                           {text::joined(c.causes, "; ", &Cause::text)},
                           {text::joined(c.warnings, "; ")}}});
  }
  return table;
}

Report report_of(const Comparison& comparison, FailOn fails) {
  Report report{.kind = files::FileKind::comparison,
                .frame = {"bench compare", comparison.base + " → " + comparison.new_side}};
  report.document = [&comparison](Audience audience) {
    return comparison_document(comparison, audience);
  };
  report.rows = [&comparison] { return comparison_rows(comparison); };
  report.json = [&comparison](std::ostream& out) { write_comparison_json(out, comparison); };
  report.junit = [&comparison, fails](std::ostream& out) {
    write_comparison_junit(out, comparison, fails);
  };
  report.most_markdown = largest_summary;
  return report;
}

}  // namespace apod::show
