#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "benchmarks/base/roofline.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/curve_axes.hpp"
#include "benchmarks/show/figure/text_width.hpp"
#include "benchmarks/show/figures.hpp"
#include "benchmarks/show/limit.hpp"

namespace apod::show {
namespace {

using figure::Figure;

constexpr std::size_t most_named = 12;     ///< points beside which their case stands
constexpr double widest_point_name = 190;  ///< px
constexpr double room_for_names = 4;       ///< times the largest intensity

/// A type of number, and its theoretical peak if a device tells one.
struct Precision {
  const char* name;
  Number type;
  double DeviceFacts::*peak;
};
constexpr std::array<Precision, 5> precisions{{
    {"fp32", Number::fp32, &DeviceFacts::peak_fp32_flops},
    {"fp64", Number::fp64, &DeviceFacts::peak_fp64_flops},
    {"fp16 in tensor cores", Number::fp16, nullptr},
    {"bf16 in tensor cores", Number::bf16, nullptr},
    {"TF32 in tensor cores", Number::tf32, nullptr},
}};

/// What each case computes most with; by case index.
std::map<std::size_t, const Precision*> precisions_of(const Result& result) {
  std::map<std::size_t, const Precision*> found;
  for (const auto& measurement : result.measurements) {
    const Precision* most = nullptr;
    const auto work =
        stated_work(measurement.traffic, result.plan.cases.at(measurement.case_index).params);
    for (const auto& precision : precisions) {
      const double here = work.flops(precision.type);
      if (here > 0 && (most == nullptr || here > work.flops(most->type))) most = &precision;
    }
    if (most != nullptr) found[measurement.case_index] = most;
  }
  return found;
}

/// What bytes are counted at: device memory, or the link to the host for cases that cross it.
struct Level {
  Scope scope;
  const char* id;
  const char* title;  ///< of the figure, behind the type of number
  const char* x_title;
};
constexpr std::array<Level, 2> levels{{
    {Scope::kernel, "", "", "arithmetic intensity, FLOP/B of device memory"},
    {Scope::end_to_end, " host link", ", over the host link", "FLOP/B over the host link"},
}};

/// FLOP per byte; 0 where one of them is not known.
double intensity_of(const Level& level, const CaseSummary& summary) {
  if (level.scope == Scope::kernel) return summary.roofline->intensity;
  const double bandwidth = summary.value("bandwidth");
  return summary.fact("transfer_bytes") != nullptr && bandwidth > 0
             ? summary.value("flops") / bandwidth
             : 0;
}

/// A roof that rises with the intensity.
struct Slope {
  std::string name;
  double bytes_per_s = 0;
};

/// The steepest first.
std::vector<Slope> slopes_of(const Level& level, const Ceilings& ceilings) {
  std::vector<Slope> slopes;
  const auto add = [&](const char* name, double rate) {
    if (rate > 0) {
      slopes.push_back(
          {fmt::format("{}, measured {}", name, text::format_rate(rate, "B/s", text::in_prose)),
           rate});
    }
  };
  if (level.scope == Scope::kernel) {
    add("memory", ceilings.read_bytes_per_s);
    return slopes;
  }
  add("both ways at once", ceilings.both_ways_bytes_per_s);
  add("one way", std::max(ceilings.h2d_pinned_bytes_per_s, ceilings.d2h_pinned_bytes_per_s));
  return slopes;
}

/// How fast the case would be at the L2's peak, by its counters; 0 where they were not read.
double at_l2_peak(const CaseSummary& summary) {
  const double counted = summary.value("l2_throughput");
  return counted > 0 ? summary.value("flops") / counted : 0;
}

Figure roofline_of(const Result& result, const Precision& precision, const Level& level,
                   const Cases& cases, Page& page) {
  Figure figure;
  const Ceilings& ceilings = *result.ceilings;
  const double arithmetic = ceilings.flops(precision.type);
  const auto slopes = slopes_of(level, ceilings);
  figure.id = page.figure_id(std::string("roofline ") + precision.name + level.id);
  figure.x = {level.x_title, text::Unit::ratio, figure::Scale::log10};
  figure.y = {"rate", text::Unit::flop_per_second, figure::Scale::log10};
  figure.description = "both scales are logarithmic; the roofs are measured ceilings";
  if (slopes.size() > 1) {
    figure.description += "; a case that copies more one way has its roof between the slopes";
  }
  figure::Panel panel;
  figure::Series l2{"rate that the L2's peak allows, from counters",
                    figure::Mark::dots,
                    {},
                    {figure::Color::Meaning::undecided}};
  // Where the steepest one meets the roof of arithmetic; without one, that roof is all there is.
  const double ridge = slopes.empty() ? 0 : arithmetic / slopes.front().bytes_per_s;
  double least = slopes.empty() ? std::numeric_limits<double>::infinity() : ridge;
  double most = ridge;
  const CaseSummary* best = cases.front();
  auto labels = case_labels(result, cases);
  for (auto& label : labels) label = text::printable(label);
  labels = figure::fitted_apart(labels, widest_point_name, 12);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto* summary = cases[i];
    const double intensity = intensity_of(level, *summary);
    const double rate = summary->value("flops");
    least = std::min(least, intensity);
    most = std::max(most, intensity);
    if (sure_share(*summary) > sure_share(*best)) best = summary;
    const auto& experiment = result.plan.experiment_of(*summary->info);
    const std::string name =
        summary->info->variant.empty() ? experiment.name : summary->info->variant;
    auto series =
        std::ranges::find_if(panel.series, [&](const figure::Series& s) { return s.name == name; });
    if (series == panel.series.end()) {
      series = panel.series.insert(panel.series.end(),
                                   {name, figure::Mark::dots, {}, page.color_of(name)});
    }
    figure::Point point{intensity, rate};
    point.text = summary->info->id + ": " + text::format_rate(rate, "FLOP/s");
    if (const Limit limit = limit_of(*summary); limit.nearest != Bound::unknown)
      point.text += ", " + limit.text();
    point.about = anchor_of(*summary->info);
    if (cases.size() <= most_named) point.name = labels[i];
    series->points.push_back(std::move(point));
    const double l2_roof = level.scope == Scope::kernel ? at_l2_peak(*summary) : 0;
    if (l2_roof > rate && l2_roof < arithmetic) {
      l2.points.push_back({intensity, l2_roof, rate, l2_roof,
                           fmt::format("{}: {} at the peak of {}", summary->info->id,
                                       text::format_rate(l2_roof, "FLOP/s"), l2_unit)});
    }
  }
  if (!l2.points.empty()) panel.series.push_back(std::move(l2));
  least /= 2;
  for (const auto& slope : slopes) {
    panel.guides.push_back(
        {slope.name,
         {{least, least * slope.bytes_per_s}, {arithmetic / slope.bytes_per_s, arithmetic}}});
  }
  panel.guides.push_back({fmt::format("{}, measured {}", precision.name,
                                      text::format_rate(arithmetic, "FLOP/s", text::in_prose)),
                          {{std::max(ridge, least), arithmetic},
                           {most * room_for_names, arithmetic},
                           {std::numeric_limits<double>::infinity(), arithmetic}}});
  const double peak = precision.peak == nullptr ? 0 : result.environment.device.*(precision.peak);
  if (peak > 0) {
    figure.description += "; dashed: the theoretical peak";
    panel.guides.push_back(figure::level_guide(
        "peak " + text::format_rate(peak, "FLOP/s", text::in_prose), peak, true));
  }
  figure.title = fmt::format("Roofline, {}{}", precision.name, level.title);
  if (const Limit limit = limit_of(*best); limit.nearest != Bound::unknown) {
    figure.title += fmt::format(": {} comes closest, with {}",
                                best->info->variant.empty() ? best->info->id : best->info->variant,
                                limit.text());
  }
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace

std::vector<Figure> roofline_figures(const Result& result,
                                     const std::vector<CaseSummary>& summaries, Page& page) {
  std::vector<Figure> figures;
  if (!result.ceilings) return figures;
  const auto known = precisions_of(result);
  for (const auto& level : levels) {
    for (const auto& precision : precisions) {
      Cases cases;
      for (const auto* summary : measured_cases(summaries)) {
        const auto found = known.find(summary->info->index);
        const bool is_it = found != known.end() && found->second == &precision;
        const bool belongs = result.plan.experiment_of(*summary->info).scope == level.scope;
        if (is_it && belongs && summary->roofline && intensity_of(level, *summary) > 0)
          cases.push_back(summary);
      }
      if (cases.empty() || !(result.ceilings->flops(precision.type) > 0)) continue;
      figures.push_back(roofline_of(result, precision, level, cases, page));
    }
  }
  return figures;
}

}  // namespace apod::show
