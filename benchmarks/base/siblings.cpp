#include "benchmarks/base/siblings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "benchmarks/base/stats/means.hpp"

namespace apod {
namespace {

constexpr double steady = 0.02;            ///< half-width of a time's interval, as a share of it
constexpr double least_difference = 0.01;  ///< a smaller difference is none
constexpr std::size_t fewest_devices = 3;
constexpr std::size_t fewest_cases = 3;

/// ln time of each device, by the case's id without the device.
using Times = std::map<std::string, std::map<std::string, double>>;

/// The devices in the order of the plan; fills `times`.
std::vector<std::string> collect(const std::vector<CaseSummary>& summaries, Times& times) {
  std::vector<std::string> devices;
  for (const CaseSummary& summary : summaries) {
    const AxisValue* value = summary.info->params.find("device");
    if (value == nullptr) continue;
    const auto device = to_string(*value);
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
    const Estimate time = summary.time();
    if (summary.status != CaseStatus::measured || !(time.value > 0) || !time.has_interval() ||
        time.half_width() > steady * time.value) {
      continue;
    }
    std::string name = summary.info->id;
    const auto at = name.find("/device:" + device);
    if (at != std::string::npos) name.erase(at, std::string("/device:").size() + device.size());
    times[name][device] = std::log(time.value);
  }
  return devices;
}

/// Of each case that all devices have: ln of the device's time over the median of the others'.
std::vector<double> differences(const Times& times, const std::string& device, std::size_t count) {
  std::vector<double> values;
  for (const auto& [name, by_device] : times) {
    if (by_device.size() != count) continue;
    std::vector<double> others;
    for (const auto& [other, time] : by_device) {
      if (other != device) others.push_back(time);
    }
    values.push_back(by_device.at(device) - stats::median(others));
  }
  return values;
}

}  // namespace

std::vector<Sibling> siblings(const std::vector<CaseSummary>& summaries) {
  Times times;
  const auto devices = collect(summaries, times);
  if (devices.size() < fewest_devices) return {};
  std::vector<Sibling> all;
  for (const auto& device : devices) {
    const auto values = differences(times, device, devices.size());
    if (values.size() < fewest_cases) return {};
    all.push_back({.device = device,
                   .apart = stats::as_share(stats::mean_interval(values)),
                   .cases = values.size()});
  }
  for (Sibling& one : all) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Sibling& other : all) {
      if (&other == &one) continue;
      low = std::min(low, other.apart.value);
      high = std::max(high, other.apart.value);
    }
    one.others_apart = high - low;
    const double limit = std::max(least_difference, one.others_apart);
    if (one.apart.low > limit) one.standing = Standing::slower;
    if (one.apart.high < -limit) one.standing = Standing::faster;
  }
  return all;
}

}  // namespace apod
