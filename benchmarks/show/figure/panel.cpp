#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/base/text/markup.hpp"
#include "benchmarks/show/figure/drawing.hpp"
#include "benchmarks/show/figure/point_names.hpp"
#include "benchmarks/show/figure/text_width.hpp"

namespace apod::figure {
namespace {

constexpr double widest_label = 250;
constexpr double key_width = 16;  ///< of the mark before a name
constexpr double label_gap = 8;
constexpr double tick_gap = 8;
constexpr double shortest_leader = 5;  ///< px that a label has moved
/// px that a series may end before the edge: a line from there to its name would look like a value.
constexpr double longest_leader = 60;

/// What is named beside the right edge.
struct EndLabel {
  std::string name;
  const Series* series = nullptr;  ///< null: a guide
  bool dashed = false;
  double x = 0;
  double y = 0;
};

/// The rightmost point of a series.
const Point& last_point(const Series& series) {
  return *std::ranges::max_element(series.points, {}, &Point::x);
}

bool reaches_edge(const Guide& guide) {
  return !guide.path.empty() && std::isinf(guide.path.back().first);
}

/// How many bars the fullest row has.
std::size_t bars_of(const Panel& panel) {
  std::map<double, std::size_t> counts;
  std::size_t most = 0;
  for (const Series& series : panel.series) {
    if (series.mark != Mark::bars) continue;
    for (const Point& p : series.points) most = std::max(most, ++counts[p.y]);
  }
  return most;
}

std::vector<EndLabel> labels_of(const Panel& panel, bool beside) {
  std::vector<EndLabel> labels;
  if (!beside) return labels;
  for (const Series& series : panel.series) {
    if (!series.name.empty() && series.mark != Mark::dots) labels.push_back({series.name, &series});
  }
  for (const Guide& guide : panel.guides) {
    if (reaches_edge(guide) && !guide.name.empty())
      labels.push_back({guide.name, nullptr, guide.dashed});
  }
  return labels;
}

/// Takes from `labels` the series that end far from the edge. The panel with their names beside
/// their last points.
Panel named_within(const Panel& panel, const Plane& plane, std::vector<EndLabel>& labels) {
  Panel within = panel;
  std::erase_if(labels, [&](const EndLabel& label) {
    if (label.series == nullptr) return false;
    const Point& last = last_point(*label.series);
    if (plane.x(last.x) >= plane.box.right - longest_leader) return false;
    auto& series = within.series[static_cast<std::size_t>(label.series - panel.series.data())];
    series.points[static_cast<std::size_t>(&last - label.series->points.data())].name = label.name;
    return true;
  });
  return within;
}

double width_of(const std::vector<EndLabel>& labels) {
  double width = 0;
  for (const auto& label : labels) width = std::max(width, text_width(label.name, font_size));
  return labels.empty() ? 0 : std::min(width, widest_label) + key_width + label_gap;
}

void draw_labels(std::string& svg, std::vector<EndLabel> labels, const Panel& panel,
                 const Plane& plane, double right) {
  std::vector<double> wanted;
  for (auto& label : labels) {
    if (label.series != nullptr) {
      const Point& last = last_point(*label.series);
      label.x = plane.x(last.x);
      label.y = plane.y(last.y);
    } else {
      const auto guide =
          std::ranges::find_if(panel.guides, [&](const Guide& g) { return g.name == label.name; });
      label.x = plane.box.right;
      label.y = plane.y(guide->path.back().second);
    }
    wanted.push_back(label.y);
  }
  const auto places =
      label_places(wanted, line_height - 1, plane.box.top + 2, plane.box.bottom - 2);
  const double x = plane.box.right + label_gap;
  const double room = right - x - key_width + 1;
  std::vector<std::string> names;
  for (const auto& label : labels) names.push_back(label.name);
  const auto shown = fitted_apart(names, room, font_size);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const EndLabel& label = labels[i];
    const double y = places[i];
    const bool moved = std::abs(y - label.y) > shortest_leader || label.x < plane.box.right - 12;
    if (moved) {
      // All are level up to one place beyond the edge, so that no two of them cross.
      svg += fmt::format("<path class=\"leader\" d=\"M{} {}H{}L{} {}\"/>", px(label.x + 5),
                         px(label.y), px(plane.box.right + 5), px(x + 1), px(y));
    }
    const Color color = label.series != nullptr ? label.series->color : Color{};
    svg += fmt::format(
        "<g class=\"{}\"{}>", label.series != nullptr ? rule_of(color) : "guides",
        label.series != nullptr ? fmt::format(" data-s=\"{}\"", text::as_markup(label.name)) : "");
    svg += label.series != nullptr
               ? point_at(x + 6, y, color, Look::plain, "", "")
               : line_at(x + 1, y, x + 12, y, label.dashed ? "guide dashed" : "guide");
    svg += text_at(x + key_width, y + 4, label.name, Anchor::start, room, "", shown[i]) + "</g>";
  }
}

/// Lines that are drawn alike are one path.
std::string lines_along(const std::string& path, const char* rule) {
  return path.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>", rule, path);
}

/// Ticks along the bottom, without those that would touch the one before.
void draw_bottom(std::string& svg, const Ruler& ruler, const Plane& plane, double left,
                 double right, bool named = true) {
  double end = -1e9;
  std::string grid;
  std::string axis =
      fmt::format("M{} {}H{}", px(plane.box.left), px(plane.box.bottom), px(plane.box.right));
  std::string texts;
  for (const Tick& tick : ruler.ticks) {
    if (!plane.x.shows(tick.value)) continue;
    const double x = plane.x(tick.value);
    if (plane.rows)
      grid += fmt::format("M{} {}V{}", px(x), px(plane.box.top), px(plane.box.bottom));
    if (!named) continue;
    axis += fmt::format("M{} {}v4", px(x), px(plane.box.bottom));
    const double half = 1.15 * text_width(tick.text, font_size) / 2;
    // A wide one at an end moves inwards, in DejaVu Sans too, which is 1.15 times as wide.
    const double middle = std::max(left + half, std::min(x, right - half));
    if (middle - half < end + tick_gap) continue;
    end = middle + half;
    texts += text_at(middle, plane.box.bottom + 17, tick.text, Anchor::middle, 1e9, "tick");
  }
  svg += lines_along(grid, "grid") + lines_along(axis, "axis") + texts;
}

/// Returns where they are.
Taken draw_guides(std::string& svg, const Panel& panel, const Plane& plane) {
  Taken taken;
  for (const Guide& guide : panel.guides) {
    std::string path;
    for (const auto& [x, y] : guide.path)
      path += (path.empty() ? "M" : "L") + px(plane.x(x)) + " " + px(plane.y(y));
    svg += fmt::format("<path class=\"guide{}\" d=\"{}\"><title>{}</title></path>",
                       guide.dashed ? " dashed" : "", path, text::as_markup(guide.name));
    for (std::size_t i = 0; i + 1 < guide.path.size(); ++i) {
      const auto& [from_x, from_y] = guide.path[i];
      const auto& [to_x, to_y] = guide.path[i + 1];
      taken.add({plane.x(from_x), plane.y(from_y), plane.x(to_x), plane.y(to_y)});
    }
  }
  return taken;
}

/// Guides that end within the panel are named beside it. Adds their places to `taken`.
void draw_guide_names(std::string& svg, const Panel& panel, const Plane& plane, Taken& taken) {
  for (const Guide& guide : panel.guides) {
    if (guide.path.size() < 2 || reaches_edge(guide)) continue;
    const auto& [x1, y1] = guide.path[0];
    const auto& [x2, y2] = guide.path[1];
    const auto place = name_along({plane.x(x1), plane.y(y1), plane.x(x2), plane.y(y2)},
                                  text_width(guide.name, font_size), taken, plane.box);
    if (!place) continue;
    taken.texts.push_back(*place);
    svg += text_at(place->left, place->bottom - 4, guide.name, Anchor::start, place->width() + 1,
                   "tick");
  }
}

void draw_all_series(std::string& svg, const Panel& panel, const Plane& plane, bool linked) {
  const std::size_t bars = bars_of(panel);
  std::size_t bar = 0;
  for (const Series& series : panel.series) {
    svg += fmt::format("<g class=\"{} {}\" data-s=\"{}\">",
                       series.mark == Mark::spans ? "spans" : "series", rule_of(series.color),
                       text::as_markup(series.name));
    svg += draw_series(plane, series, bar, bars, linked) + "</g>";
    bar += series.mark == Mark::bars && bars > 1 ? 1 : 0;
  }
}

}  // namespace

