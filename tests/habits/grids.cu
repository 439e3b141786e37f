// Habits of one kernel: its grid, its blocks, its accesses, its arithmetic.

#include "kernels/api/registry.hpp"
#include "tests/habits/carry.hpp"

namespace apod::habits {
namespace {

struct FullGrid : Variant {
  void compute(const Task& task) const override {
    const Part part(task);
    launch(part, full_grid(part.n), cuda::native(task.stream));
  }
};

struct SixteenBlocks : Variant {
  void compute(const Task& task) const override {
    launch(Part(task), {16, 256}, cuda::native(task.stream));
  }
};

struct OneThread : Variant {
  void compute(const Task& task) const override {
    launch(Part(task), {1, 1}, cuda::native(task.stream));
  }
};

struct InDouble : Variant {
  void compute(const Task& task) const override {
    const Part part(task);
    launch<double>(part, full_grid(part.n), cuda::native(task.stream));
  }
};

/// Neighbouring threads are `n / rows` values apart; n is a multiple of `rows`.
__global__ void carry_strided(const float* in, float* out, std::size_t n) {
  constexpr std::size_t rows = 4096;
  const std::size_t t = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t i = t % rows * (n / rows) + t / rows;
  if (t < n) out[i] = in[i];
}

struct Strided : Variant {
  void compute(const Task& task) const override {
    const Part part(task);
    if (part.n == 0) return;
    const auto shape = full_grid(part.n);
    carry_strided<<<shape.blocks, shape.threads, 0, cuda::native(task.stream)>>>(part.in, part.out,
                                                                                 part.n);
    cuda::launched("carry_strided");
  }
};

/// Small blocks that ask for shared memory which nobody uses, so that few of them fit.
struct SharedMemory : Variant {
  void compute(const Task& task) const override {
    constexpr int shared_bytes = 64 << 10;
    APOD_CUDA(cudaFuncSetAttribute(carry<float>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   shared_bytes));
    const Part part(task);
    auto shape = full_grid(part.n, 128);
    shape.shared_bytes = shared_bytes;
    launch(part, shape, cuda::native(task.stream));
  }
};

struct SmallBlocks : Variant {
  void compute(const Task& task) const override {
    const Part part(task);
    launch(part, full_grid(part.n, 128), cuda::native(task.stream));
  }
};

/// Blocks for so many tenths of what the device holds at once. All have the same work: each thread
/// the same number of values, as far as they go round.
template <int tenths>
struct Waves : Variant {
  void compute(const Task& task) const override {
    constexpr unsigned threads = 1024;
    int device = 0;
    int processors = 0;
    int resident = 0;
    APOD_CUDA(cudaGetDevice(&device));
    APOD_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    APOD_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, carry<float>, threads, 0));
    const auto blocks = static_cast<unsigned>(resident * processors * tenths / 10);
    launch(Part(task), {blocks, threads}, cuda::native(task.stream));
  }
};

constexpr auto cuda_kind = BackendKind::cuda;
const VariantRegistrar<FullGrid> full("habits", "full_grid", cuda_kind, "one value a thread");
const VariantRegistrar<SixteenBlocks> sixteen("habits", "sixteen_blocks", cuda_kind,
                                              "sixteen blocks for all values");
const VariantRegistrar<OneThread> one("habits", "one_thread", cuda_kind, "one thread for all");
const VariantRegistrar<InDouble> in_double("habits", "in_double", cuda_kind, "computes in double");
const VariantRegistrar<Strided> strided("habits", "strided", cuda_kind,
                                        "neighbouring threads far apart in memory");
const VariantRegistrar<SharedMemory> shared("habits", "shared_memory", cuda_kind,
                                            "shared memory that leaves room for few blocks");
const VariantRegistrar<SmallBlocks> small("habits", "small_blocks", cuda_kind,
                                          "the same blocks without it");
const VariantRegistrar<Waves<12>> tail("habits", "waves_1_2", cuda_kind, "1.2 waves of blocks");
const VariantRegistrar<Waves<20>> waves("habits", "waves_2", cuda_kind, "two whole waves");

}  // namespace
}  // namespace apod::habits
