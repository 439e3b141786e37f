#include "kernels/backends/cuda/injected/nvtx_events.hpp"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/backends/cuda/injected/own_stack.hpp"

namespace apod::cuda {
namespace {

template <class Params>
const Params& params_of(const CUpti_NvtxData& data) {
  return *static_cast<const Params*>(data.functionParams);
}

template <class Value>
Value result_of(const CUpti_NvtxData& data) {
  return data.functionReturnValue == nullptr ? Value{}
                                             : *static_cast<const Value*>(data.functionReturnValue);
}

std::string_view text_or_nothing(const char* text) {
  return text == nullptr ? std::string_view{} : std::string_view(text);
}

std::uint64_t this_thread() {
  return static_cast<std::uint64_t>(::syscall(SYS_gettid));
}

/// Copies memory that may be gone, up to the end of a page in it. Returns the number of bytes.
std::size_t copy_of(const void* from, void* to, std::size_t bytes) {
  constexpr std::size_t page = 4096;
  const auto first = std::min(bytes, page - reinterpret_cast<std::uintptr_t>(from) % page);
  auto* begin = static_cast<char*>(const_cast<void*>(from));
  const iovec there[]{{begin, first}, {begin + first, bytes - first}};
  const iovec here{to, bytes};
  const auto copied = ::process_vm_readv(::getpid(), &here, 1, there, 2, 0);
  return copied < 0 ? 0 : static_cast<std::size_t>(copied);
}

}  // namespace

std::string NvtxEvents::text_of(const nvtxEventAttributes_t* attributes) {
  nvtxEventAttributes_t copy{};
  if (!lies_on_own_stack(attributes)) {
    // Static ones, or those of a call that has ended.
    if (copy_of(attributes, &copy, sizeof copy) != sizeof copy) return {};
    if (copy.messageType == NVTX_MESSAGE_TYPE_ASCII) {
      std::array<char, 512> text{};
      (void)copy_of(copy.message.ascii, text.data(), text.size() - 1);
      return text.data();
    }
    attributes = &copy;
  }
  if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII)
    return std::string(text_or_nothing(attributes->message.ascii));
  if (attributes->messageType != NVTX_MESSAGE_TYPE_REGISTERED) return {};
  const std::lock_guard lock(mutex_);
  const auto found = registered_.find(attributes->message.registered);
  return found == registered_.end() ? std::string() : found->second;
}

RangeEvent NvtxEvents::read(CUpti_CallbackId call, const CUpti_NvtxData& data,
                            std::int64_t now_ns) {
  switch (call) {
    case CUPTI_CBID_NVTX_nvtxRangePushA:
      return watch_.push(this_thread(), nullptr,
                         text_or_nothing(params_of<nvtxRangePushA_params>(data).message));
    case CUPTI_CBID_NVTX_nvtxRangePushEx:
      return watch_.push(this_thread(), nullptr,
                         text_of(params_of<nvtxRangePushEx_params>(data).eventAttrib));
    case CUPTI_CBID_NVTX_nvtxDomainRangePushEx: {
      const auto& params = params_of<nvtxDomainRangePushEx_params>(data);
      const auto* attributes = params.core.eventAttrib;
      // NCCL keeps them on its stack. Seen with CUPTI 13.0, when two threads call NCCL at once: the
      // attributes of another call, whose frame is gone.
      const bool are_own = lies_on_own_stack(attributes);
      if (!are_own && !watch_.waits()) return RangeEvent::none;
      auto text = text_of(attributes);
      const auto event = watch_.push(this_thread(), params.domain, text);
      constexpr auto of_schemas = static_cast<std::int32_t>(0xDFBD0009);  // NVTX_PAYLOAD_TYPE_EXT
      if (are_own && attributes->payloadType == of_schemas && attributes->reserved0 > 0) {
        messages.begin(params.domain, this_thread(), std::move(text), now_ns,
                       reinterpret_cast<const NvtxPayload*>(attributes->payload.ullValue),
                       static_cast<std::size_t>(attributes->reserved0));
      }
      return event;
    }
    case CUPTI_CBID_NVTX_nvtxRangePop:
      return watch_.pop(this_thread(), nullptr);
    case CUPTI_CBID_NVTX_nvtxDomainRangePop:
      return watch_.pop(this_thread(), params_of<nvtxDomainRangePop_params>(data).domain);
    case CUPTI_CBID_NVTX_nvtxRangeStartA:
      return watch_.start(result_of<nvtxRangeId_t>(data),
                          text_or_nothing(params_of<nvtxRangeStartA_params>(data).message));
    case CUPTI_CBID_NVTX_nvtxRangeStartEx:
      return watch_.start(result_of<nvtxRangeId_t>(data),
                          text_of(params_of<nvtxRangeStartEx_params>(data).eventAttrib));
    case CUPTI_CBID_NVTX_nvtxDomainRangeStartEx:
      return watch_.start(result_of<nvtxRangeId_t>(data),
                          text_of(params_of<nvtxDomainRangeStartEx_params>(data).core.eventAttrib));
    case CUPTI_CBID_NVTX_nvtxRangeEnd:
      return watch_.end(params_of<nvtxRangeEnd_params>(data).id);
    case CUPTI_CBID_NVTX_nvtxDomainRangeEnd:
      return watch_.end(params_of<nvtxDomainRangeEnd_params>(data).core.id);
    case CUPTI_CBID_NVTX_nvtxDomainRegisterStringA: {
      const auto text = text_or_nothing(params_of<nvtxDomainRegisterStringA_params>(data).string);
      const std::lock_guard lock(mutex_);
      registered_[result_of<nvtxStringHandle_t>(data)] = text;
      return RangeEvent::none;
    }
    default:
      return RangeEvent::none;
  }
}

}  // namespace apod::cuda
