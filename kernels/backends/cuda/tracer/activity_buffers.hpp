#pragma once

/// \file
/// The buffers that CUPTI fills with records, and how they are read. Without the CUDA runtime.

#include <cupti.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/api/activity.hpp"
#include "kernels/backends/cuda/tracer/cupti_library.hpp"
#include "kernels/backends/cuda/tracer/records.hpp"

namespace apod::cuda {

// CONCURRENT_KERNEL, not KERNEL: the latter makes kernels run one after the other.
inline constexpr std::array kDeviceKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
// The host's records.
inline constexpr std::array kHostKinds{CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
                                       CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                       CUPTI_ACTIVITY_KIND_MARKER, CUPTI_ACTIVITY_KIND_OVERHEAD};

/// Begins to record kHostKinds, without the calls that only ask (cudaGetDevice, cudaGetLastError):
/// they neither work nor wait, and frameworks make ten of them for each launch. A trace is useful
/// without any of these kinds; the first failure is returned.
CUptiResult enable_host_kinds(const CuptiLibrary& cupti);

/// "cuptiSubscribe failed: not initialized (15)".
std::string failure(const CuptiLibrary& cupti, const char* call, CUptiResult result);

/// Why no subscriber could be attached.
std::string subscription_failure(const CuptiLibrary& cupti, CUptiResult result);

/// From here on CUPTI puts its records into buffers of ours. It takes them from a stock that is
/// allocated and zeroed here and by read_buffers(), because the thread that needs one is the
/// program's: it would be held up for 2 ms.
CUptiResult register_buffers(const CuptiLibrary& cupti);

/// Reads all buffers that CUPTI has returned so far into `trace`, and drops them. Lost records are
/// a note.
void read_buffers(const CuptiLibrary& cupti, RecordReader& reader, Trace& trace);

/// Forgets them unread.
void drop_buffers();

/// Makes CUPTI return the buffers whose records are complete, or with
/// CUPTI_ACTIVITY_FLAG_FLUSH_FORCED all of them.
void flush(const CuptiLibrary& cupti, std::uint32_t flags, Trace& trace);

}  // namespace apod::cuda
