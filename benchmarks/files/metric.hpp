#pragma once

/// \file
/// Which number of a row is read as its time.

#include <cstdint>
#include <string>
#include <vector>

namespace apod::files {

/// What --metric names: "cpu_time", "items_per_second", "cache_misses:less". Without a name it is
/// what a format takes for its time.
struct Metric {
  /// What is better of a counter that is no time.
  enum class Better : std::uint8_t { unsaid, less, more };

  std::string name;  ///< empty: the time
  Better better = Better::unsaid;
  bool only_times = false;  ///< a counter that is no time is refused: it could not be shown

  bool is_time() const { return name.empty() || name == "real_time"; }
};

/// Reads "NAME", "NAME:less" or "NAME:more". Throws std::invalid_argument where there is no name.
Metric metric_of(const std::string& text);

/// A number to compare, of which less is better.
struct MetricValue {
  /// Seconds, unless it is a counter that is no time. Where the file has a number that is not
  /// finite and positive, which has no ratio to another: that number.
  double value = 0;
  bool is_counter = false;
  std::string note;  ///< on the way from the counter to the value; empty where it is itself
};

/// The value of a counter. A rate is better when larger: its inverse is a time, seconds for each.
/// Of any other counter the metric must say what is better, else std::runtime_error.
MetricValue value_of_counter(const Metric& metric, double number, bool is_rate);

/// Whether it has a ratio to another.
bool has_ratio(double number);

/// "there is no 'cpu_tim' (did you mean cpu_time?): real_time, cpu_time, items".
std::string no_such_metric(const Metric& metric, const std::vector<std::string>& names);

}  // namespace apod::files
