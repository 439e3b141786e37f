#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "benchmarks/report/comparison_view.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::report {
namespace {

/// A comparison of more cases than this only counts those that did not change ...
constexpr std::size_t short_list = 20;
/// ... and of any other verdict this many are listed.
constexpr std::size_t long_list = 100;
/// Names up to this width survive in a table that does not fit; longer ones are said once more, in
/// full, for a person to copy.
constexpr std::size_t short_name = 24;
/// Columns by which what is said about a case stands further in than its row.
constexpr std::size_t remark_indent = 4;
/// A page whose lines are shorter is not wrapped to its width.
constexpr std::size_t least_width = 40;

class TextReport {
 public:
  TextReport(std::ostream& out, const ConsoleStyle& style)
      : out_(out),
        style_(style),
        width_(std::max(static_cast<std::size_t>(std::max(style.width, 0)), least_width)) {}

  void head(const Comparison& comparison) {
    const bool bad = std::any_of(comparison.cases.begin(), comparison.cases.end(),
                                 [](const auto& c) { return is_problem(c.verdict); }) ||
                     count_judged(comparison) == 0 || ended_early(comparison);
    out_ << paint(verdict_line(comparison), bad ? Tone::bad : Tone::title, style_) << '\n';
    out_ << "base: " << text::printable(comparison.base) << '\n';
    out_ << "new:  " << text::printable(comparison.new_side) << '\n';
  }

  void section(const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out_ << '\n' << paint(title, Tone::title, style_) << '\n';
    for (const auto& line : lines) {
      const auto parts = text::wrap(text::printable(line), width_ - 4);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        out_ << (i == 0 ? "  " : "    ") << parts[i] << '\n';
      }
    }
  }

  void cases(const Comparison& comparison) {
    if (comparison.cases.empty()) return;
    const auto listed = list_of(comparison);
    Table bare = case_columns();
    for (const auto* c : listed) bare.rows.push_back(case_row(*c));
    const bool names_in_full = width_of(bare) <= width_;
    Table table = case_columns();
    std::vector<std::string> last;
    for (std::size_t i = 0; i < listed.size(); ++i) {
      table.rows.push_back(std::move(bare.rows[i]));
      auto lines = remarks(*listed[i]);
      const bool repeated = !lines.empty() && lines == last;
      last = lines;
      if (repeated) lines = {"(the same)"};
      const std::string name = text::printable(listed[i]->name);
      const bool shortened = !names_in_full && text::display_width(name) > short_name;
      if (shortened && !lines.empty()) add_remark(table, name);
      for (const auto& line : lines) add_remark(table, line);
    }
    add_counts(comparison, listed, table);
    out_ << '\n';
    print(out_, std::move(table), style_);
  }

 private:
  static std::vector<const CaseComparison*> list_of(const Comparison& comparison) {
    const bool is_long = comparison.cases.size() > short_list;
    std::map<Verdict, std::size_t> used;
    std::vector<const CaseComparison*> listed;
    for (const auto* c : in_report_order(comparison)) {
      const std::size_t room = c->verdict == Verdict::unchanged && is_long ? 0 : long_list;
      if (used[c->verdict]++ < room) listed.push_back(c);
    }
    return listed;
  }

  void add_remark(Table& table, const std::string& line) const {
    // The table indents its headings by two columns of its own.
    const std::size_t room = width_ - remark_indent - 2;
    for (const auto& part : text::wrap(line, room)) {
      table.rows.push_back({{text::repeat(" ", remark_indent) + part, Tone::dim}});
    }
  }

  /// What the list leaves out.
  static void add_counts(const Comparison& comparison,
                         const std::vector<const CaseComparison*>& listed, Table& table) {
    std::map<Verdict, std::size_t> left_out;
    for (const auto& c : comparison.cases) ++left_out[c.verdict];
    for (const auto* c : listed) --left_out[c->verdict];
    for (const auto& [verdict, count] : left_out) {
      if (count == 0) continue;
      table.rows.push_back({{fmt::format("and {} {}, not listed: --out FILE.json has every case",
                                         count_of_cases(count), to_string(verdict)),
                             Tone::dim}});
    }
  }

  std::ostream& out_;
  const ConsoleStyle& style_;
  std::size_t width_;
};

}  // namespace

void write_comparison_text(std::ostream& out, const Comparison& comparison,
                           const ConsoleStyle& style) {
  TextReport report(out, style);
  report.head(comparison);
  report.section("environment: what differs", comparison.environment);
  report.cases(comparison);
  report.section("warnings of cases without a change", quiet_warnings(comparison));
  const bool open = comparison.count(Verdict::inconclusive) > 0;
  report.section(open ? "what would settle the inconclusive cases" : "what could have been seen",
                 sensitivity(comparison));
  report.section("notes", notes(comparison));
}

}  // namespace apod::report
