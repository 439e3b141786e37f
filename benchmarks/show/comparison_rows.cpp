#include <cmath>
#include <string>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/comparison_report.hpp"
#include "benchmarks/show/comparison_view.hpp"

namespace apod::show {

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
                           {text::joined(c.causes, "; ", &Cause::text)},
                           {text::joined(c.warnings, "; ")}}});
  }
  return table;
}

}  // namespace apod::show
