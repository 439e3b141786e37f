#pragma once

/// \file
/// What a figure of curves says: its title, and the words of its points.

#include <map>
#include <string>
#include <vector>

#include "benchmarks/show/curve_axes.hpp"

namespace apod::show {

/// A case of the figure, and its value.
struct Plotted {
  std::size_t index;  ///< among the cases that were asked for
  const CaseSummary* summary;
  Estimate value;
};

using Line = std::vector<const Plotted*>;

std::string line_name(const CurveAxes& axes, const Plotted& item);

/// By name.
std::map<std::string, Line> lines_of(const std::vector<Plotted>& shown, const CurveAxes& axes);

/// "size 2^28, cub: 4.42 TB/s ±0.10 %".
std::string point_text(const Plotted& shown, const std::string& where, const std::string& fact);

/// The message: where the best value lies. `ceiling_value`: the measured ceiling of a rate, in the
/// unit of the fact; 0: none.
std::string message_of(const std::vector<Plotted>& shown, const CurveAxes& axes,
                       const std::string& fact, double ceiling_value);

/// Against baselines: which line is most often as fast as any. Empty where lines are not rivals.
std::string winners_of(const Result& result, const Cases& cases, const CurveAxes& axes);

}  // namespace apod::show
