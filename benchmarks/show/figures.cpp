#include "benchmarks/show/figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/base/steps.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::show {
namespace {

/// The place among the kinds of work that a timeline or a step has: the parts of a step, then
/// ranges.
std::optional<std::size_t> kind_of(const std::string& series) {
  if (series == "copies") return static_cast<std::size_t>(StepPart::copies);
  if (series == "ranges") return step_parts;
  const auto part = parse<StepPart>(series);
  return part ? std::optional(static_cast<std::size_t>(*part)) : std::nullopt;
}

}  // namespace

figure::Color Page::color_of(const std::string& series) {
  if (series.empty()) return {};
  if (const auto kind = kind_of(series)) return {figure::Color::Meaning::kind, *kind};
  const auto [found, is_new] = colors_.emplace(series, colors_.size());
  return {figure::Color::Meaning::series, found->second};
}

std::string anchor_of(const Case& c) {
  return "c" + std::to_string(c.index);
}

std::string Page::figure_id(const std::string& name) {
  std::string id = "figure-" + text::slug(name);
  std::replace(id.begin(), id.end(), '.', '-');
  const std::size_t count = ++figures_[id];
  return count == 1 ? id : fmt::format("{}-{}", id, count);
}

Cases measured_cases(const std::vector<CaseSummary>& summaries,
                     std::optional<std::size_t> experiment) {
  Cases cases;
  for (const auto& summary : summaries) {
    if (summary.status != CaseStatus::measured) continue;
    if (!experiment || summary.info->experiment == *experiment) cases.push_back(&summary);
  }
  return cases;
}

}  // namespace apod::show
