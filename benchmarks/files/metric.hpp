#pragma once

/// \file
/// Which number of a row is read as its time.

#include <string>
#include <vector>

#include "benchmarks/base/facts.hpp"

namespace apod::files {

/// The value of --metric: "cpu_time", "items_per_second", "cache_misses:less". Without a name it is
/// the format's time.
struct Metric {
  std::string name;                 ///< empty: the time
  Better better = Better::neither;  ///< of a counter that is not a time, if that was said
  bool only_times = false;          ///< a counter that is not a time is refused

  bool is_time() const { return name.empty() || name == "real_time"; }
};

/// Reads "NAME", "NAME:less" or "NAME:more". Throws std::invalid_argument if there is no name.
Metric metric_of(const std::string& text);

/// A number to compare; less is better.
struct MetricValue {
  /// Seconds, unless it is a counter that is not a time. If the file's number is not finite and
  /// positive, and so has no ratio to another: that number.
  double value = 0;
  bool is_counter = false;
  std::string note;  ///< how the value follows from the counter; empty if they are equal
};

/// The value of a counter. A rate is better when larger: its inverse is a time, seconds for each.
/// For any other counter the metric or the table of facts must say what is better, else
/// std::runtime_error.
MetricValue value_of_counter(const Metric& metric, double number, bool is_rate);

/// Whether it has a ratio to another number.
bool has_ratio(double number);
/// Why the number called `name` is not a time, in seconds: it has none.
std::string why_no_time(const std::string& name, double seconds);

/// "there is no 'cpu_tim' (did you mean cpu_time?): real_time, cpu_time, items".
std::string no_such_metric(const Metric& metric, const std::vector<std::string>& names);

}  // namespace apod::files
