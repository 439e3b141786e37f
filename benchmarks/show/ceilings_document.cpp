#include "benchmarks/show/ceilings_document.hpp"

#include <utility>

#include "benchmarks/base/text/units.hpp"

namespace apod::show {

Document ceilings_document(const Ceilings& ceilings) {
  Table table{"", {{.name = "ceiling", .align = Align::left, .key = true}, {"measured"}}};
  for (const auto& row : named_ceilings(ceilings)) {
    const bool is_time = *row.unit == '\0';
    Cell cell{"not measured", Tone::dim};
    if (row.value > 0) {
      cell = {is_time ? text::format_time(row.value) : text::format_rate(row.value, row.unit),
              Tone::plain, row.value};
    }
    table.rows.push_back({{{row.name}, std::move(cell)}});
  }
  Document document;
  document.add(Heading{1, {ceilings.gpu}});
  document.add(std::move(table));
  return document;
}

}  // namespace apod::show
