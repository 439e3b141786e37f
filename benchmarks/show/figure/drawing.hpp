#pragma once

/// \file
/// What panels are drawn with. Internal to figure/.

#include <map>
#include <string>

#include "benchmarks/show/figure/scale.hpp"
#include "benchmarks/show/figure/svg.hpp"

namespace apod::figure {

constexpr double font_size = 12;
constexpr double bold_size = 13.3;  ///< bold text of 12 px is as wide
constexpr double line_height = 16;

/// Where something is, in px from the top left.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

/// A coordinate with one decimal, without trailing zeros: "12.5", "12".
std::string px(double value);

enum class Anchor : std::uint8_t { start, middle, end };

/// Text at a baseline, cut to `room` px, or `short_text`, squeezed to them; if it was cut, pointing
/// at it shows all of it.
std::string text_at(double x, double y, const std::string& text, Anchor anchor, double room,
                    const char* rule = "", const std::string& short_text = "");
std::string line_at(double x1, double y1, double x2, double y2, const char* rule);

/// The rule that gives things their colour: "s0" to "s7", "k3", "worse" ...
std::string rule_of(const Color& color);
/// The outline of a point of this colour: colours differ in shape too.
std::string point_at(double x, double y, const Color& color, Look look, const std::string& inside,
                     const std::string& attributes);

/// The plane of a panel's values.
struct Plane {
  Box box;
  Map x;
  Map y;  ///< in rows, of their indices
  bool rows = false;
  double row_height = 0;
};

/// A series; `bar` and `bars` place its bars in a row. `linked`: points tell a page what they are
/// about.
std::string draw_series(const Plane& plane, const Series& series, std::size_t bar, std::size_t bars,
                        bool linked);

/// A panel with its axes in a column from `left`, `top`. Returns the height that it took.
struct PanelFrame {
  const Figure& figure;
  const Ruler& x;
  const Ruler& y;                                   ///< of no meaning in rows
  const std::string& title;                         ///< as it fits
  const std::map<std::string, std::string>& names;  ///< of all rows, as they fit
  double left;
  double top;
  double width;
  bool beside;       ///< series and guides are labelled at their ends
  double row_names;  ///< width of the names of rows, px
  bool last;         ///< of rows: only the last panel has the ticks
  bool linked;
};
double draw_panel(std::string& svg, const Panel& panel, const PanelFrame& frame);
double draw_rows(std::string& svg, const Panel& panel, const PanelFrame& frame);

}  // namespace apod::figure