double draw_panel(std::string& svg, const Panel& panel, const PanelFrame& frame) {
  auto labels = labels_of(panel, frame.beside);
  double ticks = 0;
  for (const Tick& tick : frame.y.ticks) ticks = std::max(ticks, text_width(tick.text, font_size));
  const double title = panel.title.empty() ? 0 : line_height + 2;
  Plane plane;
  plane.box.left = frame.left + ticks + 8;
  plane.box.top = frame.top + title + line_height + 8;
  plane.box.right = frame.left + frame.width - std::max(width_of(labels), 14.0);
  plane.box.bottom = plane.box.top + std::clamp(frame.width * frame.figure.aspect, 130.0, 340.0);
  plane.x = Map(frame.figure.x.scale, frame.x.low, frame.x.high, plane.box.left, plane.box.right);
  plane.y = Map(frame.figure.y.scale, frame.y.low, frame.y.high, plane.box.bottom, plane.box.top);
  if (!panel.title.empty()) {
    svg += text_at(frame.left, frame.top + 12, panel.title, Anchor::start, frame.width, "panel",
                   frame.title);
  }
  svg += text_at(frame.left, frame.top + title + 12, frame.y.title, Anchor::start, frame.width,
                 "axis-title");
  double above = 1e9;
  std::string grid;
  std::string texts;
  for (const Tick& tick : frame.y.ticks) {
    if (!plane.y.shows(tick.value)) continue;
    const double y = plane.y(tick.value);
    grid += fmt::format("M{} {}H{}", px(plane.box.left), px(y), px(plane.box.right));
    if (above - y < line_height - 2) continue;
    above = y;
    texts += text_at(plane.box.left - 6, y + 4, tick.text, Anchor::end, ticks + 2, "tick");
  }
  svg += lines_along(grid, "grid") + texts;
  if (frame.figure.band) {
    const double top = plane.y(frame.figure.band->second);
    svg +=
        fmt::format("<path class=\"same\" d=\"M{} {}H{}V{}H{}z\"/>", px(plane.box.left), px(top),
                    px(plane.box.right), px(plane.y(frame.figure.band->first)), px(plane.box.left));
  }
  draw_bottom(svg, frame.x, plane, frame.left, frame.left + frame.width);
  auto taken = draw_guides(svg, panel, plane);
  draw_all_series(svg, panel, plane, frame.linked);
  taken.add_series(panel, plane);
  // Where a legend has their names, they are not named here.
  if (frame.beside) draw_guide_names(svg, panel, plane, taken);
  draw_point_names(svg, named_within(panel, plane, labels), plane, taken);
  draw_labels(svg, labels, panel, plane, frame.left + frame.width);
  svg += text_at(plane.box.right, plane.box.bottom + 34, frame.x.title, Anchor::end,
                 plane.box.right - frame.left, "axis-title");
  return plane.box.bottom + 40 - frame.top;
}

