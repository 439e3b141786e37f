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
  return std::ranges::none_of(
      points, [&](const NamedPoint& other) { return distance(box, other) < limit; });
}

/// On which side of the line the place lies; 0: on it.
double side_of(const Line& line, double x, double y) {
  return (line.x2 - line.x1) * (y - line.y1) - (line.y2 - line.y1) * (x - line.x1);
}

bool cross(const Line& a, const Line& b) {
  return side_of(a, b.x1, b.y1) * side_of(a, b.x2, b.y2) < 0 &&
         side_of(b, a.x1, a.y1) * side_of(b, a.x2, a.y2) < 0;
}

bool cross(const Line& line, const Box& box) {
  const bool within = overlap({line.x1, line.y1, line.x1, line.y1}, box) ||
                      overlap({line.x2, line.y2, line.x2, line.y2}, box);
  return within || cross(line, Line{box.left, box.top, box.right, box.bottom}) ||
         cross(line, Line{box.left, box.bottom, box.right, box.top});
}

bool are_apart(const NamePlace& a, const NamePlace& b) {
  if (overlap(a.box, b.box)) return false;
  if (a.leader && (cross(*a.leader, b.box) || (b.leader && cross(*a.leader, *b.leader))))
    return false;
  return !b.leader || !cross(*b.leader, a.box);
}

/// Right and left of the point, then by steps below and above.
std::vector<Box> places_of(const NamedPoint& point) {
  std::vector<Box> places;
  for (std::size_t i = 0; i <= 2 * most_steps; ++i) {
    const double away = one_step * static_cast<double>((i + 1) / 2) * (i % 2 == 0 ? -1 : 1);
    const double y = point.y + away;
    const double right = point.x + beside_point;
    const double left = point.x - beside_point - point.width;
    for (const double from : {right, left})
      places.push_back({from, y - half_name, from + point.width, y + half_name});
  }
  return places;
}

/// The name in this box; further off than a reader would go alone, with a line to its point.
NamePlace place_in(const Box& box, std::size_t i, const std::vector<NamedPoint>& points) {
  const NamedPoint& point = points[i];
  const double y = (box.top + box.bottom) / 2;
  NamePlace place{box};
  if (std::abs(y - point.y) > longest_alone || !is_nearest(box, i, points)) {
    // From the edge of the mark, which covers what lies under it.
    const double end = box.left > point.x ? box.left : box.right;
    const double away = half_point / std::hypot(end - point.x, y - point.y);
    place.leader = Line{point.x + away * (end - point.x), point.y + away * (y - point.y), end, y};
  }
  return place;
}

}  // namespace

std::vector<std::optional<NamePlace>> point_name_places(const std::vector<NamedPoint>& points,
                                                        const Taken& taken, const Box& edge) {
  // From the top, so that names of points that lie close keep their order.
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return points[a].y < points[b].y; });
  std::vector<std::optional<NamePlace>> found(points.size());
  const auto is_free = [&](const NamePlace& place) {
    const auto crossed = [&](const Box& text) {
      return place.leader && cross(*place.leader, text);
    };
    return inside(place.box, edge) && taken.is_clear(place.box) &&
           std::ranges::none_of(taken.texts, crossed) &&
           std::ranges::none_of(
               found, [&](const auto& other) { return other && !are_apart(place, *other); });
  };
  // Those that no other point could have come first, so that they find their places free.
  for (const bool nearest : {true, false}) {
    for (const std::size_t i : order) {
      if (found[i]) continue;
      for (const Box& box : places_of(points[i])) {
        const NamePlace place = place_in(box, i, points);
        if (!is_free(place) || (nearest && !is_nearest(box, i, points))) continue;
        found[i] = place;
        break;
      }
    }
  }

  // A name that went past another, to where there was room, changes places with it if both fit.
  const auto is_right = [&](std::size_t i) { return found[i]->box.left > points[i].x; };
  const auto moved = [&](const NamePlace& from, double top, std::size_t i) {
    const Box& box = from.box;
    return place_in({box.left, top, box.right, top + box.height()}, i, points);
  };
  // Each such change leaves fewer names in the wrong order, so this ends.
  const auto change_places = [&](std::size_t upper, std::size_t lower) {
    const NamePlace up = std::exchange(found[upper], std::nullopt).value();
    const NamePlace down = std::exchange(found[lower], std::nullopt).value();
    const NamePlace raised = moved(up, down.box.top, upper);
    const NamePlace lowered = moved(down, up.box.top, lower);
    const bool fit = is_free(raised) && is_free(lowered) && are_apart(raised, lowered);
    found[upper] = fit ? raised : up;
    found[lower] = fit ? lowered : down;
    return fit;
  };
  for (bool changed = true; std::exchange(changed, false);) {
    for (std::size_t n = 0; n < order.size(); ++n) {
      for (std::size_t m = n + 1; m < order.size(); ++m) {
        const auto& upper = found[order[n]];
        const auto& lower = found[order[m]];
        if (!upper || !lower || upper->box.top <= lower->box.top) continue;
        if (is_right(order[n]) == is_right(order[m])) changed |= change_places(order[n], order[m]);
      }
    }
  }
  return found;
}

