#include "benchmarks/show/figure/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "benchmarks/base/text/markup.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/figure/text_width.hpp"

namespace apod::figure {
namespace {

constexpr std::size_t colors = 8;
/// Lines of more points than this have no marks at each.
constexpr std::size_t few_points = 30;
constexpr double widest_bar = 14;
/// Usual fonts of a system differ by less in width.
constexpr double least_filled = 0.8;
constexpr double least_span = 0.75;  ///< px: shorter spans are drawn as wide as this
constexpr double least_height = 2;   ///< px, of a span

/// Outlines about the origin, of about equal weight.
const char* shape_of(const Color& color) {
  switch (color.meaning) {
    case Color::Meaning::worse:
      return "m0-4.5 4.5 8h-9z";
    case Color::Meaning::better:
      return "m0 4.5 4.5-8h-9z";
    case Color::Meaning::undecided:
    case Color::Meaning::kind:
    case Color::Meaning::series:
      break;
  }
  static constexpr std::array<const char*, colors> shapes{
      "m0-3.5a3.5 3.5 0 1 0 .1 0z",
      "m-3.2-3.2h6.4v6.4h-6.4z",
      "m0-4.5 4.4 7.8h-8.8z",
      "m0-4.6 4.2 4.6-4.2 4.6-4.2-4.6z",
      "m0 4.5 4.4-7.8h-8.8z",
      "m-1.4-4.2h2.8v2.8h2.8v2.8h-2.8v2.8h-2.8v-2.8h-2.8v-2.8h2.8z",
      "m-4-4h8l-8 8h8z",
      "m-4-1.4 4-3 4 3-1.5 4.6h-5z"};
  return shapes[(color.index + color.index / colors) % colors];
}

/// What a page says of a point.
std::string attributes_of(const Point& point, bool linked) {
  return linked && !point.about.empty()
             ? fmt::format(" data-c=\"{}\"", text::as_markup(point.about))
             : "";
}

std::string title_of(const std::string& text) {
  return text.empty() ? "" : "<title>" + text::as_markup(text) + "</title>";
}

bool has_interval(const Point& point) {
  return std::isfinite(point.low) && std::isfinite(point.high);
}

/// The interval of a point as a line along the axis of values.
std::string whisker(const Plane& plane, const Point& point, double x, double y) {
  if (!has_interval(point)) return "";
  const Map& map = plane.rows ? plane.x : plane.y;
  if (std::abs(map(point.high) - map(point.low)) < least_span) return "";
  if (plane.rows) return line_at(plane.x(point.low), y, plane.x(point.high), y, "whisker");
  return line_at(x, plane.y(point.low), x, plane.y(point.high), "whisker");
}

std::string draw_line(const Plane& plane, std::vector<Point> points, const Color& color,
                      bool linked) {
  std::ranges::stable_sort(points, {}, &Point::x);
  std::string svg;
  const bool band = points.size() > 1 && std::ranges::all_of(points, has_interval);
  if (band) {
    std::string path = "M";
    for (const Point& p : points) path += px(plane.x(p.x)) + " " + px(plane.y(p.high)) + " ";
    for (auto p = points.rbegin(); p != points.rend(); ++p)
      path += px(plane.x(p->x)) + " " + px(plane.y(p->low)) + " ";
    svg += "<path class=\"band\" d=\"" + path + "z\"/>";
  }
  std::string path;
  for (const Point& p : points) {
    if (p.look == Look::cross) continue;
    path += (path.empty() ? "M" : " ") + px(plane.x(p.x)) + " " + px(plane.y(p.y));
  }
  svg += "<path class=\"line\" d=\"" + path + "\"/>";
  for (const Point& p : points) {
    const double x = plane.x(p.x);
    const double y = plane.y(p.y);
    if (!band) svg += whisker(plane, p, x, y);
    if (points.size() <= few_points || p.look != Look::plain)
      svg += point_at(x, y, color, p.look, title_of(p.text), attributes_of(p, linked));
  }
  return svg;
}

std::string draw_bar(const Plane& plane, const Point& p, double y, double thickness, bool linked) {
  const double zero = plane.x(0);
  const double end = plane.x(p.x);
  std::string svg =
      fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}>{}</rect>",
                  p.look == Look::hollow ? "hollow p" : "point p", px(std::min(zero, end)),
                  px(y - thickness / 2), px(std::abs(end - zero)), px(thickness),
                  attributes_of(p, linked), title_of(p.text));
  if (has_interval(p)) svg += line_at(plane.x(p.low), y, plane.x(p.high), y, "error");
  return svg;
}

