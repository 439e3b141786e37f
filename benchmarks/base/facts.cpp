#include "benchmarks/base/facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

namespace apod {
namespace {

using enum Unit;
using enum Better;
constexpr auto in_trace = FactNeeds::trace;
constexpr auto in_counters = FactNeeds::counters;
constexpr auto in_energy = FactNeeds::energy;
constexpr auto in_comparison = FactNeeds::baseline;
constexpr auto in_processes = FactNeeds::processes;
constexpr auto of_command = FactNeeds::command;
constexpr auto always = FactNeeds::nothing;
constexpr LeastChange any{LeastChange::Kind::any};
constexpr LeastChange by(double least) {
  return {LeastChange::Kind::absolute, least};
}
constexpr LeastChange by_share(double least) {
  return {LeastChange::Kind::relative, least};
}

constexpr FactInfo bounded(FactInfo fact) {
  fact.has_interval = true;
  return fact;
}

constexpr auto all_facts = std::to_array<FactInfo>({
    bounded({"time", "time of one execution: the geometric mean of the medians of all processes, s",
             seconds, less}),
    {"precision", "half-width of the interval, as a share of the time", share, less, in_processes},
    {"sample_spread",
     "interquartile range of a process's samples / its time; mean over the processes", share, less},
    {"phase_spread",
     "effect of the launch phase: 2 x standard deviation of the phases' median times / time; 0: no "
     "effect (docs/launch-phase.md)",
     share, less},
    {"phase_period",
     "number of launches after which the times repeat (launch phases); 1: no pattern", count,
     neither},
    {"phases_visited", "number of launch phases, of 8, that the samples cover", count, neither},
    {"samples", "number of samples used, over all processes", count},
    {"processes", "number of processes used", count},
    {"processes_wanted",
     "number of processes that the wanted precision needs, estimated from the spread so far; at "
     "most 1000",
     count, less, in_processes},
    bounded({"device_time", "end_to_end: time on the device alone, s", seconds, less}),
    {"cpu_time",
     "CPU time of the launching thread per sample, including the cache flush and the pause between "
     "samples, s",
     seconds, less},
    bounded({"bandwidth",
             "bytes per second that the case moves in device memory (end_to_end: over the host "
             "link; a collective: its size / time)",
             bytes_per_second, more}),
    bounded({"bus_bandwidth",
             "a collective: bus bandwidth as nccl-tests defines it, bytes per second",
             bytes_per_second, more, of_command}),
    bounded({"flops", "floating-point operations per second", flop_per_second, more}),
    bounded({"share_of_peak", "rate / the theoretical peak that the case comes closest to", share,
             more}),
    bounded({"share_of_ceiling",
             "rate / the measured ceiling that the case comes closest to (see bench ceilings)",
             share, more}),
    bounded({"speedup", "baseline time / time", ratio, more, in_comparison}),
    bounded({"delta", "time / baseline time - 1", share, less, in_comparison}),
    {"error", "error against the reference, as the workload defines it", ratio, less},

    {"pageable_bytes", "bytes copied from or to pageable host memory", bytes, less, in_trace,
     "copies with pageable memory", by_share(0.01)},
    {"pinned_bytes", "bytes copied from or to pinned host memory", bytes, neither, in_trace,
     "copies with pinned memory", by_share(0.01)},
    {"distinct_streams", "number of distinct streams that the program used", count, neither, always,
     "distinct streams", any},
    {"traced_streams", "number of streams that ran kernels or copies", count, neither, in_trace,
     "streams that ran work", any},
    {"concurrent_streams",
     "largest number of streams in use at once; a stream is in use from its first operation to its "
     "last",
     count, neither, in_trace},
    {"copy_kernel_overlap", "share of `span` in which a copy and a kernel ran at once", share, more,
     in_trace, "copies overlapping kernels", by(0.05)},
    {"kernel_overlap", "share of `span` in which two or more kernels ran at once", share, neither,
     in_trace, "kernels overlapping kernels", by(0.05)},
    {"overlap", "share of `span` in which two or more operations ran at once", share, more,
     in_trace, "overlap", by(0.05)},
    {"concurrent_busy",
     "share of `span` in which an operation ran while two or more streams were in use", share,
     neither, in_trace},
    {"busy", "share of `span` in which an operation ran", share, more, in_trace},
    {"idle", "share of `span` in which no operation ran", share, less, in_trace, "nothing running",
     by(0.05)},
    {"kernels", "number of kernels that ran", count, neither, in_trace, "kernels run", any},
    {"copies", "number of copies that ran", count, neither, in_trace, "copies run", any},
    {"registers", "registers per thread of the kernel that uses the most registers", count, neither,
     in_trace, "registers per thread", any},
    {"local_bytes",
     "local memory per thread (spills and arrays) of the kernel that uses the most local memory",
     bytes, less, in_trace, "local memory per thread", any},
    {"shared_bytes", "shared memory per block (static + dynamic), of the kernel that uses the most",
     bytes, neither, in_trace, "shared memory per block", any},
    {"occupancy",
     "resident threads as a share of the threads that fit on the device, mean over `span`", share,
     neither, in_trace, "threads resident", by(0.02)},
    {"span", "time from the first start to the last end on the device, s", seconds, less, in_trace},
    {"kernel_time", "time in which at least one kernel ran, s", seconds, less, in_trace},
    {"copy_time", "time in which at least one copy ran, s", seconds, less, in_trace},
    {"longest_gap", "longest time in which no operation ran, s", seconds, less, in_trace},
    {"host_wait", "share of `span` during which the host waited for the device", share, neither,
     in_trace},
    {"launch_latency", "median time from a call to the start of its operation on an idle device, s",
     seconds, less, in_trace},
    {"nvcc", "kernel file: version of the nvcc that compiled it", count, neither, always,
     "version of nvcc", any},
    {"nvrtc", "kernel file: version of the NVRTC that compiled it", count, neither, always,
     "version of NVRTC", any},
    {"compile_time",
     "kernel file: compile time (for cached code: the time of its first compilation), s", seconds,
     less},
    {"device_bytes", "on a GPU: device memory of one copy of the case's buffers", bytes, less,
     always, "device memory of the case", any},
    {"memory_places", "number of copies of the buffers that the samples used in turn", count,
     neither, always, "places in memory", any},
    {"spot_checks", "kernel file: how often its output was checked at random times", count},
    {"transfer_bytes", "end_to_end: bytes copied to the device and back", bytes, neither, always,
     "bytes over the host link", by_share(0.001)},
    {"upload_bytes", "end_to_end: bytes copied to the device", bytes},
    {"download_bytes", "end_to_end: bytes copied back from the device", bytes},
    {"transfers_in_turn",
     "end_to_end: 1 if all data must be on the device before a result can be copied back", count},
    {"wall_time", "a command: wall time from its start to its end, s", seconds, less, of_command},
    {"user_time", "a command: user time of all its threads, s", seconds, less, of_command,
     "CPU time, user", by_share(0.05)},
    {"system_time", "a command: system time, s", seconds, less, of_command, "CPU time, system",
     by_share(0.1)},
    {"peak_bytes",
     "a command: peak resident memory of its largest process (never less than that of bench)",
     bytes, less, of_command, "peak memory", by_share(0.1)},
    {"bytes", "bytes of device memory that the case reads and writes, as the workload counts them",
     bytes, neither, always, "bytes moved", by_share(0.001)},

    {"dram_bytes", "bytes read from and written to device memory by the kernels", bytes, less,
     in_counters},
    {"dram_throughput", "share of the peak rate of device memory, mean over the kernels", share,
     more, in_counters},
    {"l2_throughput", "share of the peak rate of the L2 cache, mean over the kernels", share,
     neither, in_counters},
    {"l1_throughput", "share of the peak rate of the L1 caches, mean over the kernels", share,
     neither, in_counters},
    {"l2_hit_rate", "hit rate of the L2: the share of the requested sectors that it held", share,
     more, in_counters},
    {"load_efficiency", "bytes that global loads requested / bytes fetched", share, more,
     in_counters},
    {"store_efficiency", "bytes that global stores wrote / bytes of the sectors touched", share,
     more, in_counters},
    {"achieved_occupancy", "resident warps as a share of the warps that fit, mean over the kernels",
     share, neither, in_counters},
    {"issue_active", "share of the cycles in which an instruction was issued", share, more,
     in_counters},
    {"tensor_active", "share of the cycles in which the tensor cores worked", share, more,
     in_counters},
    {"fp32_instructions", "fp32 add, multiply and fma instructions that the threads executed",
     count, neither, in_counters},
    {"fp64_instructions", "fp64 add, multiply and fma instructions that the threads executed",
     count, neither, in_counters},
    {"tensor_instructions", "number of tensor-core instructions that the warps executed", count,
     neither, in_counters},

    bounded({"energy",
             "energy of one run in back-to-back runs, minus the energy of the idle device, J",
             joules, less, in_energy}),
    {"power", "power during back-to-back runs, minus the power of the idle device, W", watts, less,
     in_energy},
    {"idle_power", "power of the idle device before the back-to-back runs, W", watts, less,
     in_energy},
    {"flops_per_joule", "floating-point operations per joule of `energy`", flop_per_joule, more,
     in_energy},

    {"peer_runs",
     "programs > 1: number of runs of the other programs, including the first run of each", count},
    {"peer_time", "programs > 1: mean time of a run of the other programs, s", seconds},
    {"other_gpu_processes",
     "number of other processes with a context on the GPU (if the driver shows them)", count, less,
     always, "other processes on the GPU", by(0.05)},
    {"other_load",
     "number of CPU cores that other processes kept busy meanwhile (if /proc/stat shows it)", count,
     less, always, "processors busy with other processes", by(0.5)},
    {"sm_clock", "mean SM clock while sampling, MHz (if it can be read)", megahertz, more, always,
     "SM clock", by_share(0.01)},
    {"sm_clock_min", "lowest SM clock of a sample, MHz", megahertz, more},
    {"sm_clock_max", "highest SM clock of a sample, MHz", megahertz, more},
    {"settling_time", "with `clocks: steady`: time until clock and power settled, s", seconds},
    {"power_capped", "share of the processes in which the power limit lowered the clock", share,
     less},
    {"throttled", "number of samples taken while the device was throttled", count, less},
    {"throttled_share", "share of the samples that were taken while the device was throttled",
     share, less, always, "samples taken while throttled", by(0.01)},
});

}  // namespace

std::span<const FactInfo> known_facts() {
  return all_facts;
}

const FactInfo* find_fact(std::string_view name) {
  static const auto ends = [] {
    std::map<std::string, FactInfo, std::less<>> facts;
    for (const auto& fact : all_facts) {
      if (!fact.has_interval) continue;
      const auto needs = fact.needs == always ? in_processes : fact.needs;
      for (const char* end : {"_low", "_high"}) {
        const FactInfo info{"", fact.help, fact.unit, fact.better, needs};
        const auto added = facts.emplace(std::string(fact.name) + end, info).first;
        added->second.name = added->first;
      }
    }
    return facts;
  }();
  const auto known = std::ranges::find(all_facts, name, &FactInfo::name);
  if (known != all_facts.end()) return &*known;
  const auto found = ends.find(name);
  return found == ends.end() ? nullptr : &found->second;
}

bool is_metric(std::string_view name) {
  const auto unit = name.find("__");
  return unit != 0 && unit != std::string_view::npos && name.find('.') != std::string_view::npos &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") ==
             std::string_view::npos &&
         name.find("..") == std::string_view::npos && name.front() != '.' && name.back() != '.';
}

bool matters(const FactInfo& fact, double before, double after) {
  using Kind = LeastChange::Kind;
  const double change = std::abs(after - before);
  const auto [kind, least] = fact.matters;
  return (kind == Kind::any && change > 1e-9) || (kind == Kind::absolute && change >= least) ||
         (kind == Kind::relative && change > least * std::max(std::abs(before), std::abs(after)));
}

}  // namespace apod
