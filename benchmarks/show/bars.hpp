#pragma once

#include <span>
#include <string>

namespace apod::show {

/// A value of a small chart.
struct Bar {
  double value = 0;    ///< > 0; meaningless if it failed
  bool aside = false;  ///< does not stretch the chart, and may be cut by it
  bool failed = false;
  bool begins = false;  ///< a level begins here
};

/// A chart of one character per bar: one of eight heights by ln of the value, between the lowest
/// and the highest, which are taken to be at least 10 % apart so that noise looks flat; "x" if it
/// failed.
std::string chart(std::span<const Bar> bars);

/// The same as a line of SVG, on the same scale: upright lines where a level begins, a dot at the
/// last one. `text` is for readers who can't see it.
std::string spark(std::span<const Bar> bars, const std::string& text);

}  // namespace apod::show
