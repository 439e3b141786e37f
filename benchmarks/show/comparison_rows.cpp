#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/show/comparison_report.hpp"
#include "benchmarks/show/comparison_view.hpp"

namespace apod::show {
namespace {

std::string one_line(const std::vector<std::string>& sentences) {
  std::string line;
  for (const auto& sentence : sentences) line += (line.empty() ? "" : "; ") + sentence;
  return line;
}

std::string causes_line(const CaseComparison& c) {
  std::vector<std::string> sentences;
  for (const auto& cause : c.causes) sentences.push_back(cause.text);
  return one_line(sentences);
}

}  // namespace

Table comparison_rows(const Comparison& comparison) {
  Table table;
  for (const char* name :
       {"name", "verdict", "base_s", "new_s", "change", "change_low", "change_high", "p_adjusted",
        "threshold", "detectable", "base_units", "new_units", "reason", "causes", "warnings"}) {
    table.columns.push_back({name});
  }
  for (const CaseComparison& c : comparison.cases) {
    const auto number = [](double value, bool known = true) {
      return known ? Cell{"", Tone::plain, value} : Cell{};
    };
    const bool judged = is_judged(c);
    table.rows.push_back({{{c.name},
                           {std::string(to_string(c.verdict))},
                           number(c.base_s, c.base_s > 0),
                           number(c.new_s, c.new_s > 0),
                           number(c.change, judged),
                           number(c.change_low, judged && std::isfinite(c.change_low)),
                           number(c.change_high, judged && std::isfinite(c.change_high)),
                           number(c.p_adjusted, judged && std::isfinite(c.p_adjusted)),
                           number(c.threshold),
                           number(c.detectable.value_or(0), c.detectable.has_value()),
                           number(static_cast<double>(c.base_units)),
                           number(static_cast<double>(c.new_units)),
                           {c.reason},
                           {causes_line(c)},
                           {one_line(c.warnings)}}});
  }
  return table;
}

}  // namespace apod::show
