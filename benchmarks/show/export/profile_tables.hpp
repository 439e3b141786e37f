#pragma once

/// \file
/// A profile in the forms that users of nvprof and Nsight Systems know.

#include <cstddef>
#include <string>

#include "benchmarks/base/profile.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::exports {

/// nvprof's way to write a time: "420.61us", "704ns", "117.78ms": five significant digits, the unit
/// by size (ns, us, ms, s), whole nanoseconds below 1 us. "-" for anything that is not a number.
std::string format_nvprof_time(double seconds);

/// nvprof's summary. "GPU activities" are the kernels by name, whatever their grid, and copies and
/// memsets as "[CUDA memcpy HtoD]" and "[CUDA memset]"; "API calls" are those of the runtime and of
/// the driver. Time(%) is a share of the total of its group.
show::Table summary_table(const Profile& profile);

/// Calls of the runtime and of the driver, the `most` that took longest. Those of less than 0.1 %
/// of their time and the others are one row.
show::Table calls_table(const Profile& profile, std::size_t most);

/// NVTX ranges by domain and name ("domain:name"; the default domain has no name). Time(%) is a
/// share of the time of all ranges, nested ones included, as in `nsys stats`. Marks, which take no
/// time, are left out.
show::Table ranges_table(const Profile& profile);

}  // namespace apod::exports
