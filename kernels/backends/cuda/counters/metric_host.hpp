#pragma once

/// \file
/// The half of the profiler that needs no device: the metrics of a chip, the passes they need, and
/// their values from raw counts.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backends/cuda/counters/metrics.hpp"
#include "kernels/backends/cuda/counters/profiler_library.hpp"

namespace apod::cuda {

class MetricHost {
 public:
  /// Schedules all of kMetrics and of `more`, by the profiler's names, that `chip` has ("GH100").
  /// `availability` is the device's own list of its counters; empty: all that the chip has. Throws
  /// CountersUnavailable.
  MetricHost(const ProfilerLibrary& library, std::string chip,
             std::vector<std::uint8_t> availability = {}, std::vector<std::string> more = {});
  ~MetricHost();
  MetricHost(const MetricHost&) = delete;
  MetricHost& operator=(const MetricHost&) = delete;

  /// Empty if `chip` has the metric `name`. Else similar names: the chip's metrics or, if only the
  /// roll-up is wrong, those of this metric. Throws CountersUnavailable.
  static std::vector<std::string> names_like(const ProfilerLibrary& library,
                                             const std::string& chip, const std::string& name);

  /// How often the work must run.
  std::size_t passes() const { return passes_; }
  /// The counters that this chip does not have.
  const std::vector<std::string>& missing() const { return missing_; }
  /// The schedule, for the device.
  const std::vector<std::uint8_t>& config() const { return config_; }
  /// The scheduled metrics, in the profiler's form.
  std::vector<const char*>& names() { return names_; }
  /// The counters of one range, without those that have no value.
  std::map<std::string, double> values(const std::vector<std::uint8_t>& data, std::size_t range);

 private:
  CUpti_Profiler_Host_Object* make_object() const;
  void free_object(CUpti_Profiler_Host_Object* object) const;
  CUptiResult add(CUpti_Profiler_Host_Object* object, std::vector<const char*> names) const;
  bool knows(std::string_view name) const;
  void schedule();

  const ProfilerLibrary& library_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  /// One of names_: what its value is called, and how much of it there is in one of its unit.
  struct Scheduled {
    std::string counter;
    double scale;
  };
  std::vector<std::string> more_;
  std::vector<Scheduled> metrics_;
  std::vector<const char*> names_;
  std::vector<std::string> missing_;
  std::vector<std::uint8_t> config_;
  std::size_t passes_ = 0;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

}  // namespace apod::cuda
