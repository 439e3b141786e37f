#include <algorithm>

#include "benchmarks/inspect/rules.hpp"
#include "benchmarks/inspect/thresholds.hpp"
#include "benchmarks/model/kernel_name.hpp"

namespace apod::inspect {
namespace {

/// "3.1 of a ridge of 13.8 FLOP/B", or nothing.
std::string intensity_text(const Roofline& roof) {
  if (!(roof.intensity > 0) || !(roof.ridge > 0)) return "";
  return "; arithmetic intensity " + count(roof.intensity) + " FLOP/B, the ridge is at " +
         count(roof.ridge);
}

void at_a_ceiling(const Roofline& roof, const CaseEvidence& asked, Findings& found) {
  const double left = std::max(0.0, 1 - roof.share);
  const auto reached = [&](double amount, const char* unit) {
    return rate(amount / asked.time_s, unit) + " of the " + rate(roof.ceiling, unit) +
           " measured, " + percent(roof.share);
  };
  const auto& traffic = asked.traffic;
  if (roof.bound == Bound::memory) {
    found.push_back(
        {"memory-bound", Severity::note, "",
         reached(traffic.bytes_read + traffic.bytes_written, "B") + intensity_text(roof),
         "move fewer bytes: fuse passes over the same data, or use narrower types", left});
  }
  const bool tensor = roof.bound == Bound::tensor;
  if (tensor || roof.bound == Bound::fp32 || roof.bound == Bound::fp64) {
    const double flops = tensor                      ? roof.share * roof.ceiling * asked.time_s
                         : roof.bound == Bound::fp64 ? traffic.flops_fp64
                                                     : traffic.flops_fp32;
    found.push_back(
        {"compute-bound", Severity::note, "",
         std::string(to_string(roof.bound)) + ": " + reached(flops, "FLOP") + intensity_text(roof),
         "do less arithmetic, or do it in a faster type or on the tensor cores", left});
  }
}

void cache_resident(const Evidence& evidence, const Roofline& roof, Findings& found) {
  if (!roof.cache_resident) return;
  const bool cold = evidence.asked->cold;
  found.push_back(
      {"cache-resident", Severity::note, "",
       rate(roof.memory_bytes_per_s, "B") + " is above the " +
           rate(roof.memory_ceiling_bytes_per_s, "B") + " that device memory was measured to give" +
           (cold ? ", although the caches were flushed" : ""),
       cold ? "the case reads data again that it has read, or fewer bytes than it "
              "states; take a size far above the cache to measure memory"
            : "flush between samples (cache: cold), or take a size far above the cache, "
              "to measure memory",
       0});
}

/// From the counters of a traced kernel of any program, where they say it themselves. Nsight
/// Compute's rule for its "speed of light" section draws both lines at 80 % and 60 %; here 60 %.
void counted_bounds(const Evidence& evidence, Findings& found) {
  for (const auto& weighed : kernels_that_matter(evidence)) {
    const double memory = counter(*weighed.kernel, "dram_throughput").value_or(0) / 100;
    const double compute = counter(*weighed.kernel, "sm_throughput").value_or(0) / 100;
    if (std::max(memory, compute) < near_ceiling) continue;
    const bool is_memory = memory >= compute;
    found.push_back({is_memory ? "memory-bound" : "compute-bound", Severity::note,
                     without_parameters(weighed.kernel->name),
                     percent(is_memory ? memory : compute) + " of the peak " +
                         (is_memory ? "bandwidth of device memory" : "of the multiprocessors") +
                         ", counted",
                     is_memory ? "move fewer bytes: fuse passes over the same data, or use "
                                 "narrower types"
                               : "do less arithmetic, or do it in a faster type",
                     0});
  }
}

/// Gain: 1 - bytes needed / bytes moved, where the needed ones are known.
void uncoalesced_access(const Evidence& evidence, Findings& found) {
  double moved = 0;
  for (const auto& kernel : evidence.profile.kernels) {
    moved += (counter(kernel, "dram_bytes_read").value_or(0) +
              counter(kernel, "dram_bytes_written").value_or(0)) *
             static_cast<double>(kernel.time.count);
  }
  double needed = 0;
  if (evidence.asked != nullptr && !evidence.asked->end_to_end) {
    needed = evidence.asked->traffic.bytes_read + evidence.asked->traffic.bytes_written;
  }
  bool said = false;
  for (const auto& weighed : kernels_that_matter(evidence)) {
    const auto loads = counter(*weighed.kernel, "sectors_per_load");
    const auto stores = counter(*weighed.kernel, "sectors_per_store");
    const double sectors = std::max(loads.value_or(0), stores.value_or(0));
    if (!(sectors > threshold::sectors_per_request.value)) continue;
    said = true;
    found.push_back({"uncoalesced-access", Severity::warning,
                     without_parameters(weighed.kernel->name),
                     "a warp's " + std::string(sectors == loads.value_or(0) ? "load" : "store") +
                         " touches " + count(sectors) +
                         " sectors of 32 bytes, where 4 hold 32 "
                         "floats",
                     "let neighbouring threads access neighbouring addresses; stage transposed "
                     "access through shared memory",
                     gain(evidence, weighed.share * (1 - 4 / sectors))});
  }
  if (said || !(needed > 0) || moved < threshold::excess_traffic.value * needed) return;
  // What fits the cache moves less than it should, never more; small cases are all overhead.
  if (needed < static_cast<double>(evidence.device.l2_bytes)) return;
  found.push_back(
      {"uncoalesced-access", Severity::warning, "",
       bytes(moved) + " of device memory are moved where " + bytes(needed) + " are needed, " +
           count(moved / needed) + " times as much",
       "let neighbouring threads access neighbouring addresses, and reuse what was read "
       "from shared memory or registers",
       gain(evidence, 1 - needed / moved)});
}

}  // namespace

void ceiling_rules(const Evidence& evidence, Findings& found) {
  if (on_gpu(evidence)) uncoalesced_access(evidence, found);
  if (const auto roof = roofline_of(evidence)) {
    at_a_ceiling(*roof, *evidence.asked, found);
    cache_resident(evidence, *roof, found);
  } else if (on_gpu(evidence)) {
    counted_bounds(evidence, found);
  }
}

}  // namespace apod::inspect
