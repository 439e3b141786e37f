#include "kernels/backends/cuda/counters/metric_host.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace apod::cuda {

MetricHost::MetricHost(const ProfilerLibrary& library, std::string chip,
                       std::vector<std::uint8_t> availability, std::vector<std::string> more)
    : library_(library),
      chip_(std::move(chip)),
      availability_(std::move(availability)),
      more_(std::move(more)) {
  for (const auto& metric : kMetrics) {
    const auto name = knows(metric.name) ? metric.name : metric.newer;
    if (name.empty() || (name == metric.newer && !knows(name))) {
      missing_.emplace_back(metric.counter);
      continue;
    }
    metrics_.push_back({std::string(metric.counter), metric.scale});
    names_.push_back(name.data());  // a literal, which ends with a 0
  }
  for (const auto& name : more_) {
    if (!knows(name)) {
      missing_.push_back(name);
      continue;
    }
    metrics_.push_back({name, 1});
    names_.push_back(name.c_str());
  }
  if (names_.empty()) throw CountersUnavailable("the chip " + chip_ + " has none of the counters");
  object_ = make_object();
  try {
    schedule();
  } catch (...) {
    free_object(object_);
    throw;
  }
}

MetricHost::~MetricHost() {
  free_object(object_);
}

void MetricHost::schedule() {
  const auto check = [&](CUptiResult result, const char* call) {
    require(*library_.cupti, result, call);
  };
  check(add(object_, names_), "cuptiProfilerHostConfigAddMetrics");
  auto size = APOD_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = object_;
  check(library_.host_config_size(&size), "cuptiProfilerHostGetConfigImageSize");
  config_.resize(size.configImageSize);
  auto image = APOD_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params);
  image.pHostObject = object_;
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  check(library_.host_config(&image), "cuptiProfilerHostGetConfigImage");
  auto passes = APOD_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params);
  passes.configImageSize = config_.size();
  passes.pConfigImage = config_.data();
  check(library_.host_passes(&passes), "cuptiProfilerHostGetNumOfPasses");
  passes_ = passes.numOfPasses;
}

std::map<std::string, double> MetricHost::values(const std::vector<std::uint8_t>& data,
                                                 std::size_t range) {
  std::vector<double> numbers(names_.size(), std::numeric_limits<double>::quiet_NaN());
  auto evaluate = APOD_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  evaluate.pHostObject = object_;
  evaluate.pCounterDataImage = data.data();
  evaluate.counterDataImageSize = data.size();
  evaluate.rangeIndex = range;
  evaluate.ppMetricNames = names_.data();
  evaluate.numMetrics = names_.size();
  evaluate.pMetricValues = numbers.data();
  require(*library_.cupti, library_.host_evaluate(&evaluate),
          "cuptiProfilerHostEvaluateToGpuValues");
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    // A share of nothing, such as the hits of no access, is not a number.
    if (!std::isfinite(numbers[i])) continue;
    values.emplace(metrics_[i].counter, numbers[i] * metrics_[i].scale);
  }
  return values;
}

CUpti_Profiler_Host_Object* MetricHost::make_object() const {
  auto params = APOD_PARAMS(CUpti_Profiler_Host_Initialize_Params);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip_.c_str();
  params.pCounterAvailabilityImage = availability_.empty() ? nullptr : availability_.data();
  require(*library_.cupti, library_.host_initialize(&params), "cuptiProfilerHostInitialize");
  return params.pHostObject;
}

void MetricHost::free_object(CUpti_Profiler_Host_Object* object) const {
  auto params = APOD_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
  params.pHostObject = object;
  (void)library_.host_deinitialize(&params);
}

CUptiResult MetricHost::add(CUpti_Profiler_Host_Object* object,
                            std::vector<const char*> names) const {
  auto params = APOD_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  params.pHostObject = object;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  return library_.host_add_metrics(&params);
}

/// In an object of its own: one unknown name makes an object useless for all others.
bool MetricHost::knows(std::string_view name) const {
  auto* object = make_object();
  const bool known = add(object, {name.data()}) == CUPTI_SUCCESS;
  free_object(object);
  return known;
}

std::vector<std::string> MetricHost::names_like(const ProfilerLibrary& library,
                                                const std::string& chip, const std::string& name) {
  const MetricHost host(library, chip);
  if (host.knows(name)) return {};
  const auto base = name.substr(0, name.find('.'));
  std::vector<std::string> names;
  for (const auto type :
       {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO, CUPTI_METRIC_TYPE_THROUGHPUT}) {
    auto all = APOD_PARAMS(CUpti_Profiler_Host_GetBaseMetrics_Params);
    all.pHostObject = host.object_;
    all.metricType = type;
    require(*library.cupti, library.host_base_metrics(&all), "cuptiProfilerHostGetBaseMetrics");
    for (std::size_t i = 0; i < all.numMetrics; ++i) names.emplace_back(all.ppMetricNames[i]);
    if (std::find(names.begin(), names.end(), base) == names.end()) continue;
    auto sub = APOD_PARAMS(CUpti_Profiler_Host_GetSubMetrics_Params);
    sub.pHostObject = host.object_;
    sub.metricType = type;
    sub.pMetricName = base.c_str();
    require(*library.cupti, library.host_sub_metrics(&sub), "cuptiProfilerHostGetSubMetrics");
    names.clear();
    for (std::size_t i = 0; i < sub.numOfSubmetrics; ++i) {
      const std::string roll_up = sub.ppSubMetrics[i];
      names.push_back(base + (roll_up.starts_with('.') ? "" : ".") + roll_up);
    }
    break;
  }
  return names;
}

}  // namespace apod::cuda
