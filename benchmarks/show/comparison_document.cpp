#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/about.hpp"
#include "benchmarks/show/below_tables.hpp"
#include "benchmarks/show/comparison_report.hpp"
#include "benchmarks/show/comparison_view.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/figures.hpp"
#include "benchmarks/show/step_text.hpp"

namespace apod::show {
namespace {

/// A terminal's list of more cases than this only counts those that certainly did not change ...
constexpr std::size_t short_list = 20;
/// ... and of any other verdict it has this many.
constexpr std::size_t long_list = 100;
/// ... but only this many new cases, and this many within the noise, the largest changes first.
constexpr std::size_t few = 10;
constexpr std::size_t most_warnings = 10;
constexpr std::size_t most_causes = 20;

Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regression:
    case Verdict::missing:
    case Verdict::invalid:
      return Tone::bad;
    case Verdict::improvement:
      return Tone::good;
    case Verdict::suspect:
    case Verdict::inconclusive:
      return Tone::warning;
    case Verdict::small:
    case Verdict::added:
      return Tone::plain;
    case Verdict::within_noise:
    case Verdict::unchanged:
    case Verdict::identical:
      return Tone::dim;
  }
  return Tone::plain;
}

Cell value_cell(const CaseComparison& c, double value) {
  return value > 0 ? Cell{shown_value(c, value), Tone::plain, value} : Cell{};
}

/// Two significant digits; what is too small to matter is only said to be so.
std::string format_p(double p) {
  if (!std::isfinite(p)) return "";
  return p < 1e-9 ? "<1e-9" : fmt::format("{:.2g}", p);
}

std::string count_and_title(const char* title, std::size_t count) {
  return fmt::format("{} ({})", title, text::counted(count, "case"));
}

