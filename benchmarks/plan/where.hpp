#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/experiment.hpp"

namespace apod::plan {

/// The expressions of an experiment, held against each point of its axes: which points `where`
/// leaves out, and whether those of a kernel file come to something that can be launched. What goes
/// wrong is kept once for each expression, with the number of its cases.
class ExpressionCheck {
 public:
  explicit ExpressionCheck(const Experiment& experiment) : experiment_(experiment) {}

  /// Whether `where` leaves the point out. Once an expression of it is wrong for a point, none is
  /// left out by it.
  bool leaves_out(const Params& params);
  /// Why the kernels can't be launched with these values; nothing where they can.
  std::optional<std::string> refuses(const Params& params);

  /// A diagnostic for each expression that went wrong, and for each axis that none of a kernel file
  /// names. True if there is one.
  bool report_on(const std::string& file, Diagnostics& diagnostics) const;
  /// "where leaves out 3 of 12 cases of experiment 'conv'"; empty where it leaves out none.
  std::string note() const;

 private:
  struct Wrong {
    SourcePlace place;
    std::string message;
    std::string example;  ///< the axes of the first
    std::size_t count = 0;
  };
  std::vector<std::string> idle_axes() const;
  void keep(const std::string& key, SourcePlace place, const std::string& message,
            const Params& params);

  const Experiment& experiment_;
  std::map<std::string, Wrong> wrong_;
  std::size_t asked_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace apod::plan
