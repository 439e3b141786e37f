#pragma once

#include <iosfwd>

#include "benchmarks/base/result.hpp"
#include "benchmarks/show/export/kernel_table.hpp"

namespace apod::exports {

/// The kernels of our own cases as PyProf's table, from the traces that the result keeps. `op` is
/// the workload with its variant, `params` the axes. A case knows only its total operations and
/// bytes: a launch gets an equal share if the case has launches of one kernel with one grid, and
/// "na" if several kernels share the work. `tc` comes from the profile of the traced pass.
void write_case_kernels(std::ostream& out, const Result& result, const KernelTableStyle& style);

}  // namespace apod::exports
