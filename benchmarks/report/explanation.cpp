#include "benchmarks/report/explanation.hpp"

#include <algorithm>
#include <ostream>

#include "benchmarks/report/explanation_view.hpp"
#include "benchmarks/report/findings_text.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::report {
namespace {

void write_finding(std::ostream& out, const Finding& finding) {
  const auto escaped = [](const std::string& text) {
    return escape_markdown(text::printable(text));
  };
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
  out << "  of each case that was traced, from a run after the timed ones\n";
  for (const auto& remark : remarks(result)) {
    for (const auto& line : text::wrap(remark, width)) out << "  " << line << '\n';
  }
  for (const auto& view : explain(result)) {
    out << '\n' << paint(view.id, Tone::title, style);
    const bool fits = text::display_width(view.id) + text::display_width(view.time) <= width;
    out << (fits ? "  " : "\n  ") << view.time << '\n';
    for (const auto& line : timeline_lines(view.facts, width)) out << "  " << line << '\n';
    if (view.findings.empty()) {
      for (const auto& line : text::wrap(nothing_found(view), width)) out << "  " << line << '\n';
    } else {
      write_findings(out, view.findings, style);
    }
    for (const auto& [title, table] : view.tables) {
      out << "  " << paint(title, Tone::dim, style) << '\n';
      print(out, table, style);
    }
  }
}

void write_explanation_markdown(std::ostream& out, const Result& result) {
  out << "\n## Explanation\n";
  for (const auto& remark : remarks(result)) out << '\n' << escape_markdown(remark) << '\n';
  for (const auto& view : explain(result)) {
    out << "\n### " << escape_markdown(view.id) << "\n\n" << escape_markdown(view.time);
    const auto timeline = timeline_line(view.facts);
    if (!timeline.empty()) out << ": " << escape_markdown(timeline);
    out << '\n';
    out << '\n';
    if (view.findings.empty()) out << escape_markdown(nothing_found(view)) << '\n';
    for (const auto& finding : view.findings) write_finding(out, finding);
    for (const auto& [title, table] : view.tables) {
      out << "\n" << escape_markdown(title) << "\n\n";
      print_markdown(out, table);
    }
  }
}

}  // namespace apod::report
