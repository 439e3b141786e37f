#include "benchmarks/look/frameworks.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <utility>

namespace apod::look {
namespace {

/// In names of kernels; the first that is found decides.
constexpr std::array kernel_signs{std::pair{"at::native", Framework::pytorch},
                                  std::pair{"c10::", Framework::pytorch},
                                  std::pair{"tensorflow::", Framework::tensorflow},
                                  std::pair{"Eigen::internal", Framework::tensorflow},
                                  std::pair{"cupy_", Framework::cupy},
                                  std::pair{"[abi:v", Framework::numba},
                                  std::pair{"loop_", Framework::jax},
                                  std::pair{"input_reduce", Framework::jax},
                                  std::pair{"wrapped_", Framework::jax},
                                  std::pair{"gemm_fusion_dot", Framework::jax},
                                  std::pair{"DelayKernel", Framework::jax}};

}  // namespace

Framework framework_of(const Recording& recording) {
  if (recording.schema == "Kineto") return Framework::pytorch;
  for (const auto& [thread, name] : recording.thread_names) {
    if (name.starts_with("pt_")) return Framework::pytorch;
  }
  auto found = kernel_signs.end();
  std::unordered_set<std::string_view> seen;
  for (const auto& activity : recording.trace.activities) {
    if (activity.kind != Activity::Kind::kernel || !seen.insert(activity.name).second) continue;
    found = std::find_if(kernel_signs.begin(), found, [&](const auto& sign) {
      return activity.name.find(sign.first) != std::string::npos;
    });
  }
  return found == kernel_signs.end() ? Framework::cuda : found->second;
}

const Advice& advice_for(Framework framework) {
  static constexpr Advice cuda{
      "prepare the next step on another thread while the device works on this one",
      "fuse kernels, or launch them together as one CUDA graph (cudaStreamBeginCapture)",
      "",
      "use pinned memory (cudaMallocHost)",
      "copy with cudaMemcpyAsync on separate streams, one step ahead or in pieces",
      "start each exchange on a separate stream as soon as its data is ready",
      "allocate once and reuse the memory, or use cudaMallocAsync with a memory pool",
      "build machine code for this device (CMAKE_CUDA_ARCHITECTURES) and run every kernel once "
      "before the loop",
      "let the host wait only once in several steps; between streams, use events instead of "
      "cudaDeviceSynchronize"};
  static constexpr Advice pytorch{
      "move Python work out of the loop; if Python waits for a DataLoader, use more workers "
      "(num_workers=, persistent_workers=True)",
      "use torch.compile(mode=\"reduce-overhead\"), or capture the step with torch.cuda.graph",
      "use foreach=True or fused=True in the optimizer, or torch.compile, or torch.cuda.graph",
      "use DataLoader(pin_memory=True)",
      "copy one batch ahead with .to(device, non_blocking=True) on a separate torch.cuda.Stream",
      "use larger buckets (DistributedDataParallel(bucket_cap_mb=)), gradient_as_bucket_view=True, "
      "and no_sync() while gradients accumulate",
      "keep shapes constant, so that PyTorch's allocator reuses its blocks; or set "
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
      "run a step of every shape before the loop; keep the cache of torch.compile and Triton "
      "(TRITON_CACHE_DIR)",
      "move .item(), .cpu() and print of tensors out of the loop, or call them only every N steps"};
  static constexpr Advice jax{"prefetch in another thread (jax.device_put one batch ahead)",
                              "put jax.jit around the whole step, or jax.lax.scan over several "
                              "steps; or set XLA_FLAGS=--xla_gpu_enable_command_buffer",
                              "",
                              "",
                              "copy one batch ahead with jax.device_put; use donate_argnums for "
                              "arguments that are not needed again",
                              "set XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true",
                              "set XLA_PYTHON_CLIENT_PREALLOCATE=true; use donate_argnums",
                              "set jax_compilation_cache_dir to keep compiled code; keep shapes "
                              "constant, so that they compile once",
                              "call block_until_ready() only before reading a result"};
  static constexpr Advice tensorflow{
      "use tf.data with .prefetch(tf.data.AUTOTUNE) and num_parallel_calls",
      "put tf.function(jit_compile=True) around the step",
      "",
      "",
      "use tf.data with .prefetch_to_device",
      "use larger batches per replica in tf.distribute",
      "set TF_GPU_ALLOCATOR=cuda_malloc_async",
      "use tf.function with constant shapes (input_signature), which traces only once",
      "read values (.numpy()) every N steps"};
  static constexpr Advice cupy{
      "prepare the next step on another thread (CuPy releases the GIL in its calls)",
      "combine operations with cupy.fuse or an ElementwiseKernel; or use a CUDA graph "
      "(Stream.begin_capture)",
      "",
      "use cupyx.empty_pinned for the host side",
      "call set() and get() on separate streams, one step ahead or in pieces",
      "run cupyx.distributed on a separate stream",
      "write into existing arrays (out=), and keep CuPy's memory pool on",
      "set CUPY_CACHE_DIR to keep compiled code; run every kernel once before the loop",
      "read results (.get(), float()) once at the end"};
  static constexpr Advice numba{
      "prepare the next step on another thread",
      "combine kernels into one: each launch from Python costs about 20 us",
      "",
      "use cuda.pinned_array or cuda.pinned() for the host side",
      "call to_device(..., stream=) on several streams; make each stream with its own "
      "cuda.stream()",
      "start each exchange as soon as its data is ready",
      "call cuda.device_array once, before the loop",
      "compile before the loop: @cuda.jit with a signature, or @cuda.jit(cache=True)",
      "synchronize once, after the loop"};
  switch (framework) {
    case Framework::pytorch:
      return pytorch;
    case Framework::jax:
      return jax;
    case Framework::tensorflow:
      return tensorflow;
    case Framework::cupy:
      return cupy;
    case Framework::numba:
      return numba;
    case Framework::cuda:
      break;
  }
  return cuda;
}

}  // namespace apod::look
