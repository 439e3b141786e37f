#include <algorithm>
#include <cmath>
#include <utility>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

// Rules on how a kernel fills the device, by its launch and by its counters.
namespace apod::look {
namespace {

/// "512 blocks of 16x16 threads (the longest of 3 shapes)".
std::string launch_of(const Weighed& weighed) {
  const auto& kernel = *weighed.kernel;
  return plural(blocks_of(kernel), "block", "blocks") + " of " + shape(kernel.block) +
         (threads_a_block(kernel) == 1 ? " thread" : " threads") +
         (weighed.shapes > 1 ? " (the longest of " + count(weighed.shapes) + " shapes)" : "");
}

/// A program can't change the grids or registers of a library that it calls. A case of our own can:
/// it chose its variant.
bool brought_by_library(const View& view, const KernelProfile& kernel) {
  return view.asked == nullptr && is_library_kernel(kernel.name);
}

/// Gain: the share of the time that the kernel takes.
void single_thread_kernel(View& view) {
  for (const auto& kernel : view.profile.kernels) {
    if (blocks_of(kernel) != 1 || threads_a_block(kernel) != 1 || kernel.time.count == 0) continue;
    if (brought_by_library(view, kernel)) continue;
    const double taken_s = view.kernels_alone * kernel.time.total_s;
    view.say(view.matters(taken_s) ? Severity::warning : Severity::note, "single-thread-kernel",
             without_parameters(kernel.name),
             "one block of one thread, " +
                 plural(view.a_step(static_cast<double>(kernel.time.count)), "launch", "launches") +
                 " of " + seconds(kernel.time.mean_s()) + view.of_a_step(),
             "use a whole block, or let the last block of the previous kernel do this work",
             taken_s / view.span_s);
  }
}

/// Whether other kernels use the multiprocessors that this one leaves idle.
bool runs_beside_others(const View& view) {
  return view.fact("kernel_overlap").value_or(0) >= threshold::matters.value;
}

/// Gain: share of the kernel * (1 - blocks / multiprocessors).
bool small_grid(View& view, const Weighed& weighed) {
  const auto& kernel = *weighed.kernel;
  const double blocks = blocks_of(kernel);
  const double processors = view.device.multiprocessors;
  if (!(blocks >= 1) || !(blocks < processors)) return false;
  if (blocks == 1 && threads_a_block(kernel) == 1) return true;  // said already
  if (runs_beside_others(view)) return true;
  // A grid close to the number of multiprocessors was chosen on purpose, and loses little.
  const double empty = 1 - blocks / processors;
  if (empty < threshold::tail_loss.value || view.nearness(kernel) >= near_ceiling) return true;
  const bool is_short = kernel.time.mean_s() < threshold::short_operation.value;
  view.say(is_short ? Severity::note : Severity::warning, "small-grid", weighed.name,
           launch_of(weighed) + " on " + count(processors) + " multiprocessors",
           is_short ? "the problem is too small to fill the device: batch several problems"
                    : "use smaller blocks or less work per thread, so that every "
                      "multiprocessor has a block",
           is_short ? 0 : weighed.share_of_span * empty);
  return true;
}

/// Gain: share of the kernel * the part of its waves in which nothing is resident,
/// (ceil(waves) - waves) / ceil(waves), waves = blocks / (resident blocks * multiprocessors).
void tail_effect(View& view, const Weighed& weighed) {
  const auto& kernel = *weighed.kernel;
  const double at_once = static_cast<double>(kernel.resident_blocks) * view.device.multiprocessors;
  if (!(at_once > 0)) return;
  const double waves = blocks_of(kernel) / at_once;
  const double whole = std::ceil(waves);
  if (runs_beside_others(view)) return;
  if (!(waves > 1) || kernel.time.mean_s() < threshold::short_operation.value) return;
  const double loss = (whole - waves) / whole;
  if (loss < threshold::tail_loss.value) return;
  if (1 - view.nearness(kernel) < threshold::kernel_matters.value) return;
  view.warn("tail-effect", weighed.name,
            plural(blocks_of(kernel), "block", "blocks") + " are " + count(waves) + " waves of " +
                count(at_once) + "; the last wave is " + percent(waves - std::floor(waves)) +
                " full",
            "make the number of blocks a multiple of the blocks that are resident at "
            "once, or use many more, smaller blocks",
            weighed.share_of_span * loss);
}

/// "shared memory".
std::string spaced(std::string_view word) {
  std::string text(word);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

const char* advice_on(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::registers:
      return "use fewer registers: __launch_bounds__, less unrolling, fewer values per thread";
    case OccupancyLimiter::shared_memory:
      return "use less shared memory per block: smaller tiles, or narrower types";
    case OccupancyLimiter::blocks:
      return "use larger blocks: a multiprocessor holds a limited number of blocks";
    case OccupancyLimiter::threads:
      return "choose a block size that divides the number of threads of a multiprocessor";
    case OccupancyLimiter::unknown:
      break;
  }
  return "look at registers, shared memory and block size: one of them limits the resident blocks";
}

/// A warning where ceilings or counters show that the kernel is far from every limit: more threads
/// could hide more of its latency. A note where neither is known. Gain: unknown.
void low_occupancy(View& view, const Weighed& weighed) {
  const auto& kernel = *weighed.kernel;
  const double most = view.device.max_threads_per_multiprocessor;
  if (!(most > 0) || kernel.resident_blocks == 0) return;
  const double processors = view.device.multiprocessors;
  // Of a grid that is smaller than what is resident, a multiprocessor has its share. As many blocks
  // for each were chosen on purpose, as persistent kernels do.
  const double blocks = processors > 0 ? blocks_of(kernel) / processors : 0;
  const bool by_grid = blocks < kernel.resident_blocks;
  if (by_grid && blocks == std::floor(blocks)) return;
  const double resident = by_grid ? blocks : kernel.resident_blocks;
  const double occupancy = resident * threads_a_block(kernel) / most;
  if (!(occupancy > 0) || occupancy >= threshold::low_occupancy.value) return;
  // Near a limit more threads gain nothing. A short kernel has no more to offer.
  if (view.nearness(kernel) >= near_ceiling) return;
  if (kernel.time.mean_s() < threshold::short_operation.value) return;
  const bool known = !kernel.counters.empty() || (view.roof && view.in_kernel_scope());
  if (by_grid) {
    view.say(known ? Severity::warning : Severity::note, "low-occupancy", weighed.name,
             percent(occupancy) +
                 " of the device's threads are resident, because the grid is small: " +
                 launch_of(weighed) + " on " + count(processors) +
                 " multiprocessors, which can hold " + count(kernel.resident_blocks) + " each",
             "use more blocks: smaller tiles, or several blocks that share a tile's sum", 0);
    return;
  }
  // A block that takes a whole multiprocessor's registers or shared memory was designed to.
  const bool designed = kernel.resident_blocks == 1;
  const bool limited = kernel.limiter != OccupancyLimiter::unknown;
  view.say(
      known && !designed ? Severity::warning : Severity::note, "low-occupancy", weighed.name,
      percent(occupancy) + " of a multiprocessor's threads can be resident (" +
          plural(kernel.resident_blocks, "block", "blocks") + " of " + shape(kernel.block) + ")" +
          (limited ? ", limited by " + spaced(to_string(kernel.limiter)) : "") + "; " +
          count(kernel.registers_per_thread) + " registers a thread, " +
          bytes(static_cast<double>(kernel.static_shared_bytes) + kernel.dynamic_shared_bytes) +
          " of shared memory per block",
      advice_on(kernel.limiter), 0);
}

/// By the code of the kernel, where it is known. A note: how often they run is not. Gain: unknown.
void register_spills(View& view, const Weighed& weighed) {
  const auto& kernel = *weighed.kernel;
  if (!kernel.instructions || kernel.instructions->local_accesses == 0) return;
  view.note("register-spills", weighed.name,
            plural(static_cast<double>(kernel.instructions->local_accesses), "load or store",
                   "loads and stores") +
                " of local memory in its code, with " + count(kernel.registers_per_thread) +
                " registers a thread",
            "keep fewer values per thread or allow more registers (__launch_bounds__, "
            "-maxrregcount); index per-thread arrays with constants only");
}

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
void say_wasted(View& view, const Weighed& weighed, const Waste& waste, const char* id,
                const char* advice) {
  const double saved = std::min(view.room, weighed.share * waste.share);
  if (!(saved >= threshold::kernel_matters.value)) return;
  view.warn(id, weighed.name, waste.text, advice, weighed.share_of_span * waste.share);
}

/// Gain: the kernel's share of the time * what the busiest unit works longer than their mean, for
/// so much could be spread.
bool atomics_bound(View& view, const Weighed& weighed) {
  const auto mean = counter(*weighed.kernel, "atomics_active");
  const auto busiest = counter(*weighed.kernel, "atomics_busiest");
  if (!mean || !busiest || *busiest < near_ceiling) return false;
  view.warn("atomics-bound", weighed.name,
            "the busiest atomic unit of the L2 works in " + percent(*busiest) +
                " of the cycles, the average unit in " + percent(*mean),
            "before the atomic, sum in registers, a warp or a block; split a counter that all "
            "threads share",
            weighed.share_of_span * (*busiest - *mean));
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
void latency_bound(View& view, const Weighed& weighed) {
  const auto& kernel = *weighed.kernel;
  const auto busiest = busiest_unit(kernel.counters);
  if (busiest.bound == Bound::unknown || view.nearness(kernel) >= near_ceiling) return;
  if (kernel.time.mean_s() < threshold::short_operation.value) return;
  const double occupancy = counter(kernel, "achieved_occupancy").value_or(0);
  if (occupancy < threshold::low_occupancy.value) return;  // said by the rules on grids
  const auto stall = main_stall(kernel);
  view.note("latency-bound", weighed.name,
            "no unit is near its peak: " + busiest.name + " work at " + percent(busiest.share) +
                ", with " + percent(occupancy) + " of the warps resident" +
                (stall ? "; the warps wait for " + std::string(stall->first.what) + " in " +
                             percent(stall->second) + " of their time"
                       : "") +
                (view.roof && view.in_kernel_scope()
                     ? "; the case reaches " + percent(view.roof->share) + " of the nearest ceiling"
                     : ""),
            stall
                ? stall->first.advice
                : "give each thread more independent work: several loads in flight, several sums, "
                  "unrolled loops; use fewer barriers and shorter dependency chains");
}

}  // namespace

void grid_rules(View& view) {
  single_thread_kernel(view);
  for (const auto& weighed : view.kernels) {
    if (brought_by_library(view, *weighed.kernel)) continue;
    register_spills(view, weighed);
    // A grid that leaves multiprocessors empty has no tail, and its occupancy says nothing.
    if (small_grid(view, weighed)) continue;
    tail_effect(view, weighed);
    low_occupancy(view, weighed);
  }
}

void counter_rules(View& view) {
  for (const auto& weighed : view.kernels) {
    say_wasted(view, weighed, of_bank_conflicts(*weighed.kernel), "bank-conflicts",
               "let the threads of a warp access different banks: pad the rows of a tile by one "
               "element, or swizzle its columns");
    say_wasted(view, weighed, of_divergence(*weighed.kernel), "divergent-warps",
               "let all threads of a warp take the same branch: sort the work, or give each branch "
               "whole warps");
    if (!atomics_bound(view, weighed)) latency_bound(view, weighed);
  }
}

}  // namespace apod::look
