#include "benchmarks/show/siblings_section.hpp"

#include <fmt/format.h>

#include <cmath>

#include "benchmarks/base/siblings.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/estimate_text.hpp"

namespace apod::show {

Document siblings_section(const std::vector<CaseSummary>& summaries) {
  Document document;
  Table table{"",
              {{.name = "device", .align = Align::left, .key = true},
               {"against the others"},
               {"the others apart"},
               {"cases"},
               {.name = "standing", .align = Align::left}}};
  std::string odd;
  for (const Sibling& one : siblings(summaries)) {
    const bool alike = one.standing == Standing::alike;
    const std::string standing(to_string(one.standing));
    table.rows.push_back({{{one.device},
                           {change_text(one.apart), Tone::plain, one.apart.value},
                           {text::format_percent(one.others_apart), Tone::plain, one.others_apart},
                           {std::to_string(one.cases)},
                           {standing, alike ? Tone::plain : Tone::warning}}});
    if (!alike) {
      odd += fmt::format("{}{} is {} {} than the others", odd.empty() ? "" : "; ", one.device,
                         text::format_percent(std::abs(one.apart.value)), standing);
    }
  }
  document.add(Heading{2,
                       {odd.empty() ? "no GPU is slower than the others" : odd,
                        odd.empty() ? Tone::good : Tone::warning}},
               std::move(table));
  return document;
}

}  // namespace apod::show
