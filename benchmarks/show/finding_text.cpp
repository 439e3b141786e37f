#include "benchmarks/show/finding_text.hpp"

#include <fmt/format.h>

#include "benchmarks/base/kernel_name.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/estimate_text.hpp"

namespace apod::show {
namespace {

/// Templates have names of a thousand characters; more than this says no more.
constexpr std::size_t longest_subject = 80;

std::string subject_of(const Finding& finding) {
  if (finding.subject.empty()) return "";
  const char last = finding.subject.back();
  const bool is_long =
      finding.subject.size() > longest_subject && (last == '>' || last == ']' || last == ')');
  return ": " + (is_long ? short_kernel_name(finding.subject) : finding.subject);
}

}  // namespace

std::string timeline_line(const std::map<std::string, double>& facts) {
  std::string line;
  const auto is = [&](const char* fact, double number) {
    const auto found = facts.find(fact);
    return found != facts.end() && found->second == number;
  };
  const auto add = [&](const char* fact, const char* words) {
    const auto found = facts.find(fact);
    if (found == facts.end()) return;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", words, fact_text(fact, found->second));
  };
  const bool copies = !is("copies", 0);
  add("span", "span");
  add("busy", "busy");
  if (!facts.contains("busy")) add("idle", "idle");
  add("longest_gap", "longest gap");
  add("kernel_time", "in kernels");
  if (copies) add("copy_time", "in copies");
  if (!is("traced_streams", 1)) {
    add("overlap", "two or more at once");
    if (copies) add("copy_kernel_overlap", "copies beside kernels");
    add("kernel_overlap", "kernels beside kernels");
  }
  add("traced_streams", "streams");
  add("kernels", "kernels");
  if (copies) add("copies", "copies");
  add("occupancy", "occupancy");
  add("launch_latency", "launch latency");
  add("host_wait", "host waits");
  return line;
}

std::string gain_text(const Finding& finding) {
  constexpr double least_shown = 0.00005;
  if (!(finding.gain >= least_shown)) return "";
  return " (up to " + text::format_percent(finding.gain) + " of the time)";
}

List findings_list(const std::vector<Finding>& findings) {
  List list;
  for (const auto& finding : findings) {
    const bool warns = finding.severity == Severity::warning;
    auto& item = list.items.emplace_back();
    item.text = {{std::string(to_string(finding.severity)) + " "},
                 {finding.id, warns ? Tone::warning : Tone::strong},
                 {subject_of(finding) + gain_text(finding)}};
    for (const auto* text : {&finding.evidence, &finding.advice}) {
      if (!text->empty()) item.more.emplace_back(*text);
    }
  }
  return list;
}

Table findings_table(const std::vector<Finding>& findings) {
  Table table{"", {{"id"}, {"severity"}, {"subject"}, {"evidence"}, {"advice"}, {"gain"}}};
  for (const auto& finding : findings) {
    table.rows.push_back({{{finding.id},
                           {std::string(to_string(finding.severity))},
                           {finding.subject},
                           {finding.evidence},
                           {finding.advice},
                           {"", Tone::plain, finding.gain}}});
  }
  return table;
}

}  // namespace apod::show
