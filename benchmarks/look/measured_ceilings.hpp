#pragma once

#include <array>
#include <string>
#include <vector>

#include "benchmarks/base/ceilings.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"

namespace apod::look {

/// The workloads that measure a ceiling.
inline constexpr std::array ceiling_workloads{"read", "reduction", "copy",   "fma",
                                              "mma",  "gemm",      "launch", "transfer"};

/// The ceilings that the cases of configs/ceilings.yaml come to: of each workload that measures one
/// the best rate over its measured cases. Rates are work / time of one execution; `launch` gives
/// time / launches. What was not measured stays 0, and is named in `missing` (the ceiling's name),
/// but for the tensor cores of a host, which has none.
Ceilings measured_ceilings(const Result& result, const std::vector<CaseSummary>& summaries,
                           std::vector<std::string>& missing);

/// The links that the cases of configs/links.yaml come to: from each of the cases' peers to the
/// GPU that the result is of. `devices` are those of the machine. A pair that was not measured in a
/// direction is named in `missing`.
std::vector<Link> measured_links(const Result& result, const std::vector<CaseSummary>& summaries,
                                 const std::vector<DeviceFacts>& devices,
                                 std::vector<std::string>& missing);

}  // namespace apod::look
