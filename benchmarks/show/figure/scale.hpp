#pragma once

/// \file
/// From values to places, and the values that are written at an axis.

#include <span>
#include <string>
#include <vector>

#include "benchmarks/show/figure/figure.hpp"

namespace apod::figure {

/// Where values lie between two places, in px. On a logarithmic scale both ends are positive.
class Map {
 public:
  Map() = default;
  Map(Scale scale, double low, double high, double from, double to);

  /// Infinite values lie at the edge.
  double operator()(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  bool shows(double value) const { return value >= low_ && value <= high_; }

 private:
  double place(double value) const;

  Scale scale_ = Scale::linear;
  double low_ = 0;
  double high_ = 1;
  double from_ = 0;
  double to_ = 1;
};

/// Whether the value has a place on the scale: a number of at most 150 digits, and positive if the
/// scale is logarithmic.
bool has_place(Scale scale, double value);

/// An axis that is ready to be drawn.
struct Ruler {
  double low = 0;
  double high = 1;
  std::string title;  ///< with the unit, if the ticks have none
  std::vector<Tick> ticks;
};

/// For values that all have a place. About `wanted` ticks. On linear scales they are those of
/// Talbot, Lin and Hanrahan, "An extension of Wilkinson's algorithm for positioning tick labels on
/// axes", IEEE TVCG 16(6), 2010; on logarithmic ones powers of 2 or 10, or with fewer than one and
/// a half decades 1, 2 and 5 times these, if more than two of them are in sight.
Ruler ruler_of(const Axis& axis, std::span<const double> values, double wanted);

/// Only the ticks, ascending, for a range that is not empty. The range may be wider than they are.
std::vector<double> round_values(double low, double high, double wanted);

}  // namespace apod::figure
