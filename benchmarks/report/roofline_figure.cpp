#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "benchmarks/report/estimate_text.hpp"
#include "benchmarks/report/figures.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

using figure::Figure;

/// A type of number: its share of the work, its measured ceiling and its theoretical peak.
struct Precision {
  const char* name;
  double Traffic::*flops;
  double Ceilings::*ceiling;
  double DeviceFacts::*peak;
};
constexpr std::array<Precision, 4> precisions{{
    {"fp32", &Traffic::flops_fp32, &Ceilings::fp32_flops, &DeviceFacts::peak_fp32_flops},
    {"fp64", &Traffic::flops_fp64, &Ceilings::fp64_flops, &DeviceFacts::peak_fp64_flops},
    {"fp16 in tensor cores", &Traffic::flops_tensor, &Ceilings::tensor_fp16_flops, nullptr},
    {"TF32 in tensor cores", &Traffic::flops_tf32, &Ceilings::tensor_tf32_flops, nullptr},
}};

/// What each case computes most with; by case index.
std::map<std::size_t, const Precision*> precisions_of(const Result& result) {
  std::map<std::size_t, const Precision*> found;
  for (const auto& measurement : result.measurements) {
    const Precision* most = nullptr;
    for (const auto& precision : precisions) {
      const double here = measurement.traffic.*precision.flops;
      if (here > 0 && (most == nullptr || here > measurement.traffic.*(most->flops))) {
        most = &precision;
      }
    }
    if (most != nullptr) found[measurement.case_index] = most;
  }
  return found;
}

Figure roofline_of(const Result& result, const Precision& precision, const Cases& cases,
                   Page& page) {
  Figure figure;
  const Ceilings& ceilings = *result.ceilings;
  const double memory = ceilings.read_bytes_per_s;
  const double arithmetic = ceilings.*precision.ceiling;
  figure.id = page.figure_id(std::string("roofline ") + precision.name);
  figure.x = {"arithmetic intensity, FLOP/B of device memory", text::Unit::ratio,
              figure::Scale::log10};
  figure.y = {"rate", text::Unit::flop_per_second, figure::Scale::log10};
  figure.description =
      "both scales are logarithmic; the roofs are measured, dashed: the theoretical peak";
  figure::Panel panel;
  double least = memory > 0 ? arithmetic / memory : 1;
  double most = least;
  const CaseSummary* best = cases.front();
  for (const auto* summary : cases) {
    const double intensity = summary->roofline->intensity;
    const double rate = summary->throughput.flops_per_s;
    least = std::min(least, intensity);
    most = std::max(most, intensity);
    if (summary->roofline->share > best->roofline->share) best = summary;
    const auto& experiment = result.plan.experiment_of(*summary->info);
    const std::string name =
        summary->info->variant.empty() ? experiment.name : summary->info->variant;
    auto series = std::find_if(panel.series.begin(), panel.series.end(),
                               [&](const figure::Series& s) { return s.name == name; });
    if (series == panel.series.end()) {
      series = panel.series.insert(panel.series.end(),
                                   {name, figure::Mark::dots, {}, page.color_of(name)});
    }
    series->points.push_back({intensity, rate, figure::no_value, figure::no_value,
                              fmt::format("{}: {}, {} of the ceiling of {}", summary->info->id,
                                          text::format_rate(rate, "FLOP/s"),
                                          text::format_percent(summary->roofline->share),
                                          to_string(summary->roofline->nearest)),
                              page.anchor_of(*summary->info)});
  }
  least /= 2;
  most *= 4;
  const double ridge = memory > 0 ? arithmetic / memory : least;
  panel.guides.push_back(
      {fmt::format("{}, measured {}", precision.name,
                   text::format_rate(arithmetic, "FLOP/s", text::in_prose)),
       {{ridge, arithmetic}, {std::numeric_limits<double>::infinity(), arithmetic}}});
  if (memory > 0) {
    panel.guides.push_back({"memory, measured " + text::format_rate(memory, "B/s", text::in_prose),
                            {{least, least * memory}, {ridge, arithmetic}}});
  }
  const double peak = precision.peak == nullptr ? 0 : result.environment.device.*(precision.peak);
  if (peak > 0) {
    panel.guides.push_back(figure::level_guide(
        "peak " + text::format_rate(peak, "FLOP/s", text::in_prose), peak, true));
  }
  figure.title =
      fmt::format("Roofline, {}: {} comes closest, to {} of the ceiling of {}", precision.name,
                  best->info->variant.empty() ? best->info->id : best->info->variant,
                  text::format_percent(best->roofline->share), to_string(best->roofline->nearest));
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace

std::vector<Figure> roofline_figures(const Result& result,
                                     const std::vector<CaseSummary>& summaries, Page& page) {
  std::vector<Figure> figures;
  if (!result.ceilings) return figures;
  const auto known = precisions_of(result);
  for (const auto& precision : precisions) {
    Cases cases;
    for (const auto* summary : measured_cases(summaries)) {
      const auto found = known.find(summary->info->index);
      const bool is_it = found != known.end() && found->second == &precision;
      const bool in_kernel = result.plan.experiment_of(*summary->info).scope == Scope::kernel;
      if (is_it && in_kernel && summary->roofline && summary->roofline->intensity > 0) {
        cases.push_back(summary);
      }
    }
    if (cases.empty() || !((*result.ceilings).*precision.ceiling > 0)) continue;
    figures.push_back(roofline_of(result, precision, cases, page));
  }
  return figures;
}

}  // namespace apod::report