double draw_rows(std::string& svg, const Panel& panel, const PanelFrame& frame) {
  const std::size_t bars = bars_of(panel);
  const double names = frame.row_names;
  const double title = panel.title.empty() ? 0 : line_height + 2;
  const auto count = static_cast<double>(panel.rows.size());
  Plane plane;
  plane.rows = true;
  plane.row_height = std::max(20.0, 9.0 * static_cast<double>(bars) + 8);
  plane.box.left = frame.left + names + 10;
  plane.box.top = frame.top + title + 4;
  plane.box.right = frame.left + frame.width - 16;
  plane.box.bottom = plane.box.top + plane.row_height * count;
  plane.x = Map(frame.figure.x.scale, frame.x.low, frame.x.high, plane.box.left, plane.box.right);
  plane.y = Map(Scale::linear, -0.5, count - 0.5, plane.box.top, plane.box.bottom);
  if (!panel.title.empty()) {
    svg += text_at(frame.left, frame.top + 12, panel.title, Anchor::start, frame.width, "panel",
                   frame.title);
  }
  if (frame.figure.band) {
    const double left = plane.x(frame.figure.band->first);
    svg += fmt::format("<path class=\"same\" d=\"M{} {}H{}V{}H{}z\"><title>{}</title></path>",
                       px(left), px(plane.box.top), px(plane.x(frame.figure.band->second)),
                       px(plane.box.bottom), px(left), text::as_markup(frame.figure.band_name));
  }
  draw_bottom(svg, frame.x, plane, frame.left, frame.left + frame.width, frame.last);
  draw_guides(svg, panel, plane);
  for (std::size_t i = 0; i < panel.rows.size(); ++i) {
    svg += text_at(plane.box.left - 8, plane.y(static_cast<double>(i)) + 4, panel.rows[i],
                   Anchor::end, names + 2, "row", frame.names.at(panel.rows[i]));
  }
  draw_all_series(svg, panel, plane, frame.linked);
  if (!frame.last) return plane.box.bottom + 6 - frame.top;
  svg += text_at(plane.box.right, plane.box.bottom + 34, frame.x.title, Anchor::end,
                 plane.box.right - frame.left, "axis-title");
  return plane.box.bottom + 40 - frame.top;
}

}  // namespace apod::figure
