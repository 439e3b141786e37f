#pragma once

#include <optional>
#include <vector>

#include "benchmarks/show/figure/drawing.hpp"

namespace apod::figure {

struct NamedPoint {
  double x = 0;
  double y = 0;
  double width = 0;  ///< of its name, px
};

/// A box for each name, beside its point or as near to it as there is room within `edge` that
/// nothing of `taken` and no other name has; nothing where there is none. Names on one side are in
/// the order of their points where they fit so.
std::vector<std::optional<Box>> point_name_places(const std::vector<NamedPoint>& points,
                                                  const std::vector<Box>& taken, const Box& edge);

/// The names of the panel's points, those that moved away with a line to their point. `taken`: what
/// they must not cover, beside the points.
void draw_point_names(std::string& svg, const Panel& panel, const Plane& plane,
                      std::vector<Box> taken);

}  // namespace apod::figure
