#include "benchmarks/report/explanation.hpp"

#include <algorithm>
#include <ostream>

#include "benchmarks/report/explanation_view.hpp"
#include "benchmarks/report/text.hpp"

namespace apod::report {
namespace {

constexpr const char* nothing = "no case was traced, so nothing can be explained";

void write_lines(std::ostream& out, const std::string& text, std::size_t indent,
                 std::size_t width) {
  for (const auto& line : wrap(text, width - indent)) {
    out << repeat(" ", indent) << line << '\n';
  }
}

}  // namespace

void write_explanation(std::ostream& out, const Result& result, const CaseFindings& findings,
                       const ConsoleStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 20));
  out << '\n' << paint("explanation", Tone::title, style);
  out << "  of each case, from a traced run after the timed ones\n";
  const auto views = explain(result, findings);
  if (views.empty()) out << "  " << nothing << '\n';
  for (const auto& view : views) {
    out << '\n' << paint(view.id, Tone::title, style) << "  " << view.time << '\n';
    if (!view.timeline.empty()) write_lines(out, view.timeline, 2, width);
    for (const auto& finding : view.findings) {
      const bool warns = finding.severity == Severity::warning;
      const std::string word(to_string(finding.severity));
      out << "  " << paint(word, warns ? Tone::warning : Tone::plain, style) << "  " << finding.head
          << '\n';
      for (const auto& text : {finding.evidence, finding.advice}) {
        if (!text.empty()) write_lines(out, text, 4, width);
      }
    }
    for (const auto& [title, table] : view.tables) {
      out << "  " << paint(title, Tone::dim, style) << '\n';
      print(out, table, style);
    }
  }
}

void write_explanation_markdown(std::ostream& out, const Result& result,
                                const CaseFindings& findings) {
  out << "\n## Explanation\n";
  const auto views = explain(result, findings);
  if (views.empty()) out << "\nNo case was traced, so nothing can be explained.\n";
  for (const auto& view : views) {
    out << "\n### " << escape_markdown(view.id) << "\n\n" << escape_markdown(view.time);
    if (!view.timeline.empty()) out << ": " << escape_markdown(view.timeline);
    out << '\n';
    for (const auto& finding : view.findings) {
      out << (&finding == &view.findings.front() ? "\n" : "") << "- **"
          << to_string(finding.severity) << "** " << escape_markdown(finding.head);
      for (const auto& text : {finding.evidence, finding.advice}) {
        if (!text.empty()) out << "  \n  " << escape_markdown(text);
      }
      out << '\n';
    }
    for (const auto& [title, table] : view.tables) {
      out << "\n" << escape_markdown(title) << "\n\n";
      print_markdown(out, table);
    }
  }
}

}  // namespace apod::report
