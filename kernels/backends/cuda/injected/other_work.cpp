#include "kernels/backends/cuda/injected/other_work.hpp"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace apod::cuda {

void OtherWork::attach(const CuptiLibrary& cupti, CUpti_SubscriberHandle subscriber) {
  // A call has an entry for each version and for each default stream: names tell them all. The
  // first parameter of those that are about a stream is the stream.
  constexpr std::array<std::pair<std::string_view, Effect>, 6> known{{
      {"cuStreamBeginCapture", Effect::begins_capture},
      {"cuStreamEndCapture", Effect::ends_capture},
      {"cuStreamDestroy", Effect::ends_capture},
      {"cuMemcpy", Effect::changes_memory},
      {"cuMemset", Effect::changes_memory},
      {"cuGraphLaunch", Effect::changes_memory},
  }};
  for (CUpti_CallbackId id = 1; id < CUPTI_DRIVER_TRACE_CBID_SIZE; ++id) {
    const char* name = nullptr;
    if (cupti.callback_name(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) != CUPTI_SUCCESS ||
        name == nullptr) {
      continue;
    }
    const auto* found = std::find_if(known.begin(), known.end(), [&](const auto& one) {
      return std::string_view(name).starts_with(one.first);
    });
    if (found == known.end()) continue;
    effects_.emplace(id, found->second);
    (void)cupti.enable_callback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
  }
}

void OtherWork::on_call(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const auto found = effects_.find(id);
  if (found == effects_.end()) return;
  if (found->second == Effect::changes_memory) {
    if (call.callbackSite == CUPTI_API_ENTER) note_change(call.functionName);
    return;
  }
  if (call.callbackSite != CUPTI_API_EXIT) return;
  const auto stream = *static_cast<const CUstream*>(call.functionParams);
  const auto* result = static_cast<const CUresult*>(call.functionReturnValue);
  const std::lock_guard lock(mutex_);
  if (found->second == Effect::ends_capture) {
    captured_.erase(stream);
  } else if (result != nullptr && *result == CUDA_SUCCESS) {
    captured_.insert(stream);
  }
}

bool OtherWork::a_stream_is_captured() const {
  const std::lock_guard lock(mutex_);
  return !captured_.empty();
}

void OtherWork::watch() {
  const std::lock_guard lock(mutex_);
  watches_ = true;
  changes_.clear();
}

void OtherWork::note_change(const std::string& call) {
  const std::lock_guard lock(mutex_);
  if (watches_) changes_.insert(call);
}

std::vector<std::string> OtherWork::take_changes() {
  const std::lock_guard lock(mutex_);
  watches_ = false;
  const auto taken = std::exchange(changes_, {});
  return {taken.begin(), taken.end()};
}

}  // namespace apod::cuda
