#include "benchmarks/show/below_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/about.hpp"
#include "benchmarks/show/comparison_view.hpp"
#include "benchmarks/show/limit.hpp"

namespace apod::show {

namespace {

/// What a share is a part of: "memory", and how much that is.
struct Whole {
  std::string name;
  double value = 0;       ///< in bytes or FLOPs per second, of launches in seconds
  bool each_way = false;  ///< the share is that of the direction with more bytes
  bool is_arithmetic = false;
};

/// Rounding aside, all of the bytes that crossed the link.
constexpr double nearly_all_bytes = 0.99;

std::optional<Whole> ceiling_of(const CaseSummary& summary) {
  if (!summary.roofline || summary.roofline->nearest == Bound::unknown) return std::nullopt;
  const auto& roof = *summary.roofline;
  const double held = roof.share * roof.ceiling * summary.time().value;
  return Whole{
      std::string(to_string(roof.nearest)), roof.ceiling,
      roof.nearest == Bound::transfer && held < nearly_all_bytes * summary.value("transfer_bytes"),
      is_arithmetic(roof.nearest)};
}

std::optional<Whole> peak_of(const CaseSummary& summary) {
  if (!(summary.peak.rate > 0)) return std::nullopt;
  return Whole{std::string(to_string(summary.peak.bound)), summary.peak.rate,
               summary.peak.bound == Bound::transfer, is_arithmetic(summary.peak.bound)};
}

std::string value_text(const std::string& name, double value) {
  if (name == to_string(Bound::launch)) return text::format_time(value, text::in_prose);
  const bool bytes = name == to_string(Bound::memory) || name == to_string(Bound::transfer) ||
                     name == to_string(Bound::peer);
  return text::format_rate(value, bytes ? "B/s" : "FLOP/s", text::in_prose) +
         (name == to_string(Bound::peer) ? " over the link" : "");
}

/// "memory 4.21 TB/s, transfer 53.1 to 55.3 GB/s": of the cases in the table; empty where it has no
/// such column.
std::string wholes_text(const Table& table, const std::string& column, const Cases& cases,
                        std::optional<Whole> (*whole_of)(const CaseSummary&)) {
  const auto found = std::ranges::find(table.columns, column, &Column::id_or_name);
  const auto index = static_cast<std::size_t>(found - table.columns.begin());
  struct Range {
    double low;
    double high;
    bool each_way;
  };
  std::map<std::string, Range> ranges;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& cells = table.rows[i].cells;
    if (index >= cells.size() || cells[index].text.empty()) continue;
    const auto whole = whole_of(*cases.at(i));
    if (!whole) continue;
    const Range first{whole->value, whole->value, whole->each_way};
    auto& [low, high, each_way] = ranges.try_emplace(whole->name, first).first->second;
    low = std::min(low, whole->value);
    high = std::max(high, whole->value);
    each_way = each_way || whole->each_way;
  }
  std::string text;
  for (const auto& [name, range] : ranges) {
    const auto low = value_text(name, range.low);
    const auto high = value_text(name, range.high);
    text += (text.empty() ? "" : ", ") + name + " " + low + (low == high ? "" : " to " + high) +
            (range.each_way
                 ? " in each direction (a share refers to the direction that copies more bytes)"
                 : "");
  }
  return text;
}

void add_line(Document& document, const std::string& line,
              const std::vector<std::string>& of_columns = {}) {
  document.add(Paragraph{.text = Span{line, Tone::dim}, .of_columns = of_columns});
}

bool has_sign(const Row& row) {
  return std::ranges::any_of(row.cells,
                             [](const Cell& cell) { return cell.text.starts_with("~ "); });
}

}  // namespace

void name_wholes(Table& table, const Cases& cases) {
  const auto index_of = [&](const char* id) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(table.columns, id, &Column::id_or_name);
    if (found == table.columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - table.columns.begin());
  };
  const auto bound = index_of("bound");
  for (const auto& [id, whole_of] :
       {std::pair{"share_of_peak", &peak_of}, std::pair{"share_of_ceiling", &ceiling_of}}) {
    const auto column = index_of(id);
    if (!column) continue;
    std::vector<std::string> names(cases.size());
    bool is_told = true;     // by the column beside it
    bool is_of_rate = true;  // the column `rate` has the unit of what the share is of
    std::set<std::string> distinct;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const auto& cells = table.rows[i].cells;
      const auto whole = cells[*column].text.empty() ? std::nullopt : whole_of(*cases[i]);
      if (!whole) continue;
      names[i] = whole->name;
      distinct.insert(whole->name);
      is_of_rate = is_of_rate && cases[i]->computes == whole->is_arithmetic;
      is_told = is_told && bound && cells[*bound].text == whole->name;
    }
    if ((distinct.size() < 2 && is_of_rate) || is_told) continue;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (!names[i].empty()) table.rows[i].cells[*column].text += " " + names[i];
    }
  }
}

void Legend::explain_columns(Document& document, const Table& table, const Cases& cases,
                             const Result& result) {
  const auto peaks = wholes_text(table, "share_of_peak", cases, peak_of);
  if (!peaks.empty()) add_line(document, "of peak (theoretical): " + peaks);
  const auto ceilings = wholes_text(table, "share_of_ceiling", cases, ceiling_of);
  if (!ceilings.empty()) {
    const auto where = told_where_ ? "" : about(*result.ceilings);
    add_line(document, "'of ceiling' is the share of these measured ceilings: " + ceilings +
                           (where.empty() ? "" : " (" + where + ")"));
    told_where_ = true;
  }
  if (std::ranges::any_of(table.rows, has_sign))
    add_line(document, "~: undecided, because the interval of the change includes 0");
}