std::optional<Box> name_along(const Line& line, double width, const Taken& taken, const Box& edge) {
  constexpr int pieces = 16;
  for (int i = pieces - 1; i > 0; --i) {
    const double share = static_cast<double>(i) / pieces;
    const double x = line.x1 + share * (line.x2 - line.x1);
    const double y = line.y1 + share * (line.y2 - line.y1);
    const Box above{x - beside_point - width, y - line_height - 2, x - beside_point, y - 2};
    const Box below{x + beside_point, y + 4, x + beside_point + width, y + 4 + line_height};
    for (const Box& box : {above, below}) {
      if (inside(box, edge) && taken.is_clear(box)) return box;
    }
  }
  return std::nullopt;
}

void Taken::add(const Line& line) {
  const double width = line.x2 - line.x1;
  const double height = line.y2 - line.y1;
  const auto pieces = std::max(1.0, std::ceil(std::min(std::abs(width), std::abs(height)) / 4));
  const double dx = width / pieces;
  const double dy = height / pieces;
  for (double i = 0; i < pieces; ++i) {
    const double x = line.x1 + i * dx;
    const double y = line.y1 + i * dy;
    marks.push_back({std::min(x, x + dx) - 1, std::min(y, y + dy) - 1, std::max(x, x + dx) + 1,
                     std::max(y, y + dy) + 1});
  }
}

bool Taken::is_clear(const Box& box) const {
  const auto is_over = [&](const Box& other) { return overlap(box, other); };
  return std::ranges::none_of(marks, is_over) && std::ranges::none_of(texts, is_over);
}

void Taken::add_series(const Panel& panel, const Plane& plane) {
  for (const Series& series : panel.series) {
    std::vector<std::pair<double, double>> line;  // in the order in which it is drawn
    for (const Point& p : series.points) {
      const double x = plane.x(p.x);
      const double y = plane.y(p.y);
      marks.push_back({x - half_point, y - half_point, x + half_point, y + half_point});
      if (std::isfinite(p.low) && std::isfinite(p.high)) {  // a bar of error, or a line up
        marks.push_back({x - 1, plane.y(p.high), x + 1, plane.y(p.low)});
      }
      if (series.mark == Mark::line && p.look != Look::cross) line.emplace_back(x, y);
    }
    std::ranges::stable_sort(line, [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      add({line[i].first, line[i].second, line[i + 1].first, line[i + 1].second});
  }
}

void draw_point_names(std::string& svg, const Panel& panel, const Plane& plane,
                      const Taken& taken) {
  std::vector<NamedPoint> points;
  std::vector<const Point*> named;
  for (const Series& series : panel.series) {
    for (const Point& p : series.points) {
      if (p.name.empty()) continue;
      points.push_back({plane.x(p.x), plane.y(p.y), text_width(p.name, font_size)});
      named.push_back(&p);
    }
  }
  Box edge = plane.box;
  edge.bottom -= above_axis;
  const auto places = point_name_places(points, taken, edge);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) continue;
    const auto& [box, leader] = *places[i];
    if (leader) svg += line_at(leader->x1, leader->y1, leader->x2, leader->y2, "leader");
    svg += text_at(box.left, (box.top + box.bottom) / 2 + 4, named[i]->name, Anchor::start,
                   box.width() + 1, "name");
  }
}

}  // namespace apod::figure
