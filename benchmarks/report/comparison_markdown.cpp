#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "benchmarks/report/comparison_view.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::report {
namespace {

// GitHub refuses a step's summary of more than 1 MiB. Each part may fill the text up to its own
// mark, so that a long one leaves room for those below it.
constexpr std::size_t environment_mark = 50'000;
constexpr std::size_t changes_mark = 400'000;
constexpr std::size_t reasons_mark = 600'000;
constexpr std::size_t others_mark = 900'000;
constexpr std::size_t notes_mark = 1'000'000;
/// One name or sentence is no longer than this, in columns.
constexpr std::size_t longest_name = 200;
constexpr std::size_t longest_sentence = 1000;

std::string escaped(const std::string& text, std::size_t width) {
  return escape_markdown(text::shorten(text::printable(text), width));
}

class MarkdownReport {
 public:
  void add(const std::string& text) { text_ += text; }

  /// Adds what `piece(i)` says for each i, as long as the text stays below `mark`; then, where
  /// something was left out, a line with its number.
  template <class Piece>
  void add_within(std::size_t mark, std::size_t count, const char* what, const Piece& piece) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string part = piece(i);
      if (text_.size() + part.size() > mark) {
        text_ +=
            fmt::format("\n{} more {} left out: the summary may have 1 MiB\n", count - i, what);
        return;
      }
      text_ += part;
    }
  }

  void list(std::size_t mark, const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text_ += "\n### " + title + "\n\n";
    add_within(mark, lines.size(), "lines",
               [&](std::size_t i) { return "- " + escaped(lines[i], longest_sentence) + "\n"; });
  }

  void table(std::size_t mark, const std::vector<const CaseComparison*>& cases) {
    const Table columns = case_columns();
    std::ostringstream head;
    print_markdown(head, columns);
    text_ += head.str();
    add_within(mark, cases.size(), "cases", [&](std::size_t i) {
      std::ostringstream row;
      print_markdown_row(row, columns, case_row(*cases[i], longest_name));
      return row.str();
    });
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string reasons_of(const CaseComparison& c) {
  const auto lines = remarks(c);
  if (lines.empty()) return "";
  std::string text = fmt::format("- **{}**", escaped(c.name, longest_name));
  if (is_judged(c)) text += " (" + escape_markdown(change_of(c)) + ")";
  text += "\n";
  for (const auto& line : lines) text += "  - " + escaped(line, longest_sentence) + "\n";
  return text;
}

/// The cases that the table on top is about; the others are folded away.
bool is_on_top(const CaseComparison* c) {
  return is_change(c->verdict) || is_problem(c->verdict);
}

}  // namespace

void write_comparison_markdown(std::ostream& out, const Comparison& comparison) {
  auto cases = in_report_order(comparison);
  const auto middle = std::stable_partition(cases.begin(), cases.end(), is_on_top);
  const std::vector<const CaseComparison*> changed(cases.begin(), middle);
  const std::vector<const CaseComparison*> others(middle, cases.end());

  MarkdownReport report;
  report.add("## " + escaped(verdict_line(comparison), longest_sentence) + "\n\n");
  report.add("- base: " + escaped(comparison.base, longest_name) + "\n");
  report.add("- new: " + escaped(comparison.new_side, longest_name) + "\n");
  report.list(environment_mark, "Environment: what differs", comparison.environment);
  if (!changed.empty()) {
    report.add("\n### What changed\n\n");
    report.table(changes_mark, changed);
    report.add("\n### Why\n\n");
    report.add_within(reasons_mark, changed.size(), "cases",
                      [&](std::size_t i) { return reasons_of(*changed[i]); });
  }
  if (!others.empty()) {
    report.add(fmt::format("\n<details><summary>{}, no change shown</summary>\n\n",
                           count_of_cases(others.size())));
    report.table(others_mark, others);
    report.add("\n</details>\n");
  }
  report.list(notes_mark, "Sensitivity", sensitivity(comparison));
  report.list(notes_mark, "Notes", notes(comparison));
  out << report.text();
}

}  // namespace apod::report
