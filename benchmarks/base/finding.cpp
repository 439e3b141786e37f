#include "benchmarks/base/finding.hpp"

#include <algorithm>

namespace apod {

const std::vector<FindingInfo>& known_findings() {
  static const std::vector<FindingInfo> findings{
      {"host-bound", "the device waits: the host makes no CUDA call, or a CUDA call returns late"},
      {"many-small-kernels", "the device waits for launches of short kernels"},
      {"blocking-reads", "the host reads a few values and waits; what follows is launched late"},
      {"exposed-copies", "no kernel runs during copies"},
      {"exposed-communication", "no kernel runs during communication"},
      {"rank-skew", "in a collective, a device waits for a device that starts it later"},
      {"first-use", "loading code and first launches take much of the time"},
      {"slow-step", "a step takes far longer than the others"},
      {"pageable-transfer", "copies from or to pageable host memory take much of the time"},
      {"synchronous-copy", "the host waits in blocking copies, although other work could run"},
      {"queued-copy", "a small copy queues behind large ones, and a kernel waits for it"},
      {"aliased-streams", "fewer streams were used than the case asks for"},
      {"serialized-streams", "there are several streams, but their operations do not overlap"},
      {"idle-gaps", "the device waits for work"},
      {"launch-bound", "kernels are shorter than the interval between two launches"},
      {"fp64-in-fp32", "a kernel does FP64 arithmetic, but the case asks for fp32"},
      {"unused-tensor-cores", "a matrix product does not use the tensor cores"},
      {"fp64-kernels", "kernels that compute in double precision take much of the time"},
      {"copying-kernels", "kernels that only copy data take much of the time"},
      {"unaligned-product", "the shape of a matrix product does not fit the tensor cores"},
      {"single-thread-kernel", "a kernel has only one thread"},
      {"small-grid", "a kernel has fewer blocks than the device has multiprocessors"},
      {"tail-effect", "the last wave of blocks leaves most of the device empty"},
      {"low-occupancy", "few threads are resident; the finding says what limits their number"},
      {"latency-bound", "the grid fills the device, but no unit is near its peak"},
      {"register-spills", "a kernel spills registers to local memory"},
      {"uncoalesced-access", "far more bytes are moved than the kernel needs"},
      {"bank-conflicts", "the threads of a warp wait for the same bank of shared memory"},
      {"divergent-warps", "the threads of a warp take different branches, one after the other"},
      {"atomics-bound", "atomic operations keep a unit of the L2 busy"},
      {"allocation-in-loop", "device memory is allocated or freed inside a loop"},
      {"jit-at-start", "compiling or loading kernels takes much of the time"},
      {"throttled", "the device was throttled while samples were taken"},
      {"power-capped", "the power limit lowered the clock"},
      {"above-ceiling", "the case is faster than the measured ceiling"},
      {"memory-bound", "the case reaches the ceiling of device memory"},
      {"compute-bound", "the case reaches the ceiling of an arithmetic unit"},
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
