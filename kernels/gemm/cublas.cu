#include "kernels/api/registry.hpp"

#if __has_include(<cublas_v2.h>)

#include <cublas_v2.h>

#include <map>
#include <string>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/library.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/gemm/problem.hpp"

namespace apod::gemm {
namespace {

const cuda::Library& library() {
  static const cuda::Library cublas("cublas", CUBLAS_VER_MAJOR);
  return cublas;
}

/// What is used of it, by the names that cublas_v2.h has macros for.
struct Functions {
  decltype(cublasCreate_v2)* create =
      library().function<decltype(cublasCreate_v2)>("cublasCreate_v2");
  decltype(cublasDestroy_v2)* destroy =
      library().function<decltype(cublasDestroy_v2)>("cublasDestroy_v2");
  decltype(cublasGetStatusString)* text =
      library().function<decltype(cublasGetStatusString)>("cublasGetStatusString");
  decltype(cublasSetStream_v2)* set_stream =
      library().function<decltype(cublasSetStream_v2)>("cublasSetStream_v2");
  decltype(cublasSetWorkspace_v2)* set_workspace =
      library().function<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2");
  decltype(cublasGemmEx_64)* multiply =
      library().function<decltype(cublasGemmEx_64)>("cublasGemmEx_64");
};
const Functions& functions() {
  static const Functions loaded;
  return loaded;
}

/// Throws BackendError for a status that is an error.
void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  using Code = BackendError::Code;
  const auto code = status == CUBLAS_STATUS_ALLOC_FAILED       ? Code::out_of_memory
                    : status == CUBLAS_STATUS_NOT_SUPPORTED    ? Code::unsupported
                    : status == CUBLAS_STATUS_ARCH_MISMATCH    ? Code::unsupported
                    : status == CUBLAS_STATUS_EXECUTION_FAILED ? Code::sticky
                                                               : Code::other;
  throw BackendError(code, std::string(call) + ": " + functions().text(status));
}

class Handle {
 public:
  Handle() { check(functions().create(&handle_), "cublasCreate"); }
  ~Handle() { functions().destroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// This thread's own for the current device: making one takes long, and allocates.
cublasHandle_t handle() {
  thread_local std::map<int, Handle> handles;
  int device = 0;
  APOD_CUDA(cudaGetDevice(&device));
  return handles[device].get();
}

/// What cuBLAS asks for on its largest devices (its documentation, cublasSetWorkspace: 32 MiB on
/// Hopper and later, 4 MiB elsewhere).
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

struct Cublas : Variant {
  std::size_t most_scratch_bytes(const Params&) const override { return workspace_bytes; }
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    handle();  // here, and not in the first execution, which may be recorded for a graph
    return workspace_bytes;
  }

  /// cuBLAS has matrices by columns, where a row-major one is its transpose: C' = B' A'.
  void compute(const Task& task) const override {
    const auto work = part(task);
    const auto type = work.type == Number::fp16   ? CUDA_R_16F
                      : work.type == Number::bf16 ? CUDA_R_16BF
                                                  : CUDA_R_32F;
    const auto arithmetic =
        work.type == Number::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    const float one = 1;
    const float zero = 0;
    const auto cublas = handle();
    const OperationScope scope([&] { return operation(work); });
    check(functions().set_stream(cublas, cuda::native(task.stream)), "cublasSetStream");
    // After the stream, which takes back whatever workspace was set.
    check(functions().set_workspace(cublas, task.scratch, workspace_bytes), "cublasSetWorkspace");
    check(functions().multiply(cublas, CUBLAS_OP_N, CUBLAS_OP_N, work.n, work.rows, work.k, &one,
                               task.constants, type, work.n, task.input, type, work.k, &zero,
                               task.output, CUDA_R_32F, work.n, arithmetic, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }
};
const OptionalVariantRegistrar<Cublas> registrar("gemm", "cublas", BackendKind::cuda,
                                                 "cublasGemmEx of NVIDIA's cuBLAS",
                                                 [] { return library().missing(); });

}  // namespace
}  // namespace apod::gemm

#else

namespace apod::gemm {
namespace {

const OptionalVariantRegistrar<void> registrar(
    "gemm", "cublas", BackendKind::cuda, "cublasGemmEx of NVIDIA's cuBLAS",
    [] { return std::string("built without cuBLAS: cublas_v2.h was not found"); });

}  // namespace
}  // namespace apod::gemm

#endif
