#include "benchmarks/show/run_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "benchmarks/base/siblings.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/below_tables.hpp"
#include "benchmarks/show/case_columns.hpp"
#include "benchmarks/show/estimate_text.hpp"

namespace apod::show {
namespace {

/// A '#' for each number.
std::string without_numbers(const std::string& text) {
  std::string words;
  for (const char c : text) {
    const bool digit = (c >= '0' && c <= '9') || (c == '.' && words.ends_with('#'));
    if (!digit) words += c;
    if (digit && !words.ends_with('#')) words += '#';
  }
  return words;
}

/// Counts texts that are equal but for their numbers, in the order in which they are first seen.
class Groups {
 public:
  void add(const std::string& text, const std::string& id) {
    const auto [found, is_new] = index_.emplace(without_numbers(text), groups_.size());
    if (is_new) groups_.push_back({text, 0, id});
    Group& group = groups_[found->second];
    ++group.count;
    group.differ = group.differ || group.text != text;
  }
  std::vector<Group> take() { return std::move(groups_); }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<Group> groups_;
};

/// Notes of one case, each once, with those that the numbers themselves call for.
std::vector<std::string> notes_of_case(const CaseSummary& summary, int wanted_processes) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& note) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  };
  if (summary.peak.exceeded) {
    add(summary.peak.bound == Bound::memory
            ? "above the device's memory peak: the data come from a cache"
            : fmt::format("above the device's {} peak: tensor cores did the work, or the kernel "
                          "did fewer operations than the workload states",
                          to_string(summary.peak.bound)));
  }
  if (summary.value("throttled") > 0)
    add("the device was throttled for some samples: they are left out if there are others");
  const double processes = summary.value("processes");
  if (summary.status == CaseStatus::measured && processes < wanted_processes)
    add(fmt::format("only {:.0f} of {} processes measured the case", processes, wanted_processes));
  for (const std::string& note : summary.notes) add(note);
  return notes;
}

/// The columns, by the name of their axis or fact, that have a value in any row.
std::set<std::string> columns_with_values(const Table& table) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool any =
        std::ranges::any_of(table.rows, [&](const Row& row) { return !row.cells[i].text.empty(); });
    if (any) names.insert(table.columns[i].id_or_name());
  }
  return names;
}

/// A table for each experiment. Of `columns` those that none of them has a value for.
std::vector<std::string> add_experiments(Document& document, const Result& result,
                                         const std::vector<CaseSummary>& summaries,
                                         std::vector<std::string> columns, Audience audience) {
  const auto wanted = columns;
  Legend legend;
  for (std::size_t i = 0; i < result.plan.experiments.size(); ++i) {
    const bool has_cases =
        std::ranges::any_of(result.plan.cases, [&](const Case& c) { return c.experiment == i; });
    if (!has_cases) continue;  // a filter left none
    auto view = view_of(result, i, summaries, wanted, audience);
    document.add(Heading{2, {result.plan.experiments[i].name}, view.method});
    if (!view.common.empty()) document.add(Paragraph{Span{"all with " + view.common, Tone::dim}});
    if (view.table.rows.empty()) document.add(Paragraph{Span{"no case was measured", Tone::dim}});
    const auto shown = columns_with_values(view.table);
    std::erase_if(columns, [&](const std::string& name) { return shown.contains(name); });
    document.add(view.table);
    auto weighted = weighted_times(result.plan.experiments[i], result, view.cases);
    if (!weighted.text.spans.empty()) document.add(std::move(weighted));
    legend.explain_values(document, view.table, view.cases);
    if (audience != Audience::page) continue;
    legend.explain_columns(document, view.table, view.cases, result);
    legend.explain_commands(document, view.table);
  }
  return columns;
}

void add_groups(Document& document, const std::string& name, Tone tone, std::size_t count,
                const std::vector<Group>& groups) {
  List list;
  for (const Group& group : groups) {
    auto& item = list.items.emplace_back(List::Item{group.text});
    if (group.first.empty()) continue;
    const std::string where =
        group.count == 1 ? "in " + group.first
        : group.differ   ? fmt::format("in {}, and with other numbers in {} more", group.first,
                                       text::counted(group.count - 1, "case"))
                         : fmt::format("in {} cases (the first: {})", group.count, group.first);
    item.more.emplace_back(Span{where, Tone::dim});
  }
  document.add(Heading{2, {fmt::format("{} ({})", name, count), tone}}, std::move(list));
}

