#include "benchmarks/look/frameworks.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

namespace apod::look {
namespace {

struct Sign {
  std::string_view word;
  Framework framework;
};

/// In names of kernels; the first that is found decides.
constexpr std::array kernel_signs{Sign{"at::native", Framework::pytorch},
                                  Sign{"c10::", Framework::pytorch},
                                  Sign{"tensorflow::", Framework::tensorflow},
                                  Sign{"Eigen::internal", Framework::tensorflow},
                                  Sign{"cupy_", Framework::cupy},
                                  Sign{"[abi:v", Framework::numba},
                                  Sign{"loop_", Framework::jax},
                                  Sign{"input_reduce", Framework::jax},
                                  Sign{"wrapped_", Framework::jax},
                                  Sign{"gemm_fusion_dot", Framework::jax},
                                  Sign{"DelayKernel", Framework::jax}};

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
    found = std::find_if(kernel_signs.begin(), found, [&](const Sign& sign) {
      return activity.name.find(sign.word) != std::string::npos;
    });
  }
  return found == kernel_signs.end() ? Framework::cuda : found->framework;
}

const Advice& advice_for(Framework framework) {
  static constexpr Advice cuda{
      "prepare the next step on another thread while the device works on this one",
      "fuse kernels, or launch them together as one CUDA graph (cudaStreamBeginCapture)",
      "",
      "pinned memory (cudaMallocHost)",
      "cudaMemcpyAsync on streams of their own, a step ahead or in pieces",
      "start each exchange as soon as its data is there, on a stream of its own",
      "allocate once and reuse, or cudaMallocAsync with a memory pool",
      "build machine code for this device (CMAKE_CUDA_ARCHITECTURES) and run every kernel once "
      "before the loop",
      "wait once for several steps; use events between streams instead of cudaDeviceSynchronize"};
  static constexpr Advice pytorch{
      "move work of Python out of the loop; if it waits for a DataLoader, more workers "
      "(num_workers=, persistent_workers=True)",
      "torch.compile(mode=\"reduce-overhead\"), or the step captured with torch.cuda.graph",
      "foreach=True or fused=True for the optimizer; torch.compile, or torch.cuda.graph",
      "DataLoader(pin_memory=True)",
      ".to(device, non_blocking=True) a batch ahead, on a torch.cuda.Stream of its own",
      "larger buckets (DistributedDataParallel(bucket_cap_mb=)), gradient_as_bucket_view=True, "
      "no_sync() while gradients accumulate",
      "keep shapes constant, so that PyTorch's allocator reuses its blocks; "
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
      "run a step of every shape before the loop; keep the cache of torch.compile and Triton "
      "(TRITON_CACHE_DIR)",
      "keep .item(), .cpu() and print of tensors out of the loop, or every N steps"};
  static constexpr Advice jax{
      "feed from a thread that prefetches (jax.device_put a batch ahead)",
      "jax.jit around the whole step, jax.lax.scan over several; "
      "XLA_FLAGS=--xla_gpu_enable_command_buffer",
      "",
      "",
      "jax.device_put a batch ahead; donate_argnums for what is not needed again",
      "XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true",
      "XLA_PYTHON_CLIENT_PREALLOCATE=true; donate_argnums",
      "jax_compilation_cache_dir keeps what was compiled; constant shapes compile once",
      "call block_until_ready() only where a result is read"};
  static constexpr Advice tensorflow{
      "tf.data with .prefetch(tf.data.AUTOTUNE) and num_parallel_calls",
      "tf.function(jit_compile=True) around the step",
      "",
      "",
      "tf.data with .prefetch_to_device",
      "tf.distribute with larger batches for each replica",
      "TF_GPU_ALLOCATOR=cuda_malloc_async",
      "tf.function with constant shapes (input_signature) traces once",
      "read values (.numpy()) every N steps"};
  static constexpr Advice cupy{
      "prepare the next step on another thread (CuPy releases the GIL in its calls)",
      "cupy.fuse or an ElementwiseKernel in place of several operations; a CUDA graph "
      "(Stream.begin_capture)",
      "",
      "cupyx.empty_pinned for the host side",
      "set() and get() with streams of their own, a step ahead or in pieces",
      "cupyx.distributed on a stream of its own",
      "write into arrays that exist (out=), and keep CuPy's memory pool",
      "CUPY_CACHE_DIR keeps what was compiled; run every kernel once before the loop",
      "read results (.get(), float()) once at the end"};
  static constexpr Advice numba{
      "prepare the next step on another thread",
      "one kernel in place of several; fewer launches from Python, each costs some 20 us",
      "",
      "cuda.pinned_array or cuda.pinned() for the host side",
      "to_device(..., stream=) on several streams, each made by a cuda.stream() of its own",
      "start each exchange as soon as its data is there",
      "cuda.device_array once, before the loop",
      "@cuda.jit(cache=True), or with a signature, compiles before the loop",
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
