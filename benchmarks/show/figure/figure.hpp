#pragma once

/// \file
/// The content of a figure, before it is drawn: values in their units, series, and lines to compare
/// them with. Texts are unchanged here; the renderer makes them harmless.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/text/units.hpp"

namespace apod::figure {

inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

enum class Scale : std::uint8_t { linear, log2, log10 };

/// A value that is written at an axis.
struct Tick {
  double value = 0;
  std::string text;
};

struct Axis {
  std::string title;
  text::Unit unit = text::Unit::count;
  Scale scale = Scale::linear;
  bool from_zero = false;
  std::vector<Tick> ticks = {};   ///< empty: they are chosen
  std::vector<double> also = {};  ///< values of figures to compare with, which are in sight too
};

/// What a colour means: a series, a kind of work that looks the same on every page, or a verdict.
struct Color {
  enum class Meaning : std::uint8_t { series, kind, worse, better, undecided };
  Meaning meaning = Meaning::series;
  std::size_t index =
      0;  ///< of a kind, or of a series: beyond eight, colours repeat with other marks
};

/// How a point stands out.
enum class Look : std::uint8_t {
  plain,
  hollow,  ///< what others are compared with
  cross,   ///< does not count: throttled, an outlier
};

struct Point {
  double x = 0;
  double y = 0;            ///< in rows: the index of the row, from the top; fractions lie between
  double low = no_value;   ///< ends of the interval of the value: of y, in rows of x
  double high = no_value;  ///< both or none
  std::string text = {};   ///< the text to read: the case, the exact value
  std::string about = {};  ///< id of the case; a page leads to it
  Look look = Look::plain;
  std::string name = {};  ///< shown beside it if there is room; not in rows
  double filled = 1;      ///< of the row's height, from below; of spans
  bool cut_low = false;   ///< a span that begins before the axis: it has a tip there
  bool cut_high = false;  ///< likewise one that ends behind it
};

enum class Mark : std::uint8_t {
  line,   ///< through points in order of x, with the band of their intervals
  dots,   ///< with their intervals
  bars,   ///< from 0; in rows only
  spans,  ///< from `low` to `high`; in rows only
  ticks,  ///< thin lines across the row; in rows only
};

struct Series {
  std::string name;
  Mark mark = Mark::line;
  std::vector<Point> points = {};
  Color color = {};
};

/// A line to hold values against, such as a ceiling. Where a coordinate is infinite it reaches the
/// edge; finite ones are always in sight.
struct Guide {
  std::string name;
  std::vector<std::pair<double, double>> path;
  bool dashed = false;
};

/// The line at one value of y, or of x.
Guide level_guide(std::string name, double y, bool dashed = false);
Guide upright_guide(std::string name, double x, bool dashed = false);

/// One of small multiples, which share both axes. A figure of one panel is the common case.
struct Panel {
  std::string title = {};  ///< how it differs from the others
  std::vector<Series> series = {};
  std::vector<Guide> guides = {};
  /// Names of rows: then y counts rows, and values lie along x. None: y is a number.
  std::vector<std::string> rows = {};
};

struct Figure {
  std::string id = {};     ///< to link to; of letters, digits and hyphens
  std::string title = {};  ///< the message, as a sentence
  std::string description = {};
  Axis x = {};
  Axis y = {};  ///< of no meaning in rows
  std::vector<Panel> panels = {};
  /// Values that are taken to be the same: the threshold of a comparison.
  std::optional<std::pair<double, double>> band = {};
  std::string band_name = {};
  std::vector<std::string> notes = {};
  double aspect = 0.42;  ///< height of a panel / its width; rows take what they need

  /// Whether values lie along x, in rows with names.
  bool by_rows() const { return !panels.empty() && !panels.front().rows.empty(); }
  /// Whether there is a value to draw.
  bool empty() const;
};

}  // namespace apod::figure