/// Every case that failed, by its reason. The ids are whole, however long: a person copies them
/// into --filter.
void add_failures(Document& document, const std::vector<CaseSummary>& summaries) {
  List list;
  std::map<std::string, std::size_t> index;
  std::size_t count = 0;
  for (const auto& summary : summaries) {
    if (summary.status != CaseStatus::failed) continue;
    ++count;
    const auto [found, is_new] = index.emplace(summary.reason, list.items.size());
    if (is_new) list.items.push_back({summary.reason});
    list.items[found->second].more.emplace_back(Span{summary.info->id, Tone::dim});
  }
  document.add(Heading{2, {fmt::format("failed ({})", count), Tone::bad}}, std::move(list));
}

/// What was missed, and then what is undecided. A rule that many cases miss is said once. A page
/// has counted them at its top.
void add_expectations(Document& document, const Result& result, Audience audience) {
  List list;
  bool any_missed = false;
  for (const auto state : {RuleState::missed, RuleState::undecided}) {
    const bool missed = state == RuleState::missed;
    std::string last;
    for (const ExpectationOutcome& outcome : result.expectations) {
      const auto& cases = result.plan.cases;
      if (outcome.state != state) continue;
      any_missed = any_missed || missed;
      const std::string place =
          outcome.place.line > 0
              ? fmt::format("{}:{}: ", result.plan.config_path, outcome.place.line)
              : "";
      const auto rule = place + outcome.rule + (missed ? "" : " (undecided)");
      if (rule != last) list.items.push_back({rule});
      last = rule;
      Text text{{outcome.observed, missed ? Tone::bad : Tone::warning}};
      if (outcome.case_index < cases.size())
        text.spans.push_back({", in " + cases[outcome.case_index].id, Tone::dim});
      list.items.back().more.push_back(std::move(text));
    }
  }
  if (result.expectations.empty()) return;
  if (list.items.empty() && audience == Audience::page) return;
  document.add(Heading{
      2,
      {"expectations (" + expectations_text(result) + ")", any_missed           ? Tone::bad
                                                           : list.items.empty() ? Tone::good
                                                                                : Tone::warning}});
  document.add(std::move(list));
}

/// GPUs that measured the same cases, each against the others (base/siblings.hpp); empty where
/// there are fewer than three.
Document siblings_section(const std::vector<CaseSummary>& summaries) {
  Document document;
  Table table{"",
              {{.name = "device", .align = Align::left, .key = true},
               {"against the others"},
               {"spread of the others"},
               {"cases"},
               {.name = "standing", .align = Align::left}}};
  std::string odd;
  for (const Sibling& one : siblings(summaries)) {
    const bool alike = one.standing == Standing::alike;
    const std::string standing(to_string(one.standing));
    table.rows.push_back({{{one.device},
                           {change_text(one.apart), Tone::plain, one.apart.value},
                           {text::format_percent(one.others_apart), Tone::plain, one.others_apart},
                           {std::to_string(one.cases)},
                           {standing, alike ? Tone::plain : Tone::warning}}});
    if (!alike) {
      odd += fmt::format("{}{} is {} {} than the others", odd.empty() ? "" : "; ", one.device,
                         text::format_percent(std::abs(one.apart.value)), standing);
    }
  }
  document.add(Heading{2,
                       {odd.empty() ? "no GPU is slower than the others" : odd,
                        odd.empty() ? Tone::good : Tone::warning}},
               std::move(table));
  return document;
}

/// Whose time that of a merged result is: the sum over machines that worked beside each other.
std::string of_machines(const Result& result) {
  std::set<std::string_view> names;
  for (const auto& measurement : result.measurements) names.insert(measurement.machine);
  if (names.size() < 2) return "";
  const bool gpus = result.environment.device.backend == BackendKind::cuda;
  return fmt::format(" (sum over {} {})", names.size(), gpus ? "GPUs" : "machines");
}

}  // namespace

std::string expectations_text(const Result& result) {
  std::map<RuleState, std::size_t> counts{{RuleState::met, 0}, {RuleState::missed, 0}};
  for (const auto& outcome : result.expectations) ++counts[outcome.state];
  return text::joined(counts, ", ", [](const auto& one) {
    return fmt::format("{} {}", one.second, to_string(one.first));
  });
}

std::string outcome_line(const std::vector<CaseSummary>& summaries, const Result& result) {
  std::map<CaseStatus, std::size_t> counts{{CaseStatus::measured, 0}};
  for (const auto& summary : summaries) ++counts[summary.status];
  auto line = text::joined(counts, ", ", [](const auto& one) {
    std::string name(to_string(one.first));
    std::replace(name.begin(), name.end(), '_', ' ');
    return fmt::format("{} {}", one.second, name);
  });
  if (result.wall_s > 0)
    line += " in " + text::format_duration(result.wall_s) + of_machines(result);
  return line + (result.interrupted ? " (interrupted)" : "");
}

