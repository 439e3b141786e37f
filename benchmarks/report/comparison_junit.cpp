#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "benchmarks/report/comparison_view.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::report {
namespace {

/// Printable text as XML 1.0 has it, in an attribute or between tags. U+FFFE and U+FFFF are
/// characters of UTF-8 that XML has no room for.
std::string xml(const std::string& text) {
  std::string escaped;
  const std::string clean = text::printable(text);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    const std::string_view three = std::string_view(clean).substr(i, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
      escaped += "\uFFFD";
      i += 2;
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// What a case's verdict is for a CI system; nullptr: it passed.
const char* element_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regression:
    case Verdict::missing:
      return "failure";
    case Verdict::invalid:
      return "error";
    case Verdict::inconclusive:
    case Verdict::added:
      return "skipped";
    case Verdict::improvement:
    case Verdict::small:
    case Verdict::unchanged:
    case Verdict::identical:
      return nullptr;
  }
  return nullptr;
}

std::size_t count_of(const Comparison& comparison, std::string_view element) {
  std::size_t count = 0;
  for (const auto& c : comparison.cases) {
    const char* own = element_of(c.verdict);
    count += own != nullptr && own == element ? 1 : 0;
  }
  return count;
}

std::string comparison_message_of(const CaseComparison& c) {
  std::string text(to_string(c.verdict));
  if (is_judged(c)) text += ": " + times_of(c);
  if (!c.reason.empty()) text += ": " + c.reason;
  return text;
}

void write_case(std::ostream& out, const CaseComparison& c) {
  out << "    <testcase classname=\"bench.compare\" name=\"" << xml(c.name) << '"';
  if (c.new_s > 0 && std::isfinite(c.new_s)) out << fmt::format(" time=\"{:.9f}\"", c.new_s);
  out << ">\n";
  std::string body;
  for (const auto& line : remarks(c)) body += xml(line) + "\n";
  if (const char* element = element_of(c.verdict)) {
    out << fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", element,
                       xml(comparison_message_of(c)), to_string(c.verdict), body);
  } else {
    out << "      <system-out>" << xml(comparison_message_of(c)) << "\n"
        << body << "</system-out>\n";
  }
  out << "    </testcase>\n";
}

}  // namespace

void write_comparison_junit(std::ostream& out, const Comparison& comparison) {
  // A suite without a failure would pass; one that compared nothing, or not all, must not.
  const bool ended = ended_early(comparison);
  const bool broken = ended || count_compared(comparison) == 0;
  const std::string verdict = xml(verdict_line(comparison));
  const std::string counts = fmt::format(
      "tests=\"{}\" failures=\"{}\" errors=\"{}\"", comparison.cases.size() + (broken ? 1 : 0),
      count_of(comparison, "failure"), count_of(comparison, "error") + (broken ? 1 : 0));
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out << "<testsuites name=\"bench compare\" " << counts << ">\n";
  out << "  <testsuite name=\"" << xml(comparison.base) << " -&gt; " << xml(comparison.new_side)
      << "\" " << counts << " skipped=\"" << count_of(comparison, "skipped") << "\">\n";
  out << "    <properties>\n      <property name=\"verdict\" value=\"" << verdict << "\"/>\n";
  for (const auto& line : comparison.environment) {
    out << "      <property name=\"environment\" value=\"" << xml(line) << "\"/>\n";
  }
  for (const auto& line : notes(comparison)) {
    out << "      <property name=\"note\" value=\"" << xml(line) << "\"/>\n";
  }
  out << "    </properties>\n";
  if (broken) {
    out << fmt::format(
        "    <testcase classname=\"bench.compare\" name=\"{}\">\n"
        "      <error message=\"{}\" type=\"{}\">{}</error>\n    </testcase>\n",
        ended ? "everything was compared" : "something was compared", verdict,
        ended ? "incomplete" : "nothing_compared", xml(comparison.failure));
  }
  for (const auto* c : in_report_order(comparison)) write_case(out, *c);
  out << "  </testsuite>\n</testsuites>\n";
}

}  // namespace apod::report
