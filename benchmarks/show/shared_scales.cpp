#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "benchmarks/show/figures.hpp"

namespace apod::show {
namespace {

constexpr double too_far_apart = 4;

/// The ends of the values of a figure, intervals included. Infinite in the wrong order without any.
struct Reach {
  double least = INFINITY;
  double most = -INFINITY;

  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

Reach reach_of(const figure::Figure& figure) {
  Reach reach;
  for (const auto& panel : figure.panels) {
    for (const auto& series : panel.series) {
      for (const auto& point : series.points) {
        for (const double value : {figure.by_rows() ? point.x : point.y, point.low, point.high})
          reach.add(value);
      }
    }
  }
  return reach;
}

/// Experiments with the same key are compared by their readers.
std::string key_of(const Experiment& experiment, const figure::Figure& figure) {
  std::string key = experiment.workload + "\n" + std::string(to_string(experiment.scope)) + "\n" +
                    (figure.by_rows() ? figure.x : figure.y).title;
  for (const auto& axis : experiment.swept) key += "\n" + axis;
  return key;
}

}  // namespace

std::vector<CurveChoice> shared_scales(const Result& result,
                                       const std::vector<CaseSummary>& summaries,
                                       const CurveChoice& choice, Page page) {
  std::vector<CurveChoice> scales(result.plan.experiments.size(), choice);
  struct Drawn {
    std::size_t experiment;
    figure::Axis axis;
    Reach reach;
  };
  std::map<std::string, std::vector<Drawn>> groups;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const Cases cases = measured_cases(summaries, i);
    if (cases.empty()) continue;
    try {
      const auto figure = curve_figure(result, cases, choice, page);
      const Reach reach = reach_of(figure);
      if (!(reach.most > 0)) continue;
      const auto& axis = figure.by_rows() ? figure.x : figure.y;
      groups[key_of(result.plan.experiments[i], figure)].push_back({i, axis, reach});
    } catch (const std::invalid_argument&) {
      continue;  // reported where it is drawn
    }
  }
  for (const auto& [key, all] : groups) {
    for (const auto& own : all) {
      auto& shared = scales[own.experiment];
      for (const auto& other : all) {
        const double apart = own.reach.most / other.reach.most;
        if (apart > too_far_apart || apart < 1 / too_far_apart) continue;
        if (other.axis.scale != figure::Scale::linear) shared.log_y = true;
        shared.from_zero = shared.from_zero || other.axis.from_zero;
        shared.also.push_back(other.reach.least);
        shared.also.push_back(other.reach.most);
      }
    }
  }
  return scales;
}

}  // namespace apod::show