std::string device_line(const Environment& environment) {
  const DeviceFacts& device = environment.device;
  std::string line = device.name.empty() ? environment.cpu_model : device.name;
  if (line.empty()) line = "unknown device";
  if (device.ecc) line += ", ECC on";
  if (device.mig) line += ", MIG on";
  if (!device.driver_version.empty()) line += ", driver " + device.driver_version;
  if (!device.runtime_version.empty()) line += ", CUDA " + device.runtime_version;
  const std::string producer = environment.producer.empty() ? "apod-bench" : environment.producer;
  const bool is_named = environment.bench_version.starts_with(producer);
  line += ", " + (is_named ? "" : producer + " ") + environment.bench_version;
  if (!environment.commit.empty()) line += " (" + environment.commit + ")";
  return line;
}

std::vector<Group> notes_of(const Result& result, const std::vector<CaseSummary>& summaries) {
  Groups notes;
  for (const std::string& note : result.environment.device.notes) notes.add(note, "");
  for (const CaseSummary& summary : summaries) {
    const int wanted = result.plan.experiment_of(*summary.info).measure.processes;
    for (const std::string& note : notes_of_case(summary, wanted))
      notes.add(note, summary.info->id);
  }
  return notes.take();
}

Document run_sections(const Result& result, const std::vector<CaseSummary>& summaries,
                      const std::vector<std::string>& columns, Audience audience) {
  Document document;
  const auto unknown =
      add_experiments(document, result, summaries, named_columns(result.plan, columns), audience);
  document.append(siblings_section(summaries));
  add_failures(document, summaries);
  Groups skips;
  std::size_t skipped = 0;
  for (const auto& summary : summaries) {
    if (summary.status != CaseStatus::skipped) continue;
    ++skipped;
    skips.add(summary.reason, summary.info->id);
  }
  add_groups(document, "skipped", Tone::strong, skipped, skips.take());
  add_expectations(document, result, audience);
  auto notes = notes_of(result, summaries);
  if (!unknown.empty())
    notes.push_back({fmt::format("no case has a value for {}", fmt::join(unknown, ", ")), 1, ""});
  add_groups(document, "notes", Tone::warning, notes.size(), notes);
  return document;
}

Document run_document(const Result& result, const std::vector<std::string>& columns) {
  const std::vector<CaseSummary> summaries = summarize(result);
  Document document;
  const bool measured = std::ranges::any_of(
      summaries, [](const auto& summary) { return summary.status == CaseStatus::measured; });
  const bool on_host = measured && is_measured_on_host(result.environment);
  document.add(Heading{1,
                       {result.plan.name + (on_host ? ": measured on the host, not on a GPU" : "")},
                       result.plan.description});
  document.add(Paragraph{Span{device_line(result.environment), Tone::dim}});
  document.add(
      Paragraph{Span{result.plan.config_path +
                         (result.environment.date.empty() ? "" : ", " + result.environment.date),
                     Tone::dim}});
  // Below the tables, where a terminal's reader is; a page has them at its head.
  document.append(run_sections(result, summaries, columns, Audience::text));
  const bool is_asked = std::ranges::any_of(result.plan.cases, &Case::answers);
  if (is_asked) {
    List answers;
    for (auto& text : headlines(result, summaries)) answers.items.push_back({text + "."});
    document.add(Heading{2, {"answer"}}, std::move(answers));
  }
  document.add(Paragraph{Span{outcome_line(summaries, result), Tone::strong}, true});
  return document;
}

Document timers_document(const Result& result) {
  std::map<std::size_t, std::vector<NamedTime>> by_case;
  for (const Measurement& measurement : result.measurements) {
    for (const auto& [phase, spent] : measurement.phases) {
      if (!spent.empty()) add_time(by_case[measurement.case_index], phase, spent);
    }
  }
  Document document;
  if (by_case.empty()) {
    document.add(Paragraph{std::string("timers: ") +
                           (is_thin(result) ? not_kept : "no case reached a timed phase")});
    return document;
  }
  document.add(Heading{1, {"timers"}, "host time of each phase, in all processes together"});
  Table table{.columns = {{.name = "phase", .align = Align::left, .key = true},
                          {"total", "total_s"},
                          {"average", "average_s"},
                          {"maximum", "maximum_s"},
                          {"minimum", "minimum_s"},
                          {"count"}}};
  const auto time = [](double seconds) { return Cell{text::format_time(seconds), {}, seconds}; };
  for (const auto& [index, phases] : by_case) {
    table.rows.push_back({.remarks = {{result.plan.cases.at(index).id, Tone::strong}}});
    for (const auto& [phase, spent] : phases) {
      table.rows.push_back({{{phase},
                             time(spent.total_s),
                             time(spent.mean_s()),
                             time(spent.max_s),
                             time(spent.min_s),
                             {std::to_string(spent.count)}}});
    }
  }
  document.add(std::move(table));
  return document;
}

}  // namespace apod::show
