#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "benchmarks/report/comparison_view.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::report {
namespace {

/// GitHub shows this many errors of one step.
constexpr std::size_t most_annotations = 10;
constexpr std::size_t longest_title = 200;
constexpr std::size_t longest_message = 2000;

/// What the runner takes back after it split the command: `%` in a message, and in a property also
/// the characters that end it. Line breaks are gone already.
std::string escaped(const std::string& text, std::size_t width, std::string_view special) {
  std::string result;
  for (const char c : text::shorten(text::printable(text), width)) {
    const bool is_special = special.find(c) != std::string_view::npos;
    result += is_special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return result;
}

void annotate(std::ostream& out, const std::string& title, const std::string& message) {
  out << "::error title=" << escaped(title, longest_title, "%:,")
      << "::" << escaped(message, longest_message, "%") << '\n';
}

std::string message_of(const CaseComparison& c) {
  std::vector<std::string> parts;
  if (is_judged(c)) parts.push_back(times_of(c));
  for (auto& line : remarks(c)) parts.push_back(std::move(line));
  // A command without a message is not an annotation.
  return parts.empty() ? std::string(to_string(c.verdict))
                       : fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

void write_annotations(std::ostream& out, const Comparison& comparison) {
  auto cases = in_report_order(comparison);
  const auto end = std::find_if(cases.begin(), cases.end(),
                                [](const auto* c) { return !is_problem(c->verdict); });
  cases.erase(end, cases.end());
  std::size_t room = most_annotations;
  if (count_compared(comparison) == 0 || ended_early(comparison)) {
    const auto& why = comparison.failure;
    annotate(out, "bench compare", verdict_line(comparison) + (why.empty() ? "" : "; " + why));
    --room;
  }
  const std::size_t shown = cases.size() > room ? room - 1 : cases.size();
  for (std::size_t i = 0; i < shown; ++i) {
    annotate(out,
             fmt::format("{}: {}", to_string(cases[i]->verdict), text::printable(cases[i]->name)),
             message_of(*cases[i]));
  }
  if (shown < cases.size()) {
    annotate(out, "bench compare",
             fmt::format("and {} more; {}", cases.size() - shown, verdict_line(comparison)));
  }
}

}  // namespace apod::report
