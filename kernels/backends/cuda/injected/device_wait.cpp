#include "kernels/backends/cuda/injected/device_wait.hpp"

#include <atomic>
#include <future>
#include <thread>

#include "kernels/api/no_signals.hpp"

namespace apod::cuda {

std::optional<CUresult> wait_for_device(const CaptureDriver& driver,
                                        std::chrono::milliseconds longest) {
  static std::atomic<bool> still_waits = false;
  if (still_waits.exchange(true)) return std::nullopt;
  CUcontext context = nullptr;
  if (const auto result = driver.current_context(&context); result != CUDA_SUCCESS) {
    still_waits = false;
    return result;
  }
  std::promise<CUresult> promise;
  auto done = promise.get_future();
  try {
    const NoSignals none;
    std::thread([driver, context, promise = std::move(promise)]() mutable {
      auto mode = CU_STREAM_CAPTURE_MODE_RELAXED;
      (void)driver.exchange_mode(&mode);
      auto result = driver.make_current(context);
      if (result == CUDA_SUCCESS) result = driver.synchronize();
      still_waits = false;
      promise.set_value(result);
    }).detach();
  } catch (...) {
    still_waits = false;
    throw;
  }
  if (done.wait_for(longest) != std::future_status::ready) return std::nullopt;
  return done.get();
}

}  // namespace apod::cuda
