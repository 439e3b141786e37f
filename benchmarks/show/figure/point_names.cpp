#include "benchmarks/show/figure/point_names.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "benchmarks/show/figure/text_width.hpp"

namespace apod::figure {
namespace {

constexpr double half_point = 4.5;  ///< of the widest mark
constexpr double beside_point = 8;  ///< from the point to its name
constexpr double above_axis = 3;
constexpr double half_name = 7;         ///< of the height of a name
constexpr double one_step = 7;          ///< of what is tried above and below
constexpr std::size_t most_steps = 12;  ///< either way
constexpr double longest_alone = 10;    ///< a name further off needs a line to its point

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

bool inside(const Box& box, const Box& edge) {
  return box.left >= edge.left && box.right <= edge.right && box.top >= edge.top &&
         box.bottom <= edge.bottom;
}

double distance(const Box& box, const NamedPoint& point) {
  const double x = std::clamp(point.x, box.left, box.right);
  const double y = std::clamp(point.y, box.top, box.bottom);
  return std::hypot(point.x - x, point.y - y);
}

/// Whether no other point is nearer to the name than its own.
bool is_nearest(const Box& box, std::size_t own, const std::vector<NamedPoint>& points) {
  const double limit = distance(box, points[own]);
  return std::none_of(points.begin(), points.end(),
                      [&](const NamedPoint& other) { return distance(box, other) < limit; });
}

/// Right and left of the point, then by steps below and above.
std::vector<Box> places_of(const NamedPoint& point) {
  std::vector<Box> places;
  for (std::size_t i = 0; i <= 2 * most_steps; ++i) {
    const double away = one_step * static_cast<double>((i + 1) / 2) * (i % 2 == 0 ? -1 : 1);
    const double y = point.y + away;
    const double right = point.x + beside_point;
    const double left = point.x - beside_point - point.width;
    for (const double from : {right, left}) {
      places.push_back({from, y - half_name, from + point.width, y + half_name});
    }
  }
  return places;
}

}  // namespace

std::vector<std::optional<Box>> point_name_places(const std::vector<NamedPoint>& points,
                                                  const std::vector<Box>& taken, const Box& edge) {
  // From the top, so that names of points that lie close keep their order.
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return points[a].y < points[b].y; });
  std::vector<std::optional<Box>> found(points.size());
  const auto is_free = [&](const Box& box) {
    return inside(box, edge) &&
           std::none_of(taken.begin(), taken.end(),
                        [&](const Box& other) { return overlap(box, other); }) &&
           std::none_of(found.begin(), found.end(),
                        [&](const auto& other) { return other && overlap(box, *other); });
  };
  // Those that no other point could have come first, so that they find their places free.
  for (const bool nearest : {true, false}) {
    for (const std::size_t i : order) {
      if (found[i]) continue;
      for (const Box& box : places_of(points[i])) {
        if (!is_free(box) || (nearest && !is_nearest(box, i, points))) continue;
        found[i] = box;
        break;
      }
    }
  }

  // A name that went past another, to where there was room, changes places with it if both fit.
  const auto is_right = [&](std::size_t i) { return found[i]->left > points[i].x; };
  const auto moved = [](Box box, double top) {
    return Box{box.left, top, box.right, top + box.bottom - box.top};
  };
  // Each such change leaves fewer names in the wrong order, so this ends.
  const auto change_places = [&](std::optional<Box>& upper, std::optional<Box>& lower) {
    const Box up = std::exchange(upper, std::nullopt).value();
    const Box down = std::exchange(lower, std::nullopt).value();
    const Box raised = moved(up, down.top);
    const Box lowered = moved(down, up.top);
    const bool fit = is_free(raised) && is_free(lowered) && !overlap(raised, lowered);
    upper = fit ? raised : up;
    lower = fit ? lowered : down;
    return fit;
  };
  for (bool changed = true; std::exchange(changed, false);) {
    for (std::size_t n = 0; n < order.size(); ++n) {
      for (std::size_t m = n + 1; m < order.size(); ++m) {
        auto& upper = found[order[n]];
        auto& lower = found[order[m]];
        if (!upper || !lower || upper->top <= lower->top) continue;
        if (is_right(order[n]) == is_right(order[m])) changed |= change_places(upper, lower);
      }
    }
  }
  return found;
}

void draw_point_names(std::string& svg, const Panel& panel, const Plane& plane,
                      std::vector<Box> taken) {
  std::vector<NamedPoint> points;
  std::vector<const Point*> named;
  for (const Series& series : panel.series) {
    for (const Point& p : series.points) {
      const double x = plane.x(p.x);
      const double y = plane.y(p.y);
      taken.push_back({x - half_point, y - half_point, x + half_point, y + half_point});
      if (std::isfinite(p.low) && std::isfinite(p.high)) {  // a bar of error, or a line up
        taken.push_back({x - 1, plane.y(p.high), x + 1, plane.y(p.low)});
      }
      if (p.name.empty()) continue;
      points.push_back({x, y, text_width(p.name, font_size)});
      named.push_back(&p);
    }
  }
  Box edge = plane.box;
  edge.bottom -= above_axis;
  const auto places = point_name_places(points, taken, edge);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) continue;
    const Box& box = *places[i];
    const double y = (box.top + box.bottom) / 2;
    if (std::abs(y - points[i].y) > longest_alone || !is_nearest(box, i, points)) {
      svg += line_at(points[i].x, points[i].y, box.left > points[i].x ? box.left : box.right, y,
                     "leader");
    }
    svg += text_at(box.left, y + 4, named[i]->name, Anchor::start, box.width() + 1, "name");
  }
}

}  // namespace apod::figure
