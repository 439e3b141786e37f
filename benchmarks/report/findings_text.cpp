#include "benchmarks/report/findings_text.hpp"

#include <fmt/format.h>

#include <ostream>

#include "benchmarks/report/csv_row.hpp"
#include "benchmarks/report/table.hpp"
#include "benchmarks/report/text.hpp"

namespace apod::report {
namespace {

constexpr std::size_t indent = 4;

void write_paragraph(std::ostream& out, const std::string& text, const ConsoleStyle& style) {
  if (text.empty()) return;
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  for (const auto& line : wrap(printable(text), width - indent)) {
    out << repeat(" ", indent) << line << '\n';
  }
}

}  // namespace

std::string timeline_line(const std::map<std::string, double>& facts) {
  std::string line;
  const auto add = [&](const char* fact, const char* words, const auto& format) {
    const auto found = facts.find(fact);
    if (found == facts.end()) return;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", words, format(found->second));
  };
  const auto count = [](double number) { return fmt::format("{:.0f}", number); };
  add("span", "span", format_time);
  add("busy", "busy", format_percent);
  add("idle", "idle", format_percent);
  add("longest_gap", "longest gap", format_time);
  add("kernel_time", "in kernels", format_time);
  add("copy_time", "in copies", format_time);
  add("overlap", "two or more at once", format_percent);
  add("copy_kernel_overlap", "copies beside kernels", format_percent);
  add("kernel_overlap", "kernels beside kernels", format_percent);
  add("traced_streams", "streams", count);
  add("kernels", "kernels", count);
  add("copies", "copies", count);
  add("occupancy", "occupancy", format_percent);
  add("launch_latency", "launch latency", format_time);
  add("host_wait", "host waits", format_percent);
  return line;
}

void write_findings(std::ostream& out, const std::vector<Finding>& findings,
                    const ConsoleStyle& style) {
  if (findings.empty()) {
    out << "  nothing was found that loses time\n";
    return;
  }
  for (const auto& finding : findings) {
    const bool warns = finding.severity == Severity::warning;
    out << "  " << to_string(finding.severity) << ' '
        << paint(printable(finding.id), warns ? Tone::warning : Tone::title, style);
    if (!finding.subject.empty()) out << ": " << printable(finding.subject);
    if (finding.gain > 0) out << " (up to " << format_percent(finding.gain) << " of the time)";
    out << '\n';
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
