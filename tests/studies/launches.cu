/// What a launch costs: many empty kernels, timed by the host. Run alone and under
/// `bench inspect`, it tells what the recording costs. Prints one line, us a launch.
///
///     launches [COUNT]

#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void nothing() {}

int main(int count_of_words, char** words) {
  const int count = count_of_words > 1 ? std::atoi(words[1]) : 100'000;
  const auto run = [count] {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) nothing<<<1, 32>>>();
    cudaDeviceSynchronize();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    return time.count() / count;
  };
  run();
  double best = run();
  for (int i = 0; i < 4; ++i) {
    const double time = run();
    if (time < best) best = time;
  }
  std::printf("%.3f us a launch, best of 5 times %d launches\n", best, count);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
