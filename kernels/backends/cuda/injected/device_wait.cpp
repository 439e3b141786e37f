#include "kernels/backends/cuda/injected/device_wait.hpp"

#include <pthread.h>
#include <signal.h>

#include <future>
#include <thread>

namespace apod::cuda {

std::optional<CUresult> wait_for_device(const CaptureDriver& driver,
                                        std::chrono::milliseconds longest) {
  CUcontext context = nullptr;
  if (const auto result = driver.current_context(&context); result != CUDA_SUCCESS) return result;
  std::promise<CUresult> promise;
  auto done = promise.get_future();
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's handlers are not for our thread
  std::thread([driver, context, promise = std::move(promise)]() mutable {
    auto mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    (void)driver.exchange_mode(&mode);
    const auto result = driver.make_current(context);
    promise.set_value(result == CUDA_SUCCESS ? driver.synchronize() : result);
  }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (done.wait_for(longest) != std::future_status::ready) return std::nullopt;
  return done.get();
}

}  // namespace apod::cuda
