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
      .no_call = "prepare the next step on another thread while the device works on this one",
      .small_kernels = "fuse kernels, or launch them as one CUDA graph (cudaStreamBeginCapture)",
      .pin = "use pinned memory (cudaMallocHost)",
      .copies = "copy with cudaMemcpyAsync on separate streams, one step ahead or in pieces",
      .communication = "start each exchange on a separate stream as soon as its data is ready",
      .memory = "allocate once and reuse the memory, or use cudaMallocAsync with a memory pool",
      .loading = "build for this device (CMAKE_CUDA_ARCHITECTURES); run kernels before the loop",
      .waiting = "wait once in several steps; use events instead of cudaDeviceSynchronize",
      .fuse = "fuse them, so that data is read and written once"};
  static constexpr Advice pytorch{
      .no_call = "move Python work out of the loop",
      .loader = "make tensors on the device (device=); a DataLoader may need more num_workers=",
      .small_kernels =
          "use torch.compile(mode=\"reduce-overhead\"), or capture the step with torch.cuda.graph",
      .optimizer = "use foreach=True or fused=True in the optimizer; or torch.compile",
      .pin = "pin the tensors of the host (pin_memory=True, also of a DataLoader)",
      .copies = "copy one batch ahead with .to(device, non_blocking=True) on a torch.cuda.Stream",
      .communication = "start collectives early (async_op=True), and wait for them before use",
      .gradients = "use larger DDP buckets (bucket_cap_mb=); no_sync() while gradients accumulate",
      .combining =
          "reduce all gradients in a few calls: DistributedDataParallel with a larger "
          "bucket_cap_mb=, or one flat tensor",
      .memory = "keep shapes constant; or PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
      .loading = "run each shape before the loop; keep the cache of Triton (TRITON_CACHE_DIR)",
      .recompiling = "pad inputs to a few shapes, or mark them dynamic (TORCH_LOGS=recompiles)",
      .waiting = "call .item(), .cpu() and print on tensors only every N steps",
      .exchanging =
          "exchange tensors of the devices (NCCL's broadcast, send or all_gather), not objects or "
          "tensors of the host",
      .concatenating = "write into a preallocated tensor: torch.cat copies all of its inputs",
      .layout =
          "keep one memory format and type: .contiguous(), .clone(), .to() make copies, and so "
          "do mixed operands",
      .doubles = "if single precision suffices, call .float(): tensors from NumPy are float64",
      .fuse = "torch.compile fuses them"};
  static constexpr Advice jax{
      .no_call = "move Python work out of the loop",
      .loader = "prefetch in another thread (jax.device_put one batch ahead)",
      .small_kernels = "put jax.jit around the step, or jax.lax.scan over several steps",
      .copies = "copy one batch ahead with jax.device_put; reuse memory with donate_argnums",
      .communication = "set XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true",
      .combining = "set XLA_FLAGS=--xla_gpu_all_reduce_combine_threshold_bytes=268435456",
      .memory = "set XLA_PYTHON_CLIENT_PREALLOCATE=true; use donate_argnums",
      .loading = "set jax_compilation_cache_dir; keep shapes constant, so that they compile once",
      .recompiling =
          "pad inputs to a few shapes; call jax.jit once, before the loop "
          "(JAX_LOG_COMPILES=1 shows what compiles)",
      .waiting = "call block_until_ready() only before reading a result",
      .exchanging =
          "give jax.device_put the array of the other device, not one of NumPy or device_get",
      .doubles = "if single precision suffices, leave jax_enable_x64 off",
      .fuse = "jax.jit around the whole step fuses them"};
  static constexpr Advice tensorflow{
      .no_call = "put the whole step into tf.function",
      .loader = "use tf.data with .prefetch(tf.data.AUTOTUNE) and num_parallel_calls",
      .small_kernels = "put tf.function(jit_compile=True) around the step",
      .copies = "use tf.data with .prefetch_to_device",
      .communication = "use larger batches per replica in tf.distribute",
      .combining = "use tf.distribute.NcclAllReduce(num_packs=1), or fewer, larger variables",
      .memory = "set TF_GPU_ALLOCATOR=cuda_malloc_async",
      .loading = "use tf.function with constant shapes (input_signature), which traces only once",
      .recompiling =
          "give tf.function an input_signature, or reduce_retracing=True; pad inputs to few shapes",
      .waiting = "read values (.numpy()) every N steps",
      .fuse = "tf.function(jit_compile=True) fuses them"};
  static constexpr Advice cupy{
      .no_call = "prepare the next step on another thread (CuPy releases the GIL in its calls)",
      .small_kernels = "use cupy.fuse, an ElementwiseKernel or a CUDA graph (Stream.begin_capture)",
      .pin = "use cupyx.empty_pinned for the host side",
      .copies = "call set() and get() on separate streams, one step ahead or in pieces",
      .communication = "run cupyx.distributed on a separate stream",
      .memory = "write into existing arrays (out=), and keep CuPy's memory pool on",
      .loading = "set CUPY_CACHE_DIR to keep compiled code; run every kernel once before the loop",
      .waiting = "read results (.get(), float()) once at the end",
      .doubles = "if single precision suffices, set dtype=float32: the default is float64",
      .fuse = "cupy.fuse or an ElementwiseKernel joins them"};
  static constexpr Advice numba{
      .no_call = "prepare the next step on another thread",
      .small_kernels = "combine kernels into one: each launch from Python costs about 20 us",
      .pin = "use cuda.pinned_array or cuda.pinned() for the host side",
      .copies = "call to_device(..., stream=) on several streams, each from its own cuda.stream()",
      .keep =
          "call cuda.to_device once, before the loop: a kernel copies an array of NumPy both ways",
      .communication = "start each exchange as soon as its data is ready",
      .memory = "call cuda.device_array once, before the loop",
      .loading = "compile before the loop: @cuda.jit with a signature, or @cuda.jit(cache=True)",
      .waiting = "synchronize once, after the loop",
      .doubles =
          "if single precision suffices, use arrays and constants of type float32: literals and "
          "NumPy's arrays are float64",
      .fuse = "write one kernel for them, so that data is read and written once"};
  static constexpr std::array all{cuda, pytorch, jax, tensorflow, cupy, numba};
  return all[static_cast<std::size_t>(framework)];
}

}  // namespace apod::look
