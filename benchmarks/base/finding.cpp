#include "benchmarks/base/finding.hpp"

#include <algorithm>

namespace apod {

const std::vector<FindingInfo>& known_findings() {
  static const std::vector<FindingInfo> findings{
      {"host-bound",
       "the device waits while the host makes no CUDA call, or is late to return from one"},
      {"many-small-kernels", "the device waits for launches of short kernels"},
      {"exposed-copies", "copies that no kernel hides"},
      {"exposed-communication", "communication that no kernel hides"},
      {"rank-skew", "a device waits in collectives for another that arrives later"},
      {"first-use", "time goes into loading code and first launches"},
      {"slow-step", "a step takes far longer than the others"},
      {"pageable-transfer", "copies from or to pageable host memory take the time"},
      {"synchronous-copy", "blocking copies, where other work could run meanwhile"},
      {"queued-copy", "a small copy queues behind large ones, and a kernel waits for it"},
      {"aliased-streams", "fewer streams than were asked for"},
      {"serialized-streams", "several streams, and nothing runs at the same time"},
      {"idle-gaps", "the device waits for work"},
      {"launch-bound", "kernels shorter than the interval at which they can be launched"},
      {"fp64-in-fp32", "FP64 arithmetic in a case that asked for fp32"},
      {"unused-tensor-cores", "a matrix product that leaves the tensor cores idle"},
      {"unaligned-product", "a matrix product whose sides don't fit the tensor cores"},
      {"single-thread-kernel", "a kernel of one thread"},
      {"small-grid", "fewer blocks than multiprocessors"},
      {"tail-effect", "a last wave of blocks that leaves most of the device empty"},
      {"low-occupancy", "few threads resident, and what limits them"},
      {"latency-bound", "no unit of the device is near its peak, although the grid fills it"},
      {"register-spills", "a kernel spills registers to local memory"},
      {"uncoalesced-access", "far more bytes are moved than are needed"},
      {"bank-conflicts", "threads of a warp wait for each other's banks of shared memory"},
      {"divergent-warps", "the threads of a warp take different branches, one after the other"},
      {"atomics-bound", "atomic operations keep a unit of the L2 busy"},
      {"allocation-in-loop", "device memory is allocated or freed where work is repeated"},
      {"jit-at-start", "time goes into compiling or loading kernels"},
      {"throttled", "the device was slowed while samples were taken"},
      {"power-capped", "the power limit held the clock down"},
      {"above-ceiling", "faster than the ceiling that was measured"},
      {"memory-bound", "at the ceiling of device memory"},
      {"compute-bound", "at the ceiling of an arithmetic unit"},
      {"cache-resident", "faster than device memory allows: the data came from a cache"},
  };
  return findings;
}

const FindingInfo* find_finding(std::string_view id) {
  const auto& findings = known_findings();
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const FindingInfo& info) { return info.id == id; });
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace apod
