#include "benchmarks/files/metric.hpp"

#include <cmath>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"

namespace apod::files {

Metric metric_of(const std::string& text) {
  Metric metric{text};
  for (const auto& [end, better] :
       {std::pair{std::string(":less"), Better::less}, {":more", Better::more}}) {
    if (!text.ends_with(end)) continue;
    metric.name.resize(text.size() - end.size());
    metric.better = better;
  }
  const bool is_time = metric.name == "real_time" || metric.name == "cpu_time";
  if (is_time && metric.better == Better::more)
    throw std::invalid_argument("'" + text + "': less time is always better, so leave out ':more'");
  if (metric.name.empty()) throw std::invalid_argument("'" + text + "' names no metric");
  return metric;
}

bool has_ratio(double number) {
  return number >= 1e-150 && number <= 1e150;  // of two such numbers too
}

std::string why_no_time(const std::string& name, double seconds) {
  return std::isfinite(seconds)
             ? name + ": " + text::format_quantity(seconds, text::Unit::seconds) + " is not a time"
             : "its " + name + " is not a finite number";
}

MetricValue value_of_counter(const Metric& metric, double number, bool is_rate) {
  const std::string& name = metric.name;
  auto better = metric.better;
  const double inverse = has_ratio(number) ? 1 / number : number;
  if (is_rate && better == Better::neither)
    return {inverse, false, "the time is 1 / " + name + ", in seconds per unit"};
  const FactInfo* known = find_fact(name);
  if (known != nullptr && better == Better::neither) better = known->better;
  if (better == Better::neither) {
    throw std::runtime_error(name + ": bench does not know whether less or more is better. Write " +
                             name + ":less or " + name + ":more");
  }
  if (metric.only_times)
    throw std::runtime_error(name +
                             " is not a time, but bench export and bench calibrate need a time");
  if (better == Better::less)
    return {number, true, "the compared value is " + name + ", not a time; less is better"};
  return {inverse, true, "the compared value is 1 / " + name + ", not a time; less is better"};
}

std::string no_such_metric(const Metric& metric, const std::vector<std::string>& names) {
  const auto near = text::closest(metric.name, names);
  std::string text =
      "no metric '" + metric.name + "'" + text::in_brackets(text::did_you_mean(near));
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "; known: " : ", ") + names[i];
  return text;
}

}  // namespace apod::files
