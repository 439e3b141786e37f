#include <algorithm>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

namespace apod::look {
namespace {

constexpr const char* move_fewer_bytes =
    "move fewer bytes: fuse passes over the same data, or use narrower types";

/// "3.1 of a ridge of 13.8 FLOP/B", or nothing.
std::string intensity_text(const Roofline& roof) {
  if (!(roof.intensity > 0) || !(roof.ridge > 0)) return "";
  return "; arithmetic intensity " + count(roof.intensity) + " FLOP/B, the ridge is at " +
         count(roof.ridge);
}

/// A unit that its counters show to be near its peak. Nsight Compute's rule for its "speed of
/// light" section draws the line at 60 % too. Arithmetic has to be nearer: at 60 %, waiting for it
/// costs as much as doing it.
void say_busiest(View& view, const BusiestUnit& unit, const std::string& subject) {
  const bool memory = unit.bound == Bound::memory || unit.bound == Bound::cache;
  if (unit.share < (memory ? near_ceiling : threshold::at_peak.value)) return;
  view.note(
      memory ? "memory-bound" : "compute-bound", subject,
      unit.name + (memory ? " moves data" : " work") + " at " + percent(unit.share) +
          " of the peak rate (from counters)",
      unit.bound == Bound::memory ? move_fewer_bytes
      : memory && unit.name == l2_unit
          ? "keep loaded values in registers or shared memory and reuse them; let neighbouring "
            "threads access neighbouring addresses"
      : memory ? "access global and shared memory less: more values per thread in registers, wider "
                 "loads, no bank conflicts, neighbouring threads at neighbouring addresses"
               : "do less arithmetic, or do it in a faster type");
}

void at_a_ceiling(View& view, const Roofline& roof) {
  const double left = std::max(0.0, 1 - roof.share);
  const auto& traffic = view.asked->traffic;
  const auto reached = [&](double amount, const char* unit) {
    return rate(amount / view.asked->time_s, unit) + " is " + percent(roof.share) +
           " of the measured ceiling, " + rate(roof.ceiling, unit) + intensity_text(roof);
  };
  if (roof.busiest.bound != Bound::unknown) return say_busiest(view, roof.busiest, "");
  if (roof.bound == Bound::memory) {
    view.note("memory-bound", "", reached(traffic.bytes_read + traffic.bytes_written, "B"),
              "a higher rate saves at most " + percent(left) + "; for more, " + move_fewer_bytes,
              left);
  }
  if (!is_arithmetic(roof.bound) || roof.share < threshold::at_peak.value) return;
  const double flops = roof.bound == Bound::tensor ? roof.share * roof.ceiling * view.asked->time_s
                       : roof.bound == Bound::fp64 ? traffic.flops_fp64
                                                   : traffic.flops_fp32;
  view.note("compute-bound", "", std::string(to_string(roof.bound)) + ": " + reached(flops, "FLOP"),
            "do less arithmetic, or do it in a faster type or on the tensor cores", left);
}

/// Of any kind but device memory, where a cache is the cause.
void above_ceiling_of(View& view, const Roofline& roof) {
  const bool computes = roof.exceeded != Bound::unknown;
  const double share = computes ? roof.exceeded_share : roof.share;
  if (share <= threshold::above.value || (!computes && roof.nearest == Bound::memory)) return;
  view.note(
      "above-ceiling", "",
      percent(share) + " of the measured ceiling (" +
          std::string(to_string(computes ? roof.exceeded : roof.nearest)) + ")",
      std::string(computes ? "check whether the tensor cores do the work, or whether the kernel "
                             "does fewer operations than the case states; otherwise "
                           : "") +
          "measure the ceilings again with bench ceilings: clock, power or temperature may have "
          "changed");
}

void cache_resident(View& view, const Roofline& roof) {
  if (!roof.cache_resident) return;
  const bool cold = view.asked->cold;
  view.note(
      "cache-resident", "",
      rate(roof.memory_bytes_per_s, "B") + " is above the measured ceiling of device memory, " +
          rate(roof.memory_ceiling_bytes_per_s, "B") + (cold ? ", even with flushed caches" : ""),
      cold ? "to measure memory, choose a size far above the cache; check the stated bytes: "
             "the case may read data twice, or read fewer bytes than it states"
           : "to measure memory, flush between samples (cache: cold), or choose a "
             "size far above the cache");
}

constexpr double sector = 32;  // bytes

double dram_bytes(const KernelProfile& kernel) {
  return counter(kernel, "dram_bytes_read").value_or(0) +
         counter(kernel, "dram_bytes_written").value_or(0);
}

/// Sectors of one kind of access / sectors of both, or those that device memory moves where that is
/// more. A few stores of sums waste nothing that matters, nor does the one store of a kernel whose
/// tiles are moved by asynchronous copies.
double share_of_sectors(const KernelProfile& kernel, const std::string& access) {
  const double loads = counter(kernel, "global_load_sectors").value_or(0);
  const double stores = counter(kernel, "global_store_sectors").value_or(0);
  const double all = std::max(loads + stores, dram_bytes(kernel) / sector);
  return all > 0 ? (access == "load" ? loads : stores) / all : 0;
}

/// Whether the kernel waits for device memory although the case moves no more bytes than it must:
/// then the rest of each sector is used by a later access, out of a cache.
bool caches_use_the_rest(const View& view, const KernelProfile& kernel) {
  if (!view.in_kernel_scope()) return false;
  const auto& traffic = view.asked->traffic;
  const double needed = traffic.bytes_read + traffic.bytes_written;
  const auto moved = view.fact("dram_bytes");
  const auto busiest = busiest_unit(kernel.counters);
  return moved && *moved > 0 && *moved <= threshold::needed_bytes.value * needed &&
         busiest.bound == Bound::memory && busiest.share >= near_ceiling;
}

/// Bytes that threads asked for / bytes in the 32-byte sectors that were touched. Above 1 where
/// threads of a warp ask for the same bytes.
std::optional<double> access_efficiency(const KernelProfile& kernel, const std::string& access) {
  if (share_of_sectors(kernel, access) < threshold::kernel_matters.value) return std::nullopt;
  const auto bytes = counter(kernel, "global_" + access + "_bytes");
  const auto sectors = counter(kernel, "global_" + access + "_sectors");
  if (!bytes || !sectors || !(*bytes > 0) || !(*sectors > 0)) return std::nullopt;
  const double efficiency = *bytes / (sector * *sectors);
  if (access == "store") return efficiency;
  // Asynchronous copies to shared memory count their sectors, but not their bytes.
  if (kernel.instructions)
    return kernel.instructions->asynchronous_loads > 0 ? std::nullopt : std::optional(efficiency);
  // Where the code is not known: a float alone in its sector uses an eighth of it, so anything
  // below must be such copies.
  return efficiency < threshold::one_float.value ? std::nullopt : std::optional(efficiency);
}

/// Gain: the kernel's share of the time * the unused share of its sectors.
void uncoalesced_access(View& view) {
  for (const auto& weighed : view.kernels) {
    const auto& kernel = *weighed.kernel;
    // A short kernel only shows latency, and a single thread has no neighbours.
    if (kernel.time.mean_s() < threshold::short_operation.value) continue;
    if (blocks_of(kernel) * threads_a_block(kernel) == 1) continue;
    if (caches_use_the_rest(view, kernel)) continue;
    std::string text;
    double unused = 0;  // of the sectors that the kernel touches
    for (const char* access : {"load", "store"}) {
      const auto used = access_efficiency(kernel, access);
      if (!used || *used >= threshold::access_efficiency.value) continue;
      const bool loads = access == std::string_view("load");
      text += loads          ? "its global loads use only "
              : text.empty() ? "its stores use "
                             : ", its stores ";
      text += percent(*used);
      unused += share_of_sectors(kernel, access) * (1 - *used);
    }
    if (text.empty()) continue;
    view.warn("uncoalesced-access", weighed.name,
              text + " of the bytes in the sectors that they touch",
              "let neighbouring threads access neighbouring addresses; for transposed "
              "access, go through shared memory",
              weighed.share_of_span * unused);
  }
}

}  // namespace

void ceiling_rules(View& view) {
  if (view.on_gpu()) uncoalesced_access(view);
  if (view.roof) {
    at_a_ceiling(view, *view.roof);
    above_ceiling_of(view, *view.roof);
    cache_resident(view, *view.roof);
  } else if (view.on_gpu()) {
    for (const auto& weighed : view.kernels)
      say_busiest(view, busiest_unit(weighed.kernel->counters), weighed.name);
  }
}

}  // namespace apod::look
