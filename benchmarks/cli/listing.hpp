#pragma once

#include <cstddef>
#include <string>

#include "benchmarks/base/plan.hpp"
#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/show/document.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// "23 s to 3 min 10 s": the guess may be off by a factor of two, and cases get further processes
/// until they are precise. Where `others` processes want the processors too, each gets its share of
/// them, and the text says up to how long the run takes then.
std::string time_text(const plan::TimeRange& time, double others, double processors);

/// That of the run of `plan` on this machine, as busy as it is now.
std::string run_time_text(const Plan& plan, const Registry& registry);

/// Prints the plan of a run that does not take place; returns the number of cases that would run.
std::size_t print_plan(const Plan& plan, const Registry& registry, const show::ConsoleStyle& style);

/// Prints what can be measured, and returns the exit code. `what` is a workload, "facts" (and
/// findings) or "all"; empty: shipped configs and the names of workloads, on one screen. Throws
/// UsageError, with similar names, for another word.
int list(const Registry& registry, const std::string& what, show::ConsoleStyle style);

/// Says which variants name a workload that is not there: a slip in their registration.
void warn_of_strays(const Registry& registry);

}  // namespace apod::cli
