#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/curve_axes.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/explanation.hpp"
#include "benchmarks/show/figures.hpp"
#include "benchmarks/show/limit.hpp"
#include "benchmarks/show/run_result.hpp"

namespace apod::show {
namespace {

/// A smaller share says nothing.
constexpr double worth_naming = 0.01;
constexpr std::size_t most_found = 3;
constexpr std::size_t longest_label = 60;

std::string limit_line(const Cases& cases, const std::vector<std::string>& labels) {
  const auto nearest_of = [](const Cases& some) {
    return std::ranges::max(some, {}, [](const auto* one) { return sure_share(*one); });
  };
  const auto reaches = [&](const CaseSummary* c) {
    const auto at = static_cast<std::size_t>(std::ranges::find(cases, c) - cases.begin());
    return text::shorten(text::printable(labels[at]), longest_label) + " reaches " +
           limit_of(*c).text();
  };
  std::map<Bound, Cases> limited;
  for (const auto* c : cases) {
    if (const auto limit = limit_of(*c); limit.is_limit()) limited[limit.bound].push_back(c);
  }
  std::vector<std::pair<Bound, Cases>> limits(limited.begin(), limited.end());
  std::ranges::stable_sort(
      limits, [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::string text;
  for (const auto& [bound, some] : limits) {
    const auto where = some.size() == cases.size() ? std::string()
                       : text.empty() ? fmt::format(" in {} of {} cases", some.size(), cases.size())
                                      : fmt::format(" in {}", some.size());
    text += fmt::format("{}by {}{}: {}", text.empty() ? "Limited " : "; ", to_string(bound), where,
                        reaches(nearest_of(some)));
  }
  if (!text.empty()) return text + ".";
  const auto* nearest = nearest_of(cases);
  if (sure_share(*nearest) < worth_naming) return "";
  return (limit_of(*nearest).is_near() ? "Nearest ceiling: " : "Not near a limit: ") +
         reaches(nearest) + ".";
}

struct Found {
  std::string id;
  std::size_t cases = 0;
  double gain = 0;
  bool warns = false;
};

/// What warns in some case, with all cases that have it; what costs most comes first.
std::vector<Found> found_in(const Cases& cases) {
  std::map<std::string, Found> by_id;
  for (const auto* summary : cases) {
    std::map<std::string, double> here;
    for (const auto& finding : summary->findings) {
      by_id[finding.id].warns |= finding.severity == Severity::warning;
      double& gain = here[finding.id];
      gain = std::max(gain, finding.gain);
    }
    for (const auto& [id, gain] : here) {
      Found& found = by_id[id];
      found.id = id;
      ++found.cases;
      found.gain = std::max(found.gain, gain);
    }
  }
  std::vector<Found> all;
  for (auto& [id, found] : by_id) {
    if (found.warns) all.push_back(std::move(found));
  }
  std::ranges::stable_sort(all, std::greater(), &Found::gain);
  return all;
}

/// Whether a run with --explain could trace the cases: those that bench launches on a GPU.
bool can_be_explained(const Result& result) {
  if (!result.environment.producer.empty() || is_measured_on_host(result.environment)) return false;
  return std::ranges::any_of(result.plan.experiments, [](const Experiment& experiment) {
    return !experiment.command || !experiment.command->finds_cases();
  });
}

/// Empty where there is nothing to say.
Text found_line(const Result& result, const Cases& cases) {
  const auto found = found_in(cases);
  if (found.empty()) {
    const bool traced = std::ranges::any_of(cases, [](const CaseSummary* summary) {
      return !summary->profile->empty() || summary->fact("span") != nullptr;
    });
    if (traced) return no_cause;
    return can_be_explained(result) ? "Not traced: to see where the time goes, add --explain."
                                    : Text{};
  }
  Text text{{"Found: "}};
  for (std::size_t i = 0; i < std::min(found.size(), most_found); ++i) {
    if (i > 0) text.spans.push_back({"; "});
    text.spans.push_back({found[i].id, Tone::warning});
    std::string where = fmt::format(" in {} of {} cases", found[i].cases, cases.size());
    if (found[i].gain >= 0.001)
      where += fmt::format(", costs up to {} of the time", text::format_percent(found[i].gain));
    text.spans.push_back({where});
  }
  if (found.size() > most_found)
    text.spans.push_back({fmt::format("; and {} more", found.size() - most_found)});
  text.spans.push_back({"."});
  return text;
}

}  // namespace

std::string explanation_anchor(std::size_t case_index) {
  return "x" + std::to_string(case_index);
}

List at_a_glance(const Result& result, const std::vector<CaseSummary>& summaries) {
  List list;
  const Cases cases = measured_cases(summaries);
  if (cases.empty()) return list;
  const std::string limit = limit_line(cases, case_labels(result, cases));
  if (!limit.empty()) list.items.push_back({limit});
  if (Text found = found_line(result, cases); !found.spans.empty())
    list.items.push_back({std::move(found)});
  return list;
}

Cell finding_cell(const CaseSummary& summary) {
  if (summary.findings.empty()) return {};
  const Finding& worst = summary.findings.front();
  const bool warns = worst.severity == Severity::warning;
  Cell cell{.text = worst.id, .tone = warns ? Tone::warning : Tone::plain};
  if (summary.status == CaseStatus::measured) cell.to = explanation_anchor(summary.info->index);
  return cell;
}

}  // namespace apod::show
