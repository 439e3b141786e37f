#pragma once

#include <sstream>

#include "benchmarks/report/finding_text.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::report {

// For `bench inspect`, until it builds a Document.
inline std::vector<std::string> timeline_lines(const std::map<std::string, double>& facts,
                                               std::size_t width) {
  const auto line = timeline_line(facts);
  return line.empty() ? std::vector<std::string>{} : text::wrap(line, width);
}
inline void write_findings(std::ostream& out, const std::vector<Finding>& findings,
                           const ConsoleStyle& style) {
  Document document;
  document.add(Heading{2, {"findings"}});
  document.add(findings_list(findings));
  if (findings.empty()) document.add(Paragraph{"nothing was found that loses time"});
  std::ostringstream text;
  render_terminal(text, document, style);
  out << text.str().substr(text.str().find('\n') + 1);  // the command prints the heading
}
inline void write_findings_csv(std::ostream& out, const std::vector<Finding>& findings) {
  render_csv(out, findings_table(findings));
}

}  // namespace apod::report
