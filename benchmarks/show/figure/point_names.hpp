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

/// A box for each name, beside its point or as near to it as there is room within `edge` that no
/// box of `taken` and no other name covers; nothing if there is none. Names on one side are in the
/// order of their points if they fit.
std::vector<std::optional<Box>> point_name_places(const std::vector<NamedPoint>& points,
                                                  const std::vector<Box>& taken, const Box& edge);

/// The names of the panel's points, with a line to their point if they moved away. `taken`: what
/// they must not cover, besides the points.
void draw_point_names(std::string& svg, const Panel& panel, const Plane& plane,
                      std::vector<Box> taken);

}  // namespace apod::figure
