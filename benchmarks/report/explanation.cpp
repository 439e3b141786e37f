#include "benchmarks/report/explanation.hpp"

#include <algorithm>
#include <ostream>

#include "benchmarks/report/explanation_view.hpp"
#include "benchmarks/report/findings_text.hpp"
#include "benchmarks/report/text.hpp"

namespace apod::report {
namespace {

constexpr const char* nothing = "no case was traced, so nothing can be explained";

void write_finding(std::ostream& out, const Finding& finding) {
  const auto escaped = [](const std::string& text) { return escape_markdown(printable(text)); };
  out << "- **" << to_string(finding.severity) << "** " << escaped(finding.id);
  if (!finding.subject.empty()) out << ": " << escaped(finding.subject);
  out << gain_text(finding);
  for (const auto& text : {finding.evidence, finding.advice}) {
    if (!text.empty()) out << "  \n  " << escaped(text);
  }
  out << '\n';
}

}  // namespace

void write_explanation(std::ostream& out, const Result& result, const ConsoleStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 40)) - 2;
  out << '\n' << paint("explanation", Tone::title, style);
  out << "  of each case, from a traced run after the timed ones\n";
  const auto views = explain(result);
  if (views.empty()) out << "  " << nothing << '\n';
  for (const auto& view : views) {
    out << '\n' << paint(view.id, Tone::title, style);
    const bool fits = display_width(view.id) + display_width(view.time) <= width;
    out << (fits ? "  " : "\n  ") << view.time << '\n';
    for (const auto& line : timeline_lines(view.facts, width)) out << "  " << line << '\n';
    write_findings(out, view.findings, style);
    for (const auto& [title, table] : view.tables) {
      out << "  " << paint(title, Tone::dim, style) << '\n';
      print(out, table, style);
    }
  }
}

void write_explanation_markdown(std::ostream& out, const Result& result) {
  out << "\n## Explanation\n";
  const auto views = explain(result);
  if (views.empty()) out << "\nNo case was traced, so nothing can be explained.\n";
  for (const auto& view : views) {
    out << "\n### " << escape_markdown(view.id) << "\n\n" << escape_markdown(view.time);
    const auto timeline = timeline_line(view.facts);
    if (!timeline.empty()) out << ": " << escape_markdown(timeline);
    out << '\n';
    if (!view.findings.empty()) out << '\n';
    for (const auto& finding : view.findings) write_finding(out, finding);
    for (const auto& [title, table] : view.tables) {
      out << "\n" << escape_markdown(title) << "\n\n";
      print_markdown(out, table);
    }
  }
}

}  // namespace apod::report