void Legend::explain_values(Document& document, const Table& table, const Cases& cases) {
  const std::vector<std::string> columns{"rate", "share_of_peak", "share_of_ceiling"};
  std::set<std::string> others;
  for (const auto& id : columns) {
    const auto column = std::ranges::find(table.columns, id, &Column::id_or_name);
    const auto index = static_cast<std::size_t>(column - table.columns.begin());
    for (std::size_t i = 0; column != table.columns.end() && i < cases.size(); ++i) {
      const bool shows = !table.rows[i].cells[index].text.empty();
      if (shows && cases[i]->computes && cases[i]->replaces) others.insert(cases[i]->info->variant);
    }
  }
  if (!others.empty()) {
    add_line(document,
             fmt::format("rates and shares count the operations that the workload states; variants "
                         "that do other operations: {}",
                         fmt::join(others, ", ")),
             columns);
  }
  const bool exceeds = std::ranges::any_of(cases, [](const CaseSummary* summary) {
    const Limit limit = limit_of(*summary);
    return limit.measured && limit.nearest != Bound::unknown && limit.share > visibly_above;
  });
  if (!exceeds) return;
  add_line(document,
           "above 100 % of a ceiling: the ceiling was measured on another board or at a lower "
           "clock, or the data stay in a cache; to measure it again: bench ceilings",
           columns);
}

void Legend::explain_commands(Document& document, const Table& table) {
  const bool has_commands =
      std::ranges::any_of(table.rows, [](const Row& row) { return !row.command.empty(); });
  if (told_commands_ || !has_commands) return;
  add_line(document, "Click a case to see the command that repeats it.");
  told_commands_ = true;
}

namespace {

/// `name` as a regular expression that matches nothing else; of one that is too long its beginning.
/// A ladder's name lacks the axis in which its arms differ, which `lacks` allows anywhere.
std::string exactly(const std::string& name, bool lacks) {
  const char* part = lacks ? "(/[^/]*)?" : "";
  std::string pattern = "^";
  for (const char c : name) {
    const auto next = (c == '/' ? part : "") + text::literal({&c, 1});
    if (pattern.size() + next.size() > text::longest_expression) {
      const auto is_inner = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
      };
      if (is_inner(c)) {  // no half of a character
        while (!pattern.empty() && is_inner(pattern.back())) pattern.pop_back();
        if (!pattern.empty()) pattern.pop_back();
      }
      return pattern;
    }
    pattern += next;
  }
  const std::string end = part + std::string("$");
  return pattern.size() + end.size() > text::longest_expression ? pattern : pattern + end;
}

/// `line` for what `filter` matches, without the files and forms that it was to write: these are of
/// all cases.
std::string narrowed(std::vector<std::string> line, const std::string& filter) {
  // A case of a search is repeated by a run.
  const bool is_search = line.size() > 1 && line[1] == "tune";
  for (const char* flag :
       {"--out", "-o", "--trace-out", "--format", "--filter", "--only", "--shard",
        "--benchmark_filter", "--benchmark_out", "--benchmark_format", "--benchmark_out_format"}) {
    text::drop_flag(line, flag, true);
  }
  for (const char* flag : {"--for", "--budget", "--objective", "--strategy", "--seed"}) {
    if (is_search) text::drop_flag(line, flag, true);
  }
  if (is_search) text::drop_flag(line, "--portable", false);
  if (is_search) line.erase(line.begin() + 1);
  text::drop_flag(line, "--resume", false);
  line.insert(line.end(), {"--filter", filter});
  return text::shell_line(line);
}

}  // namespace

std::string again(const Result& result, const Case& c) {
  const Plan& plan = result.plan;
  if (plan.config_text.empty()) return "";
  auto line = result.command_line;
  // Files of before don't say how they were made.
  if (line.empty()) line = {"bench", "--config", plan.config_path};
  return narrowed(std::move(line), exactly(c.id, false));
}

std::string again(const Comparison& comparison, const CaseComparison& c) {
  const bool on_both_sides = c.verdict != Verdict::missing && c.verdict != Verdict::added;
  if (comparison.command_line.empty() || !on_both_sides) return "";
  const auto step = step_of(comparison, c.name);
  return narrowed(comparison.command_line, exactly(step.name, !step.axis.empty()));
}

Paragraph weighted_times(const Experiment& experiment, const Result& result, const Cases& cases) {
  if (experiment.weight.empty()) return {};
  struct Sum {
    double seconds = 0;
    std::size_t measured = 0;
    std::size_t wanted = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Sum> sums;
  for (const auto& c : result.plan.cases) {
    if (&result.plan.experiment_of(c) != &experiment) continue;
    if (!sums.contains(c.variant)) order.push_back(c.variant);
    ++sums[c.variant].wanted;
  }
  for (const auto* summary : cases) {
    const auto weight = summary->info->params.integer_or(experiment.weight, 0);
    auto& sum = sums[summary->info->variant];
    sum.seconds += static_cast<double>(weight) * summary->time().value;
    ++sum.measured;
  }
  std::string text;
  std::string missing;
  double first = 0;
  for (const auto& variant : order) {
    const auto& sum = sums[variant];
    if (sum.measured < sum.wanted) {
      missing += (missing.empty() ? "" : ", ") + variant;
      continue;
    }
    text += (text.empty() ? "" : ", ") + variant + " " + text::format_time(sum.seconds);
    if (first > 0) text += " (" + text::format_percent(sum.seconds / first - 1) + ")";
    if (first == 0) first = sum.seconds;
  }
  if (!missing.empty())
    text += (text.empty() ? "" : "; ") + std::string("some cases were not measured for ") + missing;
  return Paragraph{.text = {Span{"weighted by " + experiment.weight + ": " + text}}};
}

}  // namespace apod::show
