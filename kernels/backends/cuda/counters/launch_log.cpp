#include "kernels/backends/cuda/counters/launch_log.hpp"

#include <exception>
#include <mutex>
#include <utility>

#include "kernels/api/demangle.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/counters/profiler_library.hpp"
#include "kernels/backends/cuda/launching_calls.hpp"

namespace apod::cuda {
namespace {

template <class Params>
void set_shape(KernelCounters& kernel, const Params& from) {
  kernel.grid = {from.gridDimX, from.gridDimY, from.gridDimZ};
  kernel.block = {from.blockDimX, from.blockDimY, from.blockDimZ};
}

/// Listens to the driver as long as it lives.
class Listener {
 public:
  explicit Listener(const CuptiLibrary& cupti) : cupti_(cupti) {
    require(cupti_, cupti_.subscribe(&subscriber_, on_launch, this), "cuptiSubscribe");
    for (const auto id : launching_calls) {
      // A driver that does not know one of them has no such launches.
      (void)cupti_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id);
    }
  }
  ~Listener() { (void)cupti_.unsubscribe(subscriber_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  LaunchLog take() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return std::exchange(log_, {});
  }

 private:
  static void CUPTIAPI on_launch(void* self, CUpti_CallbackDomain, CUpti_CallbackId id,
                                 const void* data) {
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (call.callbackSite != CUPTI_API_ENTER) return;
    auto& log = *static_cast<Listener*>(self);
    const std::lock_guard lock(log.mutex_);
    try {
      log.log_.launches.push_back(kernel_of(id, call));
      log.log_.context = call.context;
    } catch (...) {
      log.failure_ = std::current_exception();  // the driver, which calls this, must not see it
    }
  }

  static KernelCounters kernel_of(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    KernelCounters kernel;
    kernel.name = call.symbolName == nullptr ? "unnamed kernel" : demangled(call.symbolName);
    switch (id) {
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
        set_shape(kernel,
                  *static_cast<const cuLaunchKernelEx_params*>(call.functionParams)->config);
        break;
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
        set_shape(kernel,
                  *static_cast<const cuLaunchCooperativeKernel_params*>(call.functionParams));
        break;
      default:
        set_shape(kernel, *static_cast<const cuLaunchKernel_params*>(call.functionParams));
    }
    return kernel;
  }

  const CuptiLibrary& cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::mutex mutex_;
  LaunchLog log_;
  std::exception_ptr failure_;
};

}  // namespace

LaunchLog launches_of(const CuptiLibrary& cupti, const std::function<void()>& work) {
  Listener listener(cupti);
  work();
  APOD_CUDA(cudaDeviceSynchronize());
  return listener.take();
}

}  // namespace apod::cuda
