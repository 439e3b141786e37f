#include <utility>

#include "benchmarks/base/text/units.hpp"
#include "benchmarks/files/ceilings_file.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::show {

namespace {

/// A line for each ceiling; what was not measured says so.
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

}  // namespace

Report report_of(const Ceilings& ceilings) {
  return {.kind = files::FileKind::ceilings,
          .frame = {"bench"},
          .document = [&ceilings](Audience) { return ceilings_document(ceilings); },
          .json = [&ceilings](std::ostream& out) { files::write_ceilings(out, ceilings); }};
}

}  // namespace apod::show