/// Takes from the rows what most of them remark, for a line below the table, if each other row has
/// a remark of its own.
std::vector<std::string> take_usual_remarks(
    Table& table, const std::map<std::vector<std::string>, std::size_t>& rows_by_remarks) {
  const auto usual = std::ranges::max_element(
      rows_by_remarks, [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool all_have = !rows_by_remarks.contains({});
  if (usual == rows_by_remarks.end() || !all_have || usual->second < 2 ||
      2 * usual->second <= table.rows.size()) {
    return {};
  }
  const bool others = usual->second < table.rows.size();
  for (auto& row : table.rows) {
    const bool is_usual =
        std::equal(row.remarks.begin(), row.remarks.end(), usual->first.begin(), usual->first.end(),
                   [](const Span& remark, const std::string& line) { return remark.text == line; });
    if (is_usual) row.remarks.clear();
  }
  std::vector<std::string> lines;
  for (const auto& line : usual->first)
    lines.push_back((others ? "all other cases: " : "each case: ") + line);
  return lines;
}

/// One table of cases, and what is said below it. A step that all of them share is said by the
/// labels of the sides alone.
std::pair<Table, std::vector<std::string>> table_of(const Comparison& comparison,
                                                    const std::vector<const CaseComparison*>& cases,
                                                    bool brief) {
  std::vector<StepName> names;
  for (const auto* c : cases) names.push_back(step_of(comparison, c->name));
  const bool several = std::ranges::any_of(names, [&](const StepName& name) {
    return name.axis != names.front().axis || name.step != names.front().step;
  });
  Table table;
  table.columns = {{.name = "case", .align = Align::left, .key = true}};
  if (several)
    table.columns.push_back({.name = names.front().axis, .align = Align::left, .key = true});
  const bool rates = std::ranges::any_of(cases, [](const auto* c) { return c->is_rate; });
  for (Column column : std::vector<Column>{{"base", "base_s", Align::right, 60},
                                           {"new", "new_s", Align::right, 70},
                                           {rates ? "change of 1/rate" : "change", "change"},
                                           {"verdict", "", Align::left}}) {
    table.columns.push_back(std::move(column));
  }
  const bool of_files = comparison.method == CompareMethod::files;
  if (!of_files) table.columns.push_back({"p (Holm)", "p_adjusted", Align::right, 40});
  table.columns.push_back({of_files ? "noise" : "detectable", "detectable", Align::right, 30});
  std::map<std::vector<std::string>, std::size_t> rows_by_remarks;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseComparison& c = *cases[i];
    const bool judged = is_judged(c);
    Row row;
    row.cells = {{names[i].name}};
    if (several) row.cells.push_back({names[i].step});
    row.cells.push_back(value_cell(c, c.base_s));
    row.cells.push_back(value_cell(c, c.new_s));
    const Tone tone = tone_of(c.verdict);
    const bool has_both = c.base_s > 0 && c.new_s > 0;
    row.cells.push_back(has_both ? Cell{change_text(c.change),
                                        is_change(c.verdict) ? tone : Tone::plain, c.change.value}
                                 : Cell{});
    // A change that is there and can't be judged is no broken case.
    const bool unjudged = c.verdict == Verdict::invalid && has_both;
    row.cells.push_back({unjudged ? "not judged" : std::string(to_string(c.verdict)), tone});
    if (!of_files) {
      row.cells.push_back(judged && std::isfinite(c.p_adjusted)
                              ? Cell{format_p(c.p_adjusted), Tone::plain, c.p_adjusted}
                              : Cell{});
    }
    const auto detectable = detectable_of(c);
    row.cells.push_back(detectable.empty() ? Cell{} : Cell{detectable, Tone::plain, *c.detectable});
    auto lines = remarks(c);
    // A terminal counts the warnings of what did not change below.
    if (brief && !is_change(c.verdict)) lines.resize(lines.size() - c.warnings.size());
    ++rows_by_remarks[lines];
    for (auto& line : lines) row.remarks.push_back({std::move(line), Tone::dim});
    row.anchor = anchor_of(comparison, c);
    row.command = again(comparison, c);
    table.rows.push_back(std::move(row));
  }
  auto below = take_usual_remarks(table, rows_by_remarks);
  return {std::move(table), std::move(below)};
}

/// Whether it is among the cases that come first: those that moved or could not be compared. Many
/// parts of a recording change by little of the whole.
bool comes_first(const Comparison& comparison, const CaseComparison& c) {
  if (comparison.of_recordings && c.verdict == Verdict::small) return false;
  return is_change(c.verdict) || is_problem(c.verdict);
}

/// Where `brief`, takes from the cases what a person at a terminal would scroll past. A line for
/// each verdict says how many were taken.
std::vector<std::string> cut(const Comparison& comparison, bool brief,
                             std::vector<const CaseComparison*>& cases) {
  if (!brief) return {};
  const bool is_long = comparison.cases.size() > short_list;
  std::map<Verdict, std::size_t> used;
  std::map<Verdict, std::size_t> left_out;
  std::erase_if(cases, [&](const CaseComparison* c) {
    const bool is_dull = c->verdict == Verdict::unchanged || c->verdict == Verdict::identical;
    const bool takes_few = c->verdict == Verdict::added || c->verdict == Verdict::within_noise ||
                           (comparison.of_recordings && c->verdict == Verdict::small);
    const std::size_t room = !is_long ? long_list : is_dull ? 0 : takes_few ? few : long_list;
    const bool too_many = used[c->verdict]++ >= room;
    left_out[c->verdict] += too_many ? 1 : 0;
    return too_many;
  });
  std::vector<std::string> lines;
  for (const auto& [verdict, count] : left_out) {
    if (count == 0) continue;
    lines.push_back(fmt::format("{} {}: not listed (to list every case: --out FILE.json)",
                                text::counted(count, "case"), to_string(verdict)));
  }
  return lines;
}

/// The cases in two tables, those that moved or could not be compared first. On a page `between`
/// follows the first table that there is.
void add_cases(Document& document, const Comparison& comparison, Audience audience,
               const std::function<void()>& between) {
  const bool brief = audience == Audience::terminal;
  auto first = in_report_order(comparison);
  const auto middle = std::stable_partition(
      first.begin(), first.end(), [&](const auto* c) { return comes_first(comparison, *c); });
  std::vector<const CaseComparison*> others(middle, first.end());
  first.erase(middle, first.end());
  Legend legend;
  bool is_first = true;
  const auto add = [&](Heading heading, std::vector<const CaseComparison*> cases) {
    if (cases.empty()) return;
    document.add(std::move(heading));
    const auto left_out = cut(comparison, brief, cases);
    const auto [table, below] = table_of(comparison, cases, brief);
    document.add(table);
    for (const auto& line : below) document.add(Paragraph{Span{line, Tone::dim}});
    if (audience == Audience::page) legend.explain_commands(document, table);
    for (const auto& line : left_out) document.add(Paragraph{Span{line, Tone::dim}});
    if (is_first) between();
    is_first = false;
  };
  const auto changed = static_cast<std::size_t>(
      std::ranges::count_if(first, [](const auto* c) { return is_change(c->verdict); }));
  const bool suspects = comparison.count(Verdict::suspect) > 0;
  const char* title = changed == first.size() ? (suspects ? "changed, or suspect" : "changed")
                      : changed == 0          ? "not compared"
                      : suspects              ? "changed, suspect, or not compared"
                                              : "changed, or not compared";
  add({2, {count_and_title(title, first.size())}}, first);
  const auto added = static_cast<std::size_t>(comparison.count(Verdict::added));
  const auto& common = comparison.common;
  const bool together = common && is_change(common->verdict);
  const bool any_small =
      std::ranges::any_of(others, [](const auto* c) { return c->verdict == Verdict::small; });
  const std::string quiet = added == others.size() ? "new"
                            : any_small            ? "no change shown, or a small change"
                            : together             ? "same change as all other cases, or no change"
                                                   : "no change shown";
  const bool both = added > 0 && added < others.size();
  add({.level = 2,
       .title = {count_and_title((quiet + (both ? ", or new" : "")).c_str(), others.size())},
       .folded = true},
      others);
}

/// What came with the changes: findings that came or went, kernels whose machine code changed, and
/// all else that several changed cases have in common, the most frequent first.
void add_causes(Document& document, const Comparison& comparison) {
  struct Shared {
    std::string text;
    std::string first;
    std::size_t cases = 0;
  };
  std::vector<Shared> all;
  std::string equal;  // said where nothing differs
  for (const auto& c : comparison.cases) {
    if (!is_change(c.verdict)) continue;
    for (const auto& cause : c.causes) {
      if (cause.fact == "none") equal = cause.text;
      if (cause.fact == "none" || cause.fact == "kernel" || cause.fact == "unknown") continue;
      auto found = std::ranges::find_if(
          all, [&](const Shared& shared) { return shared.text == cause.text; });
      if (found == all.end())
        found = all.insert(all.end(), {cause.text, name_of(comparison, c), 0});
      ++found->cases;
    }
  }
  std::ranges::stable_sort(all, std::greater(), &Shared::cases);
  Table table{
      .columns = {{.name = "differences found in changed cases", .align = Align::left, .key = true},
                  {"cases"},
                  {.name = "first", .align = Align::left, .key = true}}};
  for (const auto& shared : all) {
    if (table.rows.size() == most_causes) break;
    table.rows.push_back({{{shared.text}, {std::to_string(shared.cases)}, {shared.first}}});
  }
  if (table.rows.empty() && equal.empty()) return;
  document.add(Heading{2, {"causes"}});
  if (table.rows.empty()) document.add(Paragraph{"none was recorded: " + equal});
  document.add(std::move(table));
  if (all.size() > most_causes) {
    document.add(Paragraph{
        Span{fmt::format("and {} more, each listed below its case", all.size() - most_causes),
             Tone::dim}});
  }
}

/// Warnings of cases that a terminal lists without them, because they did not change: each once,
/// with the number of its cases, the most frequent first.
std::vector<std::string> quiet_warnings(const Comparison& comparison) {
  std::map<std::string, std::size_t> counts;
  for (const auto& c : comparison.cases) {
    if (is_change(c.verdict)) continue;
    for (const auto& warning : c.warnings) ++counts[warning];
  }
  std::vector<std::pair<std::string, std::size_t>> ordered(counts.begin(), counts.end());
  std::ranges::stable_sort(ordered,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> lines;
  for (const auto& [warning, count] : ordered) {
    if (lines.size() == most_warnings) {
      lines.push_back(
          fmt::format("and {} more (for all: --out FILE.json)", ordered.size() - most_warnings));
      break;
    }
    lines.push_back(warning + ": " + text::counted(count, "case"));
  }
  return lines;
}

/// "its device and date are not recorded", of what is neither among `known` nor said to differ:
/// older files hold the differences alone. Empty if nothing is missing.
std::string not_recorded(const Comparison& comparison, const Properties& known) {
  const auto is_known = [&](std::initializer_list<const char*> keys) {
    return std::ranges::any_of(keys, [&](const std::string key) {
      return known.contains(key) ||
             std::ranges::any_of(comparison.environment,
                                 [&](const auto& line) { return line.starts_with(key + " "); });
    });
  };
  std::vector<std::string> missing;
  if (!is_known({"gpu", "cpu", "host"})) missing.emplace_back("device");
  if (!is_known({"commit", "version"})) missing.emplace_back("commit");
  if (!is_known({"date"})) missing.emplace_back("date");
  if (missing.empty()) return "";
  const auto last = missing.back();
  missing.pop_back();
  return fmt::format("its {}{}{} {} not recorded", fmt::join(missing, ", "),
                     missing.empty() ? "" : " and ", last, missing.empty() ? "is" : "are");
}

/// The sides, and with what each was measured. Where that is not known, only `brief` is silent.
List sides_of(const Comparison& comparison, bool brief) {
  List list;
  const auto base_text = described(comparison.base_environment);
  const auto new_text = described(comparison.new_environment);
  const bool same = base_text == new_text;
  if (same && !base_text.empty()) list.items.push_back({"measured: " + base_text});
  const auto add = [&](const std::string& name, const Properties& known, const std::string& text) {
    auto& item = list.items.emplace_back(List::Item{name});
    auto line = beside({about(known), same ? "" : text});
    if (line.empty() && brief) return;
    if (line.empty()) line = not_recorded(comparison, known);
    if (!line.empty()) item.more.emplace_back(Span{line, Tone::dim});
  };
  add("base: " + comparison.base, comparison.base_environment, base_text);
  add("new: " + comparison.new_side, comparison.new_environment, new_text);
  return list;
}

}  // namespace

Document comparison_document(const Comparison& comparison, Audience audience) {
  const bool brief = audience == Audience::terminal;
  const bool is_page = audience == Audience::page;
  const bool bad =
      std::ranges::any_of(comparison.cases, [](const auto& c) { return is_problem(c.verdict); }) ||
      comparison.has_regression() || count_compared(comparison) == 0 || ended_early(comparison);
  Document document;
  const auto verdict = is_page ? verdict_headline(comparison) : verdict_line(comparison);
  const auto steps = step_change(comparison);
  const Span judged{verdict, bad ? Tone::bad : Tone::strong};
  // A pair that is none says so before anything else.
  if (!steps.empty() && comparison.unlike.empty()) {
    document.add(Heading{1, {steps, Tone::strong}});
    document.add(Paragraph{judged});
  } else {
    document.add(Heading{1, judged});
    if (!steps.empty()) document.add(Paragraph{Span{steps, Tone::strong}});
  }
  const auto counts = is_page ? verdict_counts(comparison) : "";
  if (!counts.empty()) document.add(Paragraph{counts});
  document.add(sides_of(comparison, brief));
  const auto add_surroundings = [&] {
    document.add(Heading{2, {"environment: what differs"}}, list_of(comparison.environment));
    document.add(Heading{2, {"change that all cases share"}}, list_of(common_lines(comparison)));
  };
  if (is_page) {
    // What changed, then why, then all else.
    document.add(changes_figure(comparison));
    add_cases(document, comparison, audience, [&] {
      add_causes(document, comparison);
      add_surroundings();
    });
    if (comparison.cases.empty()) add_surroundings();
  } else {
    add_surroundings();
    add_cases(document, comparison, audience, [] {});
  }
  if (brief) {
    document.add(Heading{2, {"warnings of cases without a change"}},
                 list_of(quiet_warnings(comparison)));
  }
  const bool blocks = comparison.method != CompareMethod::files;
  const bool settles =
      !comparison.next_step.empty() || (blocks && comparison.count(Verdict::inconclusive) > 0);
  document.add(Heading{2, {settles ? "how to decide the undecided cases" : "sensitivity"}},
               list_of(sensitivity(comparison)));
  document.add(Heading{2, {"notes"}}, list_of(notes(comparison)));
  if (!is_page) return document;
  document.add(Heading{2, {"both sides"}},
               sides_table(comparison.base_environment, comparison.new_environment));
  document.add(Heading{2, {"repeat this"}}, Code{text::shell_line(comparison.command_line)});
  return document;
}

}  // namespace apod::show
