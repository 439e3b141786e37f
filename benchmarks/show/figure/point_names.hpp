#pragma once

#include <optional>
#include <vector>

#include "benchmarks/show/figure/drawing.hpp"

namespace apod::figure {

/// Places of labels, in the order of `wanted`, that are `gap` apart and as near to the wanted ones
/// as neighbours allow: those that would overlap move apart about their mean. All lie between
/// `first` and `last` if there is room for them.
std::vector<double> label_places(const std::vector<double>& wanted, double gap, double first,
                                 double last);

struct NamedPoint {
  double x = 0;
  double y = 0;
  double width = 0;  ///< of its name, px
};

/// A straight line, in px.
struct Line {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
};

/// Where a name stands, and the line from its point to it, if it moved away.
struct NamePlace {
  Box box;
  std::optional<Line> leader = {};
};

/// What is in the way of names.
struct Taken {
  std::vector<Box> marks = {};  ///< points and lines, which a leader may cross
  std::vector<Box> texts = {};

  void add(const Line& line);
  /// The panel's points and lines through them.
  void add_series(const Panel& panel, const Plane& plane);
  bool is_clear(const Box& box) const;
};

/// A place for each name, beside its point or as near to it as there is room within `edge`: no name
/// covers what is taken or another name, and no leader crosses a text or another leader. Nothing if
/// there is none. Names on one side are in the order of their points if they fit.
std::vector<std::optional<NamePlace>> point_name_places(const std::vector<NamedPoint>& points,
                                                        const Taken& taken, const Box& edge);

/// A place for a name of this width along a line that rises to the right: above it or below it,
/// nearest to its upper end, clear of what is taken and within `edge`; nothing if there is none.
std::optional<Box> name_along(const Line& line, double width, const Taken& taken, const Box& edge);

/// The names of the panel's points, with their leaders.
void draw_point_names(std::string& svg, const Panel& panel, const Plane& plane, const Taken& taken);

}  // namespace apod::figure
