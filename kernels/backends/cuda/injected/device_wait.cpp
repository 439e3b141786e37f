#include "kernels/backends/cuda/injected/device_wait.hpp"

#include <future>
#include <thread>

#include "kernels/api/no_signals.hpp"

namespace apod::cuda {

std::optional<CUresult> wait_for_device(const CaptureDriver& driver,
                                        std::chrono::milliseconds longest) {
  static std::future<CUresult> unfinished;  // a wait that took too long; captures take turns
  const auto has_ended = [](const std::future<CUresult>& wait, std::chrono::milliseconds time) {
    return wait.wait_for(time) == std::future_status::ready;
  };
  if (unfinished.valid() && !has_ended(unfinished, {})) return std::nullopt;
  CUcontext context = nullptr;
  if (const auto result = driver.current_context(&context); result != CUDA_SUCCESS) return result;
  std::promise<CUresult> promise;
  auto done = promise.get_future();
  {
    const NoSignals none;
    std::thread([driver, context, promise = std::move(promise)]() mutable {
      auto mode = CU_STREAM_CAPTURE_MODE_RELAXED;
      (void)driver.exchange_mode(&mode);
      const auto result = driver.make_current(context);
      promise.set_value(result == CUDA_SUCCESS ? driver.synchronize() : result);
    }).detach();
  }
  if (has_ended(done, longest)) return done.get();
  unfinished = std::move(done);
  return std::nullopt;
}

}  // namespace apod::cuda
