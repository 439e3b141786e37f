#pragma once

/// \file
/// The calls of NVTX that a window or the size of a message needs, from CUPTI's callback.

#include <cupti.h>
#include <generated_nvtx_meta.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kernels/backends/cuda/injected/message_sizes.hpp"
#include "kernels/backends/cuda/injected/range_watch.hpp"

namespace apod::cuda {

inline constexpr std::array kRangeCalls{CUPTI_CBID_NVTX_nvtxRangePushA,
                                        CUPTI_CBID_NVTX_nvtxRangePushEx,
                                        CUPTI_CBID_NVTX_nvtxRangePop,
                                        CUPTI_CBID_NVTX_nvtxRangeStartA,
                                        CUPTI_CBID_NVTX_nvtxRangeStartEx,
                                        CUPTI_CBID_NVTX_nvtxRangeEnd,
                                        CUPTI_CBID_NVTX_nvtxDomainRangePushEx,
                                        CUPTI_CBID_NVTX_nvtxDomainRangePop,
                                        CUPTI_CBID_NVTX_nvtxDomainRangeStartEx,
                                        CUPTI_CBID_NVTX_nvtxDomainRangeEnd,
                                        CUPTI_CBID_NVTX_nvtxDomainRegisterStringA};
inline constexpr std::array kMessageCalls{CUPTI_CBID_NVTX_nvtxDomainRangePushEx,
                                          CUPTI_CBID_NVTX_nvtxDomainRegisterStringA};

/// May be called from several threads.
class NvtxEvents {
 public:
  explicit NvtxEvents(std::string range) : watch_(std::move(range)) {}

  /// What the call does to the watched range.
  RangeEvent read(CUpti_CallbackId call, const CUpti_NvtxData& data, std::int64_t now_ns);

  MessageSizes messages;

 private:
  std::string text_of(const nvtxEventAttributes_t* attributes);

  RangeWatch watch_;
  std::mutex mutex_;
  std::unordered_map<const void*, std::string> registered_;  ///< texts that have a handle
};

}  // namespace apod::cuda
