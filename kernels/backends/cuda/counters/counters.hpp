#pragma once

/// \file
/// The device's own counters. counters.cpp reads them where the toolkit has the headers of CUPTI's
/// range profiler (CUDA 12.6), none.cpp stands in elsewhere.

#include <functional>
#include <string>
#include <vector>

#include "kernels/api/counters.hpp"

namespace apod::cuda {

/// See Backend::count; on the calling thread's device. The profiler leaves megabytes dirty in the
/// L2 when a pass begins, after `before`; `settle` follows, and what it launches is left out.
Counters count(const std::vector<std::string>& metrics, const std::function<void()>& before,
               const std::function<void()>& settle, const std::function<void()>& work);

/// See BackendEntry::check_metric.
MetricCheck check_metric(const std::string& name);

}  // namespace apod::cuda
