/// single_pass on a slice of the device that holds 64 of its blocks at once. It launches as many as
/// the whole device holds, so on a large device most of them wait for others to end.

#include <cuda.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/sums/single_pass.hpp"

namespace apod::reduction {
namespace {

constexpr unsigned slots = 64;
constexpr unsigned slice = slots / sums::single_pass_resident<sums::Plain<float>>;

/// A call of the driver, which no library of the build holds.
template <class Call, class... Arguments>
void driver(const char* name, Arguments... arguments) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  APOD_CUDA(cudaGetDriverEntryPointByVersion(name, &found, CUDART_VERSION, 0, &result));
  if (found == nullptr) {
    throw BackendError(BackendError::Code::unsupported, std::string("no ") + name);
  }
  const auto status = reinterpret_cast<Call>(found)(arguments...);
  if (status != CUDA_SUCCESS) {
    throw BackendError(BackendError::Code::unsupported, name + (": " + std::to_string(status)));
  }
}
#define APOD_DRIVER(call, ...) driver<decltype(&call)>(#call, __VA_ARGS__)

__global__ void note_multiprocessor(unsigned* of_block) {
  unsigned multiprocessor = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  if (threadIdx.x == 0) of_block[blockIdx.x] = multiprocessor;
}

/// The multiprocessors that blocks of this stream run on.
std::size_t multiprocessors_of(cudaStream_t stream) {
  std::vector<unsigned> of_block(8192);
  unsigned* device = nullptr;
  const auto bytes = of_block.size() * sizeof(unsigned);
  APOD_CUDA(cudaMallocAsync(&device, bytes, stream));
  note_multiprocessor<<<static_cast<unsigned>(of_block.size()), 1024, 0, stream>>>(device);
  cuda::launched("note_multiprocessor");
  APOD_CUDA(cudaMemcpyAsync(of_block.data(), device, bytes, cudaMemcpyDeviceToHost, stream));
  APOD_CUDA(cudaFreeAsync(device, stream));
  APOD_CUDA(cudaStreamSynchronize(stream));
  return std::set<unsigned>(of_block.begin(), of_block.end()).size();
}

cudaStream_t stream_of_slice() {
  CUdevResource all{};
  CUdevResource part{};
  unsigned parts = 1;
  CUdevResourceDesc description{};
  CUgreenCtx context{};
  CUstream stream{};
  int device = 0;
  APOD_CUDA(cudaGetDevice(&device));
  APOD_CUDA(cudaFree(nullptr));
  APOD_DRIVER(cuDeviceGetDevResource, device, &all, CU_DEV_RESOURCE_TYPE_SM);
  APOD_DRIVER(cuDevSmResourceSplitByCount, &part, &parts, &all, nullptr, 0U, slice);
  APOD_DRIVER(cuDevResourceGenerateDesc, &description, &part, 1U);
  APOD_DRIVER(cuGreenCtxCreate, &context, description, device, CU_GREEN_CTX_DEFAULT_STREAM);
  APOD_DRIVER(cuGreenCtxStreamCreate, &stream, context, CU_STREAM_NON_BLOCKING, 0);
  if (const auto seen = multiprocessors_of(stream); seen != slice) {
    throw BackendError(BackendError::Code::unsupported,
                       "a slice of " + std::to_string(seen) + " multiprocessors");
  }
  return stream;
}

/// Its stream on the slice, which waits for the task's. join() has that wait for it.
class Sliced : public Stream {
 public:
  explicit Sliced(Stream& whole) : whole_(cuda::native(whole)) { wait(whole_, native()); }
  void join() { wait(native(), whole_); }
  void synchronize() override { APOD_CUDA(cudaStreamSynchronize(native())); }
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(native()); }

 private:
  static cudaStream_t native() {
    static const auto stream = stream_of_slice();
    return stream;
  }
  static void wait(cudaStream_t before, cudaStream_t after) {
    cudaEvent_t event{};
    APOD_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    APOD_CUDA(cudaEventRecord(event, before));
    APOD_CUDA(cudaStreamWaitEvent(after, event));
    APOD_CUDA(cudaEventDestroy(event));
  }
  cudaStream_t whole_;
};

/// `looks`: at each block's sum, before the last block computes it itself.
template <unsigned looks>
struct SlicedSums : Variant {
  std::size_t most_scratch_bytes(const Params&) const override {
    return sums::Slots<sums::Plain<double>>::bytes;
  }
  void compute(const Task& task) const override {
    Sliced stream(task.stream);
    const Task sliced{task.problem, task.params,   task.chunk,     task.input,   task.output,
                      task.partial, task.combined, task.constants, task.scratch, stream};
    with_accumulator(task.accumulator(), [&](auto zero) {
      using T = decltype(zero);
      sums::enqueue_single_pass<sums::Plain<T>>(sliced.out<T>().data(), sliced, looks);
    });
    stream.join();
  }
};
const VariantRegistrar<SlicedSums<sums::Slots<sums::Plain<double>>::most_looks>> sliced_sums(
    "reduction", "sliced_sums", BackendKind::cuda, "single_pass on a slice of 64 of its blocks");
const VariantRegistrar<SlicedSums<0>> late_sliced_sums(
    "reduction", "late_sliced_sums", BackendKind::cuda,
    "single_pass on a slice of 64 of its blocks, where no sum of a block is seen");

}  // namespace
}  // namespace apod::reduction
