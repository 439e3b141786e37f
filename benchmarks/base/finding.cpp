#include "benchmarks/base/finding.hpp"

#include <algorithm>

namespace apod {

const std::vector<FindingInfo>& known_findings() {
  static const std::vector<FindingInfo> findings{
      {"host-bound", "the device waits: the host makes no CUDA call, or returns late from one"},
      {"many-small-kernels", "the device waits for launches of short kernels"},
      {"exposed-copies", "copies during which no kernel runs"},
      {"exposed-communication", "communication during which no kernel runs"},
      {"rank-skew", "in collectives, a device waits for a device that arrives later"},
      {"first-use", "loading code and first launches take much of the time"},
      {"slow-step", "a step takes far longer than the others"},
      {"pageable-transfer", "copies from or to pageable host memory take much of the time"},
      {"synchronous-copy", "blocking copies, during which other work could run"},
      {"queued-copy", "a small copy queues behind large ones, and a kernel waits for it"},
      {"aliased-streams", "fewer streams were used than the case asks for"},
      {"serialized-streams", "several streams, but their operations do not overlap"},
      {"idle-gaps", "the device waits for work"},
      {"launch-bound", "kernels shorter than the interval at which they can be launched"},
      {"fp64-in-fp32", "FP64 arithmetic in a case that asked for fp32"},
      {"unused-tensor-cores", "a matrix product that does not use the tensor cores"},
      {"unaligned-product", "a matrix product whose shape does not fit the tensor cores"},
      {"single-thread-kernel", "a kernel of one thread"},
      {"small-grid", "fewer blocks than multiprocessors"},
      {"tail-effect", "the last wave of blocks leaves most of the device empty"},
      {"low-occupancy", "few threads are resident; the text says what limits them"},
      {"latency-bound", "the grid fills the device, but no unit is near its peak"},
      {"register-spills", "a kernel spills registers to local memory"},
      {"uncoalesced-access", "far more bytes are moved than the kernel needs"},
      {"bank-conflicts",
       "bank conflicts: threads of a warp wait for the same bank of shared memory"},
      {"divergent-warps", "the threads of a warp take different branches, one after the other"},
      {"atomics-bound", "atomic operations keep a unit of the L2 busy"},
      {"allocation-in-loop", "device memory is allocated or freed inside a loop"},
      {"jit-at-start", "compiling or loading kernels takes much of the time"},
      {"throttled", "the device was throttled while samples were taken"},
      {"power-capped", "the power limit lowered the clock"},
      {"above-ceiling", "faster than the measured ceiling"},
      {"memory-bound", "at the ceiling of device memory"},
      {"compute-bound", "at the ceiling of an arithmetic unit"},
      {"cache-resident", "faster than device memory allows: the data come from a cache"},
  };
  return findings;
}

const FindingInfo* find_finding(std::string_view id) {
  const auto& findings = known_findings();
  const auto found = std::ranges::find(findings, id, &FindingInfo::id);
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace apod
