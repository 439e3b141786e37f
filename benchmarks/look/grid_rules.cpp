#include <algorithm>
#include <cmath>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

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
bool brought_by_library(const Evidence& evidence, const KernelProfile& kernel) {
  return evidence.asked == nullptr && is_library_kernel(kernel.name);
}

/// Gain: the share of the time that the kernel takes.
void single_thread_kernel(const Evidence& evidence, Findings& found) {
  const double span = span_s(evidence);
  const double busy = busy_s(evidence);
  const double alone = kernels_alone(evidence);
  const Counts counts(evidence);
  for (const auto& kernel : evidence.profile.kernels) {
    if (blocks_of(kernel) != 1 || threads_a_block(kernel) != 1 || kernel.time.count == 0) continue;
    if (brought_by_library(evidence, kernel)) continue;
    const double taken_s = alone * kernel.time.total_s;
    const double share = busy > 0 ? std::min(1.0, taken_s / busy) : 0;
    found.push_back(
        {"single-thread-kernel",
         share >= threshold::matters.value ? Severity::warning : Severity::note,
         without_parameters(kernel.name),
         "one block of one thread, " +
             plural(counts.of(static_cast<double>(kernel.time.count)), "launch", "launches") +
             " of " + seconds(kernel.time.mean_s()) + counts.text(),
         "use a whole block, or let the last block of the previous kernel do this work",
         span > 0 ? gain(evidence, taken_s / span) : 0});
  }
}

/// Whether other kernels use the multiprocessors that this one leaves idle.
bool runs_beside_others(const Evidence& evidence) {
  return fact(evidence, "kernel_overlap").value_or(0) >= threshold::matters.value;
}

/// Gain: share of the kernel * (1 - blocks / multiprocessors).
bool small_grid(const Evidence& evidence, const Weighed& weighed, Findings& found) {
  const auto& kernel = *weighed.kernel;
  const double blocks = blocks_of(kernel);
  const double processors = evidence.device.multiprocessors;
  if (!(blocks >= 1) || !(blocks < processors)) return false;
  if (blocks == 1 && threads_a_block(kernel) == 1) return true;  // said already
  if (runs_beside_others(evidence)) return true;
  // A grid close to the number of multiprocessors was chosen on purpose, and loses little.
  const double empty = 1 - blocks / processors;
  if (empty < threshold::tail_loss.value || nearness(evidence, kernel) >= near_ceiling) return true;
  const bool is_short = kernel.time.mean_s() < threshold::short_operation.value;
  found.push_back({"small-grid", is_short ? Severity::note : Severity::warning,
                   without_parameters(kernel.name),
                   launch_of(weighed) + " on " + count(processors) + " multiprocessors",
                   is_short ? "the problem is too small to fill the device: batch several problems"
                            : "use smaller blocks or less work per thread, so that every "
                              "multiprocessor has a block",
                   is_short ? 0 : gain(evidence, weighed.share_of_span * empty)});
  return true;
}

