#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "benchmarks/base/clock_states.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/curve_axes.hpp"

namespace apod::show {
namespace {

using figure::Figure;
using figure::Look;

constexpr std::size_t most_strips = 24;
constexpr std::size_t most_samples = 60;  ///< of a process that are drawn
/// Beyond this quantile of all differences, times the factor, samples are only counted.
constexpr double quantile = 0.98;
constexpr double beyond = 1.6;
constexpr std::size_t most_distributions = 8;  ///< of the distribution functions
constexpr std::size_t steps = 50;
constexpr std::size_t longest_case = 60;  ///< in a title

using Processes = std::map<std::size_t, std::vector<const Measurement*>>;

Processes sampled_processes(const Result& result) {
  Processes processes;
  for (const auto& measurement : result.measurements) {
    if (measurement.failed.empty() && measurement.samples_s.size() > 1)
      processes[measurement.case_index].push_back(&measurement);
  }
  return processes;
}

/// Those whose samples differ most, as far as there is room, in the order of the plan.
Cases chosen(const std::vector<CaseSummary>& summaries, const Processes& processes) {
  Cases cases;
  for (const auto* summary : measured_cases(summaries)) {
    if (processes.contains(summary->info->index) && summary->time().value > 0)
      cases.push_back(summary);
  }
  std::ranges::stable_sort(cases, std::greater(),
                           [](const CaseSummary* c) { return c->value("sample_spread"); });
  std::size_t strips = 0;
  std::size_t kept = 0;
  while (kept < cases.size()) {
    strips += processes.at(cases[kept]->info->index).size();
    if (strips > most_strips && kept > 0) break;
    ++kept;
  }
  cases.resize(kept);
  std::ranges::sort(cases, {}, [](const CaseSummary* c) { return c->info->index; });
  return cases;
}

}  // namespace

Figure samples_figure(const Result& result, const std::vector<CaseSummary>& summaries, Page& page) {
  Figure figure;
  const Processes processes = sampled_processes(result);
  const Cases cases = chosen(summaries, processes);
  if (cases.empty()) return figure;
  figure::Panel panel;
  panel.series = {
      {"samples", figure::Mark::ticks, {}, {figure::Color::Meaning::undecided}},
      {"at the lower clock", figure::Mark::ticks, {}, page.color_of("at the lower clock")},
      {"throttled", figure::Mark::ticks, {}, {figure::Color::Meaning::worse}},
      {"median of the process", figure::Mark::dots, {}, page.color_of("median of the process")}};
  const auto labels = case_labels(result, cases);
  std::vector<double> differences;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& measured = processes.at(cases[i]->info->index);
    const double time = cases[i]->time().value;
    const auto states = clock_states(measured);
    const double middle = states ? (states->slow.mhz + states->fast.mhz) / 2 : 0;
    for (const auto* measurement : measured) {
      const auto row = static_cast<double>(panel.rows.size());
      panel.rows.push_back(fmt::format("{} #{}", labels[i], measurement->process));
      const auto& samples = measurement->samples_s;
      // Odd, so that it meets each phase of a launch.
      const std::size_t step = (samples.size() + most_samples - 1) / most_samples | 1;
      for (std::size_t k = 0; k < samples.size(); k += step) {
        const double difference = samples[k] / time - 1;
        const bool throttled = k < measurement->throttled.size() && measurement->throttled[k] != 0;
        const auto& clocks = measurement->clock.sample_mhz;
        const bool low = k < clocks.size() && clocks[k] > 0 && clocks[k] < middle;
        differences.push_back(std::abs(difference));
        panel.series[throttled ? 2
                     : low     ? 1
                               : 0]
            .points.push_back({difference, row, figure::no_value, figure::no_value, "", "",
                               throttled ? Look::cross : Look::plain});
      }
      const auto summary = summarize_process(*measurement);
      panel.series[3].points.push_back(
          {summary.median_s / time - 1, row, figure::no_value, figure::no_value,
           fmt::format("{}: median {} of {} samples", panel.rows.back(),
                       text::format_time(summary.median_s), summary.samples),
           anchor_of(*cases[i]->info)});
    }
  }
  std::ranges::sort(differences);
  const auto at = static_cast<std::size_t>(quantile * static_cast<double>(differences.size() - 1));
  const double limit = std::max(differences[at] * beyond, 1e-4);
  std::size_t far = 0;
  for (auto& series : panel.series) {
    if (series.mark != figure::Mark::ticks) continue;
    far +=
        std::erase_if(series.points, [&](const figure::Point& p) { return std::abs(p.x) > limit; });
  }
  std::erase_if(panel.series, [](const figure::Series& s) { return s.points.empty(); });
  const auto widest = std::ranges::max_element(
      cases, {}, [](const CaseSummary* c) { return c->value("sample_spread"); });
  figure.id = page.figure_id("samples");
  figure.x = {"difference from the time of the case", text::Unit::share};
  figure.title = fmt::format(
      "Samples of each process: the widest spread is in {} (interquartile range {})",
      text::shorten(text::printable(labels[static_cast<std::size_t>(widest - cases.begin())]),
                    longest_case),
      text::format_percent((*widest)->value("sample_spread")));
  figure.description = "a strip for each process of a case, a line for each sample";
  if (far > 0) {
    figure.notes.push_back(fmt::format("{} not drawn: more than {} from the time of the case",
                                       text::counted(far, "sample"), text::format_percent(limit)));
  }
  const std::size_t all = processes.size();
  if (cases.size() < all) {
    figure.notes.push_back(
        fmt::format("shown: the {} of {} cases with the widest spread", cases.size(), all));
  }
  panel.guides.push_back(figure::upright_guide("", 0));
  figure.panels.push_back(std::move(panel));
  return figure;
}

Figure distribution_figure(const Result& result, const std::vector<CaseSummary>& summaries,
                           Page& page) {
  Figure figure;
  const Processes processes = sampled_processes(result);
  Cases cases = chosen(summaries, processes);
  if (cases.size() > most_distributions) cases.resize(most_distributions);
  const auto labels = case_labels(result, cases);
  figure::Panel panel;
  double farthest = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::vector<double> all;
    for (const auto* measurement : processes.at(cases[i]->info->index)) {
      for (std::size_t k = 0; k < measurement->samples_s.size(); ++k) {
        const bool throttled = k < measurement->throttled.size() && measurement->throttled[k] != 0;
        if (!throttled) all.push_back(measurement->samples_s[k] / cases[i]->time().value - 1);
      }
    }
    if (all.size() < 2) continue;
    std::ranges::sort(all);
    figure::Series line{labels[i], figure::Mark::line, {}, page.color_of(labels[i])};
    const auto last = static_cast<double>(all.size() - 1);
    for (std::size_t step = 0; step <= steps; ++step) {
      const double share = static_cast<double>(step) / steps;
      const double difference = all[static_cast<std::size_t>(share * last)];
      // The slowest few would squeeze all others.
      if (share > quantile) break;
      farthest = std::max(farthest, difference);
      line.points.push_back({difference, share});
    }
    panel.series.push_back(std::move(line));
  }
  if (panel.series.empty()) return figure;
  figure.id = page.figure_id("distribution");
  figure.x = {"difference from the time of the case", text::Unit::share};
  figure.y = {"share of the samples that took this time or less", text::Unit::share,
              figure::Scale::linear, true};
  figure.title = fmt::format("{} of the samples are at most {} slower than the time of their case",
                             text::format_percent(quantile), text::format_percent(farthest));
  figure.description = "empirical distribution functions; all processes of a case are combined";
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace apod::show
