#include "benchmarks/report/findings_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ostream>

#include "benchmarks/report/csv_row.hpp"
#include "benchmarks/report/kernel_table.hpp"
#include "benchmarks/report/table.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

constexpr std::size_t text_indent = 4;
/// Of a subject so much is shown on any terminal: templates have names of a thousand characters.
constexpr std::size_t shortest_subject = 24;

std::size_t width_of(const ConsoleStyle& style) {
  return static_cast<std::size_t>(std::max(style.width, 40));
}

void write_paragraph(std::ostream& out, const std::string& text, const ConsoleStyle& style) {
  if (text.empty()) return;
  for (const auto& line : text::wrap(text::printable(text), width_of(style) - text_indent)) {
    out << text::repeat(" ", text_indent) << line << '\n';
  }
}

/// "warning small-grid: void sum<float> (up to 12.0 % of the time)"
void write_head(std::ostream& out, const Finding& finding, const ConsoleStyle& style) {
  const auto id = text::printable(finding.id);
  const auto severity = std::string(to_string(finding.severity));
  const auto gain = gain_text(finding);
  out << "  " << severity << ' '
      << paint(id, finding.severity == Severity::warning ? Tone::warning : Tone::title, style);
  if (!finding.subject.empty()) {
    const auto rest = 2 + severity.size() + 1 + text::display_width(id) + 2 + gain.size();
    const auto room = std::max(shortest_subject, width_of(style) - std::min(width_of(style), rest));
    const auto subject = text::printable(finding.subject);
    const bool has_template = subject.ends_with('>') || subject.ends_with(']');
    const bool fits = text::display_width(subject) <= room;
    out << ": "
        << text::shorten(has_template && !fits ? short_kernel_name(subject) : subject, room);
  }
  out << gain << '\n';
}

}  // namespace

std::vector<std::string> timeline_lines(const std::map<std::string, double>& facts,
                                        std::size_t width) {
  std::vector<std::string> lines;
  const auto is = [&](const char* fact, double number) {
    const auto found = facts.find(fact);
    return found != facts.end() && found->second == number;
  };
  const auto add = [&](const char* fact, const char* words, const auto& format) {
    const auto found = facts.find(fact);
    if (found == facts.end()) return;
    const auto item = fmt::format("{} {}", words, format(found->second));
    if (lines.empty()) return lines.push_back(item);
    lines.back() += ',';
    if (text::display_width(lines.back()) + 1 + item.size() + 1 > width)
      return lines.push_back(item);
    lines.back() += ' ' + item;
  };
  const auto count = [](double number) { return fmt::format("{:.0f}", number); };
  add("span", "span", text::format_time);
  add("busy", "busy", text::format_percent);
  if (!facts.contains("busy")) add("idle", "idle", text::format_percent);
  add("longest_gap", "longest gap", text::format_time);
  add("kernel_time", "in kernels", text::format_time);
  const bool copies = !is("copies", 0);
  if (copies) add("copy_time", "in copies", text::format_time);
  if (!is("traced_streams", 1)) {
    add("overlap", "two or more at once", text::format_percent);
    if (copies) add("copy_kernel_overlap", "copies beside kernels", text::format_percent);
    add("kernel_overlap", "kernels beside kernels", text::format_percent);
  }
  add("traced_streams", "streams", count);
  add("kernels", "kernels", count);
  if (copies) add("copies", "copies", count);
  add("occupancy", "occupancy", text::format_percent);
  add("launch_latency", "launch latency", text::format_time);
  add("host_wait", "host waits", text::format_percent);
  return lines;
}

std::string timeline_line(const std::map<std::string, double>& facts) {
  const auto lines = timeline_lines(facts, std::numeric_limits<std::size_t>::max());
  return lines.empty() ? "" : lines.front();
}

std::string gain_text(const Finding& finding) {
  constexpr double least_shown = 0.00005;
  if (!(finding.gain >= least_shown)) return "";
  return " (up to " + text::format_percent(finding.gain) + " of the time)";
}

void write_findings(std::ostream& out, const std::vector<Finding>& findings,
                    const ConsoleStyle& style) {
  if (findings.empty()) {
    out << "  nothing was found that loses time\n";
    return;
  }
  for (const auto& finding : findings) {
    write_head(out, finding, style);
    write_paragraph(out, finding.evidence, style);
    write_paragraph(out, finding.advice, style);
  }
}

void write_findings_csv(std::ostream& out, const std::vector<Finding>& findings) {
  {
    CsvRow titles(out);
    for (const char* title : {"id", "severity", "subject", "evidence", "advice", "gain"}) {
      titles.add(std::string(title));
    }
  }
  for (const auto& finding : findings) {
    CsvRow row(out);
    row.add(finding.id);
    row.add(std::string(to_string(finding.severity)));
    row.add(finding.subject);
    row.add(finding.evidence);
    row.add(finding.advice);
    row.add(finding.gain);
  }
}

}  // namespace apod::report