/// Gain: share of the kernel * the part of its waves in which nothing is resident,
/// (ceil(waves) - waves) / ceil(waves), waves = blocks / (resident blocks * multiprocessors).
void tail_effect(const Evidence& evidence, const Weighed& weighed, Findings& found) {
  const auto& kernel = *weighed.kernel;
  const double at_once =
      static_cast<double>(kernel.resident_blocks) * evidence.device.multiprocessors;
  if (!(at_once > 0)) return;
  const double waves = blocks_of(kernel) / at_once;
  const double whole = std::ceil(waves);
  if (runs_beside_others(evidence)) return;
  if (!(waves > 1) || kernel.time.mean_s() < threshold::short_operation.value) return;
  const double loss = (whole - waves) / whole;
  if (loss < threshold::tail_loss.value) return;
  if (1 - nearness(evidence, kernel) < threshold::kernel_matters.value) return;
  found.push_back({"tail-effect", Severity::warning, without_parameters(kernel.name),
                   plural(blocks_of(kernel), "block", "blocks") + " are " + count(waves) +
                       " waves of " + count(at_once) + "; the last wave is " +
                       percent(waves - std::floor(waves)) + " full",
                   "make the number of blocks a multiple of the blocks that are resident at "
                   "once, or use many more, smaller blocks",
                   gain(evidence, weighed.share_of_span * loss)});
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
void low_occupancy(const Evidence& evidence, const Weighed& weighed, Findings& found) {
  const auto& kernel = *weighed.kernel;
  const double most = evidence.device.max_threads_per_multiprocessor;
  if (!(most > 0) || kernel.resident_blocks == 0) return;
  const double processors = evidence.device.multiprocessors;
  // Of a grid that is smaller than what is resident, a multiprocessor has its share. As many blocks
  // for each were chosen on purpose, as persistent kernels do.
  const double blocks = processors > 0 ? blocks_of(kernel) / processors : 0;
  const bool by_grid = blocks < kernel.resident_blocks;
  if (by_grid && blocks == std::floor(blocks)) return;
  const double resident = by_grid ? blocks : kernel.resident_blocks;
  const double occupancy = resident * threads_a_block(kernel) / most;
  if (!(occupancy > 0) || occupancy >= threshold::low_occupancy.value) return;
  // Near a limit more threads gain nothing. A short kernel has no more to offer.
  if (nearness(evidence, kernel) >= near_ceiling) return;
  if (kernel.time.mean_s() < threshold::short_operation.value) return;
  const bool known =
      !kernel.counters.empty() || (roofline_of(evidence) && !evidence.asked->end_to_end);
  if (by_grid) {
    found.push_back(
        {"low-occupancy", known ? Severity::warning : Severity::note,
         without_parameters(kernel.name),
         percent(occupancy) + " of the device's threads are resident, because the grid is small: " +
             launch_of(weighed) + " on " + count(processors) + " multiprocessors, which can hold " +
             count(kernel.resident_blocks) + " each",
         "use more blocks: smaller tiles, or several blocks that share a tile's sum", 0});
    return;
  }
  // A block that takes a whole multiprocessor's registers or shared memory was designed to.
  const bool designed = kernel.resident_blocks == 1;
  const bool limited = kernel.limiter != OccupancyLimiter::unknown;
  found.push_back(
      {"low-occupancy", known && !designed ? Severity::warning : Severity::note,
       without_parameters(kernel.name),
       percent(occupancy) + " of a multiprocessor's threads can be resident (" +
           plural(kernel.resident_blocks, "block", "blocks") + " of " + shape(kernel.block) + ")" +
           (limited ? ", limited by " + spaced(to_string(kernel.limiter)) : "") + "; " +
           count(kernel.registers_per_thread) + " registers a thread, " +
           bytes(static_cast<double>(kernel.static_shared_bytes) + kernel.dynamic_shared_bytes) +
           " of shared memory per block",
       advice_on(kernel.limiter), 0});
}

/// By the code of the kernel, where it is known. A note: how often they run is not. Gain: unknown.
void register_spills(const Weighed& weighed, Findings& found) {
  const auto& kernel = *weighed.kernel;
  if (!kernel.instructions || kernel.instructions->local_accesses == 0) return;
  found.push_back({"register-spills", Severity::note, without_parameters(kernel.name),
                   plural(static_cast<double>(kernel.instructions->local_accesses), "load or store",
                          "loads and stores") +
                       " of local memory in its code, with " + count(kernel.registers_per_thread) +
                       " registers a thread",
                   "keep fewer values per thread or allow more registers (__launch_bounds__, "
                   "-maxrregcount); index per-thread arrays with constants only",
                   0});
}

}  // namespace

void grid_rules(const Evidence& evidence, Findings& found) {
  if (!on_gpu(evidence)) return;
  single_thread_kernel(evidence, found);
  for (const auto& weighed : kernels_that_matter(evidence)) {
    if (brought_by_library(evidence, *weighed.kernel)) continue;
    register_spills(weighed, found);
    // A grid that leaves multiprocessors empty has no tail, and its occupancy says nothing.
    if (small_grid(evidence, weighed, found)) continue;
    tail_effect(evidence, weighed, found);
    low_occupancy(evidence, weighed, found);
  }
}

}  // namespace apod::look