/// The outline of a span: there are thousands, and the group says how they look.
std::string span_of(const Plane& plane, const Point& p, double y, double height) {
  const double from = plane.x(p.low);
  const double width = std::max(least_span, plane.x(p.high) - from);
  const double filled = std::max(least_height, height * p.filled);
  constexpr double tip = 6;
  const std::string half = px(filled / 2);
  return fmt::format(
      "M{} {}h{}{}H{}{}", px(from), px(y + height / 2 - filled), px(width),
      p.cut_high ? fmt::format("l{} {}l-{} {}", tip, half, tip, half) : "v" + px(filled), px(from),
      p.cut_low ? fmt::format("l-{} -{}z", tip, half) : "");
}

}  // namespace

std::string px(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string text_at(double x, double y, const std::string& text, Anchor anchor, double room,
                    const char* rule, const std::string& short_text) {
  const std::string whole = text::printable(text);
  const double size = std::string_view(rule) == "panel" ? bold_size : font_size;
  const std::string shown =
      short_text.empty() ? fitted(whole, room, size) : text::printable(short_text);
  // Where a reader's font is wider than the measured ones, what nearly fills its room keeps to it.
  const double length = std::min(text_width(shown, size), room);
  const std::string kept =
      length > least_filled * room
          ? fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", px(length))
          : "";
  static constexpr std::array<const char*, 3> anchors{"", " text-anchor=\"middle\"",
                                                      " text-anchor=\"end\""};
  return fmt::format("<text{}{} x=\"{}\" y=\"{}\"{}>{}{}</text>",
                     *rule == '\0' ? "" : fmt::format(" class=\"{}\"", rule),
                     anchors[static_cast<std::size_t>(anchor)], px(x), px(y), kept,
                     shown == whole ? "" : title_of(whole), text::as_markup(shown));
}

std::string line_at(double x1, double y1, double x2, double y2, const char* rule) {
  return fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}\"/>", rule, px(x1), px(y1), px(x2),
                     px(y2));
}

std::string rule_of(const Color& color) {
  using enum Color::Meaning;
  return color.meaning == worse       ? "worse"
         : color.meaning == better    ? "better"
         : color.meaning == undecided ? "undecided"
         : color.meaning == kind      ? fmt::format("k{}", color.index)
                                      : fmt::format("s{}", color.index % colors);
}

std::string point_at(double x, double y, const Color& color, Look look, const std::string& inside,
                     const std::string& attributes) {
  static constexpr std::array<const char*, 3> rules{"point p", "hollow p", "cross p"};
  const char* rule = rules[static_cast<std::size_t>(look)];
  const char* shape = look == Look::cross ? "m-3-3 6 6m-6 0 6-6" : shape_of(color);
  return fmt::format("<path class=\"{}\"{} d=\"M{} {}{}\"{}", rule, attributes, px(x), px(y), shape,
                     inside.empty() ? "/>" : ">" + inside + "</path>");
}

std::string draw_series(const Plane& plane, const Series& series, std::size_t bar, std::size_t bars,
                        bool linked) {
  if (series.mark == Mark::line && !plane.rows)
    return draw_line(plane, series.points, series.color, linked);
  const double room = plane.row_height - 4;
  const double thickness =
      std::min(widest_bar, room / static_cast<double>(std::max<std::size_t>(bars, 1)));
  const double shift = thickness * (static_cast<double>(bar) - (static_cast<double>(bars) - 1) / 2);
  std::string svg;
  std::string untold;  // spans without a text are one path
  // Many thin lines, one path per kind; those at one place are one.
  std::set<std::pair<double, double>> samples;
  std::set<std::pair<double, double>> odd;
  for (const Point& p : series.points) {
    const double x = plane.x(p.x);
    const double y = plane.y(p.y);
    switch (series.mark) {
      case Mark::bars:
        svg += draw_bar(plane, p, y + shift, thickness - 1, linked);
        break;
      case Mark::spans:
        if (attributes_of(p, linked).empty() && p.text.empty()) {
          untold += span_of(plane, p, y, room);
        } else {
          svg += fmt::format("<path{} d=\"{}\">{}</path>", attributes_of(p, linked),
                             span_of(plane, p, y, room), title_of(p.text));
        }
        break;
      case Mark::ticks:
        (p.look == Look::cross ? odd : samples).emplace(y, std::round(x * 2) / 2);
        break;
      case Mark::line:
      case Mark::dots:
        svg += whisker(plane, p, x, y);
        svg += point_at(x, y, series.color, p.look, title_of(p.text), attributes_of(p, linked));
        break;
    }
  }
  if (!untold.empty()) svg += "<path d=\"" + untold + "\"/>";
  for (const auto& [rule, places] : {std::pair{"sample", &samples}, {"odd", &odd}}) {
    if (places->empty()) continue;
    svg += fmt::format("<path class=\"{}\" d=\"", rule);
    for (const auto& [y, x] : *places)
      svg += fmt::format("M{} {}v{}", px(x), px(y - room / 2), px(room));
    svg += "\"/>";
  }
  return svg;
}

}  // namespace apod::figure
