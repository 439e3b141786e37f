#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/experiment.hpp"

namespace apod::plan {

/// The expressions of an experiment, checked for each point of its axes: which points `where`
/// leaves out, and whether those of a kernel file give a valid launch. Each failing expression is
/// kept once, with the number of its cases.
class ExpressionCheck {
 public:
  explicit ExpressionCheck(const Experiment& experiment) : experiment_(experiment) {}

  /// Whether `where` leaves the point out. An expression that fails at this point leaves nothing
  /// out.
  bool leaves_out(const Params& params);
  /// Why the kernels can't be launched with these values; nothing if they can.
  std::optional<std::string> refuses(const Params& params);

  /// A diagnostic for each expression that failed, and for each axis that no expression of a kernel
  /// file names. True if there is one.
  bool report_on(const std::string& file, Diagnostics& diagnostics) const;
  /// "where leaves out 3 of 12 cases of experiment 'conv'"; empty if it leaves out none.
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
