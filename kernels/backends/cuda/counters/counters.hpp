#pragma once

/// \file
/// The device's own counters. counters.cpp reads them if the toolkit has the headers of CUPTI's
/// range profiler (CUDA 12.6); none.cpp replaces it otherwise.

#include <functional>
#include <string>
#include <vector>

#include "kernels/api/counters.hpp"

namespace apod::cuda {

/// See Backend::count; on the calling thread's device. The profiler leaves megabytes dirty in the
/// L2 when a pass begins, after `before`; `settle` follows, and its launches are left out.
Counters count(const std::vector<std::string>& metrics, const std::function<void()>& before,
               const std::function<void()>& settle, const std::function<void()>& work);

/// See BackendEntry::check_metric.
MetricCheck check_metric(const std::string& name);

}  // namespace apod::cuda
