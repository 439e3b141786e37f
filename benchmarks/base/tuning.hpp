#pragma once

/// \file
/// What a search found: the best configuration of each shape, by how much it is better than the
/// default, and what that depends on.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/estimator.hpp"
#include "kernels/api/params.hpp"

namespace apod {

/// A configuration of the finals.
struct TunedRow {
  std::string label;       ///< "block 32, TILE 4"
  Params params;           ///< every axis
  Estimate value{};        ///< of the objective, in its unit
  Estimate behind{};       ///< value / that of the best - 1, at 99 %; without an interval: the best
  std::size_t blocks = 0;  ///< processes that measured it side by side with the others
  bool is_default = false;
  bool is_worse = false;  ///< than the best, for certain
  bool failed = false;
};

/// How much of the variation over the space an axis makes, or two together beyond each alone.
struct AxisEffect {
  std::string axis;
  std::string other{};  ///< of an interaction
  double share = 0;
  std::string best{};  ///< the value with the best mean
};

/// The best so far, after so many looks and seconds. Luck is in it.
struct TuningStep {
  std::size_t looks = 0;
  double seconds = 0;
  double value = 0;
};

/// The search for one shape: one combination of the values of the axes that are not tuned.
struct TunedShape {
  std::string label;  ///< "size 4096"; empty if there is only one
  std::vector<std::pair<std::string, AxisValue>> values;  ///< of those axes
  std::string objective;
  bool more_is_better = false;
  std::string strategy;
  std::size_t valid = 0;         ///< configurations
  std::size_t looked = 0;        ///< those that were looked at
  std::size_t failed = 0;        ///< of them
  std::size_t looks = 0;         ///< in all
  std::vector<TunedRow> rows;    ///< of the final, the best first; none if every one failed
  std::optional<Estimate> gain;  ///< best / default - 1, at 99 %; nothing if the default is best
  std::vector<AxisEffect> effects;
  std::vector<TuningStep> steps;
};

/// One configuration for all shapes.
struct PortableChoice {
  std::string label;
  Params params;
  std::vector<Estimate> losses;  ///< value / that of the shape's best - 1, in the order of shapes
};

/// A configuration that no other beats in both objectives.
struct FrontPoint {
  std::string label;
  std::string shape;
  std::vector<Estimate> values;  ///< one an objective
  bool is_default = false;
};

struct Tuning {
  std::string name;  ///< of the experiment
  std::string config_path;
  std::vector<std::string> objectives;
  std::vector<std::string> tuned;   ///< axes
  std::vector<std::string> shaped;  ///< axes of the problem; each combination has its own best
  std::vector<std::string> macros;  ///< of the tuned axes, those that a kernel file gets with -D
  std::uint64_t seed = 0;
  double budget_s = 0;
  double seconds = 0;
  std::string device;
  std::string build;
  std::vector<std::string> command_line;
  std::vector<TunedShape> shapes;
  std::optional<PortableChoice> portable;
  std::vector<FrontPoint> front;
  std::vector<std::pair<std::string, std::size_t>> failures;  ///< reason, how often
  std::vector<std::string> notes;
};

}  // namespace apod
