#include <algorithm>
#include <utility>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

namespace apod::look {
namespace {

constexpr double threads_a_warp = 32;

/// A unit's cycles that better code would not need, as a share of the kernel's.
struct Waste {
  double share = 0;
  std::string text;
};

/// The steps that are repeated for conflicts / all of them * the share of the cycles they take.
Waste of_bank_conflicts(const KernelProfile& kernel) {
  const auto conflicts = counter(kernel, "shared_conflicts");
  const auto steps = counter(kernel, "l1_wavefronts");
  const auto busy = counter(kernel, "l1_throughput");
  if (!conflicts || !steps || !busy || !(*steps > 0)) return {};
  const double repeated = std::min(1.0, *conflicts / *steps);
  return {*busy * repeated, percent(repeated) +
                                " of the wavefronts in L1 and shared memory are repeats because of "
                                "bank conflicts; wavefronts take " +
                                percent(*busy) + " of the cycles"};
}

/// The threads that a warp lacks / 32 * the share of the cycles in which instructions are issued.
Waste of_divergence(const KernelProfile& kernel) {
  const auto threads = counter(kernel, "active_threads");
  const auto busy = counter(kernel, "issue_active");
  if (!threads || !busy || threads_a_block(kernel) < threads_a_warp) return {};
  return {*busy * (1 - *threads / threads_a_warp),
          count(*threads) + " of a warp's " + count(threads_a_warp) +
              " threads take part in an instruction on average; instructions are issued in " +
              percent(*busy) + " of the cycles"};
}

/// Gain: the kernel's share of the time * the waste, at most what is left to the case's ceiling.
void say_wasted(const Evidence& evidence, const Weighed& weighed, const Waste& waste,
                const char* id, const char* advice, Findings& found) {
  if (gain(evidence, weighed.share * waste.share) < threshold::kernel_matters.value) return;
  found.push_back({id, Severity::warning, without_parameters(weighed.kernel->name), waste.text,
                   advice, gain(evidence, weighed.share_of_span * waste.share)});
}

/// Gain: the kernel's share of the time * what the busiest unit works longer than their mean, for
/// so much could be spread.
bool atomics_bound(const Evidence& evidence, const Weighed& weighed, Findings& found) {
  const auto mean = counter(*weighed.kernel, "atomics_active");
  const auto busiest = counter(*weighed.kernel, "atomics_busiest");
  if (!mean || !busiest || *busiest < near_ceiling) return false;
  found.push_back(
      {"atomics-bound", Severity::warning, without_parameters(weighed.kernel->name),
       "the busiest atomic unit of the L2 works in " + percent(*busiest) +
           " of the cycles, the average unit in " + percent(*mean),
       "before the atomic, sum in registers, a warp or a block; split a counter that all "
       "threads share",
       gain(evidence, weighed.share_of_span * (*busiest - *mean))});
  return true;
}

/// What the warps of a kernel may wait for.
struct Stall {
  const char* counter;
  const char* what;
  const char* advice;
};

/// The one that takes the most of their time, where it is much of it.
std::optional<std::pair<Stall, double>> main_stall(const KernelProfile& kernel) {
  static constexpr Stall stalls[] = {
      {"memory_stall", "global or local memory",
       "keep more loads in flight: load several values per thread before using the first, or use "
       "asynchronous copies"},
      {"shared_stall", "shared memory or special functions",
       "keep values in registers, and do other work between a load from shared memory and its use"},
      {"barrier_stall", "other warps of the block",
       "use fewer barriers or smaller blocks, or give each warp equal work"},
  };
  std::optional<std::pair<Stall, double>> longest;
  for (const auto& stall : stalls) {
    const double share = counter(kernel, stall.counter).value_or(0);
    if (share < threshold::main_stall.value || (longest && share <= longest->second)) continue;
    longest = {stall, share};
  }
  return longest;
}

/// Kernels that fill the device and keep none of its units busy. Gain: unknown.
void latency_bound(const Evidence& evidence, const Weighed& weighed, Findings& found) {
  const auto& kernel = *weighed.kernel;
  const auto busiest = busiest_unit(kernel.counters);
  if (busiest.bound == Bound::unknown || nearness(evidence, kernel) >= near_ceiling) return;
  if (kernel.time.mean_s() < threshold::short_operation.value) return;
  const double occupancy = counter(kernel, "achieved_occupancy").value_or(0);
  if (occupancy < threshold::low_occupancy.value) return;  // said by the rules on grids
  const auto roof = roofline_of(evidence);
  const bool reached = roof && !evidence.asked->end_to_end;
  const auto stall = main_stall(kernel);
  found.push_back(
      {"latency-bound", Severity::note, without_parameters(kernel.name),
       "no unit is near its peak: " + busiest.name + " work at " + percent(busiest.share) +
           ", with " + percent(occupancy) + " of the warps resident" +
           (stall ? "; the warps wait for " + std::string(stall->first.what) + " in " +
                        percent(stall->second) + " of their time"
                  : "") +
           (reached ? "; the case reaches " + percent(roof->share) + " of the nearest ceiling"
                    : ""),
       stall ? stall->first.advice
             : "give each thread more independent work: several loads in flight, several sums, "
               "unrolled loops; use fewer barriers and shorter dependency chains",
       0});
}

}  // namespace

void counter_rules(const Evidence& evidence, Findings& found) {
  if (!on_gpu(evidence)) return;
  for (const auto& weighed : kernels_that_matter(evidence)) {
    const auto& kernel = *weighed.kernel;
    say_wasted(evidence, weighed, of_bank_conflicts(kernel), "bank-conflicts",
               "let the threads of a warp access different banks: pad the rows of a tile by one "
               "element, or swizzle its columns",
               found);
    say_wasted(evidence, weighed, of_divergence(kernel), "divergent-warps",
               "let all threads of a warp take the same branch: sort the work, or give each branch "
               "whole warps",
               found);
    if (!atomics_bound(evidence, weighed, found)) latency_bound(evidence, weighed, found);
  }
}

}  // namespace apod::look
