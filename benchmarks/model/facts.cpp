#include "benchmarks/model/facts.hpp"

#include <algorithm>

namespace apod {

const std::vector<FactInfo>& known_facts() {
  constexpr bool traced = true;
  constexpr bool compared = true;
  constexpr bool counted = true;
  static const std::vector<FactInfo> facts{
      {"time", "time of one execution, s", Unit::seconds},
      {"time_low", "lower end of its 95 % interval, s", Unit::seconds},
      {"time_high", "upper end of its 95 % interval, s", Unit::seconds},
      {"precision", "half-width of the interval / time", Unit::ratio},
      {"samples", "samples used, all processes together"},
      {"processes", "processes used"},
      {"throttled", "samples taken while the device was throttled"},
      {"device_time", "end_to_end: the device's own time, s", Unit::seconds},
      {"bandwidth", "bytes per second: device memory, in end_to_end the host link",
       Unit::bytes_per_second},
      {"flops", "floating point operations per second", Unit::flop_per_second},
      {"share_of_peak", "share of the device's theoretical peak that the case came closest to",
       Unit::ratio},
      {"share_of_ceiling",
       "share reached of the measured ceiling that is nearest (bench ceilings measures them)",
       Unit::ratio},
      {"speedup", "baseline time / time (with a baseline)", Unit::ratio, !traced, compared},
      {"delta", "time / baseline time - 1 (with a baseline)", Unit::ratio, !traced, compared},
      {"error", "error against the reference, as the workload defines it", Unit::ratio},
      {"sm_clock", "mean SM clock while sampling, MHz (where it can be read)", Unit::megahertz},
      {"other_load",
       "processors that other processes kept busy meanwhile (where /proc/stat tells)"},
      {"other_gpu_processes",
       "other processes with a context on the GPU (where the driver shows them)"},
      {"peer_runs", "programs > 1: runs of the others, each from its first one on"},
      {"peer_time", "programs > 1: mean time of such a run, s", Unit::seconds},
      {"distinct_streams", "streams that are really different queues"},
      {"transfer_bytes", "end_to_end: bytes copied to the device and back", Unit::bytes},
      {"upload_bytes", "end_to_end: bytes copied to the device", Unit::bytes},
      {"download_bytes", "end_to_end: bytes copied back from the device", Unit::bytes},
      {"transfers_in_turn",
       "end_to_end: 1 where nothing can be copied back before all was copied to the device"},
      {"overlap", "share of the span with two or more operations at once", Unit::ratio, traced},
      {"copy_kernel_overlap", "share of the span with a copy and a kernel at once", Unit::ratio,
       traced},
      {"kernel_overlap", "share of the span with two or more kernels at once", Unit::ratio, traced},
      {"idle", "share of the span with nothing running", Unit::ratio, traced},
      {"busy", "share of the span with something running", Unit::ratio, traced},
      {"traced_streams", "streams that ran kernels or copies", Unit::count, traced},
      {"concurrent_streams", "most streams in use at once, from their first operation to the last",
       Unit::count, traced},
      {"concurrent_busy", "share of the span with something running and two streams in use",
       Unit::ratio, traced},
      {"kernels", "kernels run", Unit::count, traced},
      {"copies", "copies run", Unit::count, traced},
      {"pageable_bytes", "bytes copied from or to pageable host memory", Unit::bytes, traced},
      {"pinned_bytes", "bytes copied from or to pinned host memory", Unit::bytes, traced},
      {"occupancy", "resident threads / threads the device can hold, mean over the span",
       Unit::ratio, traced},
      {"registers", "registers a thread, of the kernel that uses most", Unit::count, traced},
      {"span", "first start to last end on the device, s", Unit::seconds, traced},
      {"kernel_time", "time within the span with a kernel running, s", Unit::seconds, traced},
      {"copy_time", "time within the span with a copy running, s", Unit::seconds, traced},
      {"longest_gap", "longest time within the span with nothing running, s", Unit::seconds,
       traced},
      {"host_wait", "share of the span in which the host waited for the device", Unit::ratio,
       traced},
      {"launch_latency", "from a call to the start of its operation on an idle device, median, s",
       Unit::seconds, traced},
      {"dram_bytes", "bytes read from and written to device memory by the kernels", Unit::bytes,
       !traced, !compared, counted},
      {"dram_throughput", "share of the peak rate of device memory, mean over the kernels",
       Unit::ratio, !traced, !compared, counted},
      {"l2_throughput", "share of the L2's peak rate, mean over the kernels", Unit::ratio, !traced,
       !compared, counted},
      {"l1_throughput", "share of the L1s' peak rate, mean over the kernels", Unit::ratio, !traced,
       !compared, counted},
      {"l2_hit_rate", "share of the sectors asked of the L2 that it held", Unit::ratio, !traced,
       !compared, counted},
      {"load_efficiency", "bytes that global loads asked for / bytes fetched for them", Unit::ratio,
       !traced, !compared, counted},
      {"store_efficiency", "bytes that global stores wrote / bytes touched for them", Unit::ratio,
       !traced, !compared, counted},
      {"achieved_occupancy", "resident warps / warps that fit, mean over the kernels", Unit::ratio,
       !traced, !compared, counted},
      {"issue_active", "share of the cycles in which an instruction was issued", Unit::ratio,
       !traced, !compared, counted},
      {"tensor_active", "share of the cycles in which the tensor cores worked", Unit::ratio,
       !traced, !compared, counted},
      {"fp32_instructions", "fp32 add, multiply and fused instructions that the threads executed",
       Unit::count, !traced, !compared, counted},
      {"fp64_instructions", "fp64 add, multiply and fused instructions that the threads executed",
       Unit::count, !traced, !compared, counted},
      {"tensor_instructions", "instructions of the tensor cores that the warps executed",
       Unit::count, !traced, !compared, counted},
  };
  return facts;
}

const FactInfo* find_fact(std::string_view name) {
  const auto& facts = known_facts();
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [&](const FactInfo& fact) { return fact.name == name; });
  return found == facts.end() ? nullptr : &*found;
}

}  // namespace apod
