/// \file
/// The cases of configs/yardstick.yaml under NVBench, for tests/studies/against_others.py. Not part
/// of the build, which has no NVBench: compile it against an installed one, as that script says.

#include <cub/device/device_reduce.cuh>
#include <nvbench/nvbench.cuh>
#include <vector>

namespace {

__global__ void copy_values(const float* in, float* out, std::size_t n) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    out[i] = in[i];
  }
}

/// Device memory of `n` floats between 0 and 1, those of bare_loop.cu.
class Floats {
 public:
  explicit Floats(std::size_t n) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<float>((i * 2654435761U) >> 8 & 0xFFFF) / 65536.F;
    }
    NVBENCH_CUDA_CALL(cudaMalloc(&data_, n * sizeof(float)));
    NVBENCH_CUDA_CALL(cudaMemcpy(data_, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  }
  ~Floats() { (void)cudaFree(data_); }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  float* data() const { return data_; }

 private:
  float* data_ = nullptr;
};

void sum(nvbench::state& state) {
  const auto n = static_cast<std::size_t>(state.get_int64("size"));
  const Floats in(n);
  const Floats out(1);
  std::size_t bytes = 0;
  NVBENCH_CUDA_CALL(cub::DeviceReduce::Sum(nullptr, bytes, in.data(), out.data(), n));
  void* scratch = nullptr;
  NVBENCH_CUDA_CALL(cudaMalloc(&scratch, bytes));
  state.exec([&](nvbench::launch& launch) {
    std::size_t room = bytes;
    (void)cub::DeviceReduce::Sum(scratch, room, in.data(), out.data(), n, launch.get_stream());
  });
  NVBENCH_CUDA_CALL(cudaFree(scratch));
}
NVBENCH_BENCH(sum).add_int64_power_of_two_axis("size", {10, 14, 18, 20, 22, 24, 26, 28});

void copy(nvbench::state& state) {
  const auto n = static_cast<std::size_t>(state.get_int64("size"));
  const Floats in(n);
  const Floats out(n);
  state.exec([&](nvbench::launch& launch) {
    copy_values<<<32 * 40, 256, 0, launch.get_stream()>>>(in.data(), out.data(), n);
  });
}
NVBENCH_BENCH(copy).add_int64_power_of_two_axis("size", {20, 22, 24, 26, 28});

}  // namespace
