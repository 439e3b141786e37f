/// A plain CUDA program without ranges: it copies pageable memory and allocates in each of its
/// steps.
///
///     steps run                  the first way alone: to be recorded
///     steps time [ROUNDS]        all ways in turn; prints "WAY MILLISECONDS", the mean step of
///     each round

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int count = 1 << 22;
constexpr int steps = 24;
constexpr int warm = 6;

__global__ void scale(float* y, const float* x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    float value = x[i];
    for (int k = 0; k < 200; ++k) value = value * 1.0001f + 0.5f;
    y[i] = value;
  }
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// ms of a step. "pinned": the host's memory is; "once": memory is allocated before the loop.
double run(const std::string& way) {
  constexpr std::size_t bytes = count * sizeof(float);
  const bool pinned = way == "pinned";
  const bool once = way == "once";
  std::vector<float> pageable(pinned ? 0 : count, 1.0f);
  float* host = pageable.data();
  if (pinned) check(cudaMallocHost(&host, bytes));
  float* x = nullptr;
  float* y = nullptr;
  if (once) check(cudaMalloc(&x, bytes));
  if (once) check(cudaMalloc(&y, bytes));
  std::chrono::steady_clock::time_point begin;
  for (int i = 0; i < steps; ++i) {
    if (i == warm) {
      check(cudaDeviceSynchronize());
      begin = std::chrono::steady_clock::now();
    }
    if (!once) check(cudaMalloc(&x, bytes));
    if (!once) check(cudaMalloc(&y, bytes));
    check(cudaMemcpyAsync(x, host, bytes, cudaMemcpyHostToDevice));
    scale<<<264, 256>>>(y, x);
    check(cudaMemcpyAsync(host, y, bytes, cudaMemcpyDeviceToHost));
    check(cudaStreamSynchronize(nullptr));
    if (!once) check(cudaFree(x));
    if (!once) check(cudaFree(y));
  }
  check(cudaDeviceSynchronize());
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  if (once) check(cudaFree(x));
  if (once) check(cudaFree(y));
  if (pinned) check(cudaFreeHost(host));
  return time.count() / (steps - warm);
}

}  // namespace

int main(int words, char** word) {
  const bool timed = words > 1 && std::string(word[1]) == "time";
  const int rounds = timed ? (words > 2 ? std::atoi(word[2]) : 5) : 1;
  for (int round = 0; round < rounds; ++round) {
    for (const char* way : {"base", "once", "pinned"}) {
      if (timed || std::string(way) == "base") std::printf("%s %.4f\n", way, run(way));
    }
  }
}
