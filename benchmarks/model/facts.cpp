#include "benchmarks/model/summary.hpp"

namespace apod {

const std::vector<FactInfo>& known_facts() {
  static const std::vector<FactInfo> facts{
      {"time", "time of one execution, s"},
      {"time_low", "lower end of its 95 % interval, s"},
      {"time_high", "upper end of its 95 % interval, s"},
      {"precision", "half-width of the interval / time"},
      {"samples", "samples used, all processes together"},
      {"processes", "processes used"},
      {"throttled", "samples taken while the device was throttled"},
      {"device_time", "end_to_end: the device's own time, s"},
      {"bandwidth", "bytes per second: device memory, in end_to_end the host link"},
      {"flops", "floating point operations per second"},
      {"share_of_peak", "share of the device's theoretical peak that the case came closest to"},
      {"speedup", "baseline time / time (with a baseline)"},
      {"delta", "time / baseline time - 1 (with a baseline)"},
      {"error", "error against the reference, as the workload defines it"},
      {"sm_clock", "mean SM clock while sampling, MHz (where it can be read)"},
      {"distinct_streams", "streams that are really different queues"},
      {"transfer_bytes", "end_to_end: bytes copied to the device and back"},
      {"overlap", "share of the span with two or more operations at once", true},
      {"copy_kernel_overlap", "share of the span with a copy and a kernel at once", true},
      {"kernel_overlap", "share of the span with two or more kernels at once", true},
      {"idle", "share of the span with nothing running", true},
      {"busy", "share of the span with something running", true},
      {"traced_streams", "streams that ran kernels or copies", true},
      {"kernels", "kernels run", true},
      {"copies", "copies run", true},
      {"pageable_bytes", "bytes copied from or to pageable host memory", true},
      {"pinned_bytes", "bytes copied from or to pinned host memory", true},
      {"occupancy", "resident threads / threads the device can hold, mean over the span", true},
      {"span", "first start to last end on the device, s", true},
  };
  return facts;
}

}  // namespace apod
