#include "benchmarks/show/figure/figure.hpp"

#include <algorithm>
#include <cmath>

namespace apod::figure {

constexpr double infinity = std::numeric_limits<double>::infinity();

Guide level_guide(std::string name, double y, bool dashed) {
  return {std::move(name), {{-infinity, y}, {infinity, y}}, dashed};
}

Guide upright_guide(std::string name, double x, bool dashed) {
  return {std::move(name), {{x, -infinity}, {x, infinity}}, dashed};
}

bool Figure::empty() const {
  for (const Panel& panel : panels) {
    for (const Series& series : panel.series) {
      const bool any = std::ranges::any_of(series.points, [](const Point& point) {
        return std::isfinite(point.x) && std::isfinite(point.y);
      });
      if (any) return false;
    }
  }
  return true;
}

}  // namespace apod::figure
