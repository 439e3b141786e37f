/// \file
/// The cases of configs/yardstick.yaml in a loop of events and nothing else: none of the harness is
/// in it. What bench says of them must agree. Prints "KIND SIZE CACHE MEDIAN_US", where the cache
/// is cold (twice the L2 is read before each sample) or flushed (a memset of the L2).
///
///   bare_loop [SAMPLES]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_reduce.cuh>
#include <string>
#include <vector>

namespace {

#define CHECK(call)                                                                  \
  do {                                                                               \
    if (const cudaError_t error = (call); error != cudaSuccess) {                    \
      std::fprintf(stderr, "bare_loop: %s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

__global__ void copy_values(const float* in, float* out, std::size_t n) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    out[i] = in[i];
  }
}

/// Reads `count` zeros.
__global__ void sweep_values(float* data, std::size_t count) {
  float sum = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    sum += data[i];
  }
  if (sum != 0) data[0] = sum;
}

struct Sum {
  void* scratch = nullptr;
  std::size_t bytes = 0;
  float* result = nullptr;

  explicit Sum(std::size_t most) {
    CHECK(cub::DeviceReduce::Sum(nullptr, bytes, static_cast<float*>(nullptr), result,
                                 static_cast<std::int64_t>(most)));
    CHECK(cudaMalloc(&scratch, bytes));
    CHECK(cudaMalloc(&result, sizeof(float)));
  }
  void run(const float* in, std::size_t n, cudaStream_t stream) {
    CHECK(cub::DeviceReduce::Sum(scratch, bytes, in, result, static_cast<std::int64_t>(n), stream));
  }
};

}  // namespace

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::atoi(argv[1]) : 200;
  constexpr std::size_t most = std::size_t{1} << 28;
  int device = 0, l2_bytes = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
  const std::size_t sweep = 2 * static_cast<std::size_t>(l2_bytes) / sizeof(float);
  float *in = nullptr, *out = nullptr, *other = nullptr;
  CHECK(cudaMalloc(&in, most * sizeof(float)));
  CHECK(cudaMalloc(&out, most * sizeof(float)));
  CHECK(cudaMalloc(&other, sweep * sizeof(float)));
  std::vector<float> values(most);
  for (std::size_t i = 0; i < most; ++i) {
    values[i] = static_cast<float>((i * 2654435761U) >> 8 & 0xFFFF) / 65536.F;
  }
  CHECK(cudaMemcpy(in, values.data(), most * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(other, 0, sweep * sizeof(float)));
  Sum sum(most);
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));

  for (const bool clean : {true, false}) {
    for (const bool copies : {false, true}) {
      for (std::size_t n = copies ? 1 << 20 : 1 << 10; n <= most; n *= 4) {
        std::vector<float> times;
        for (int i = -samples / 4; i < samples; ++i) {  // the first quarter warms up
          if (clean) {
            sweep_values<<<1280, 256, 0, stream>>>(other, sweep);
          } else {
            CHECK(cudaMemsetAsync(other, 0, static_cast<std::size_t>(l2_bytes), stream));
          }
          CHECK(cudaEventRecord(start, stream));
          if (copies) {
            copy_values<<<1280, 256, 0, stream>>>(in, out, n);
          } else {
            sum.run(in, n, stream);
          }
          CHECK(cudaEventRecord(stop, stream));
          CHECK(cudaStreamSynchronize(stream));
          float milliseconds = 0;
          CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
          if (i >= 0) times.push_back(1e3F * milliseconds);
        }
        std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
        std::printf("%s %zu %s %.3f\n", copies ? "copy" : "sum", n, clean ? "cold" : "flushed",
                    static_cast<double>(times[static_cast<std::size_t>(samples / 2)]));
      }
    }
  }
  return 0;
}
