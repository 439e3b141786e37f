/// \file
/// Times the sum single_pass of any commit of this repository that has it. An iteration is 20
/// launches between two events. Below 2^22 values a launch takes longer than its kernel. The build
/// command names this file, and takes the header from the
/// folder of the commit:
///
///   bench bisect --good d1ae1f8e --bad c6b00366 --read google --cmd ./sum_history
///       --build 'nvcc -O3 -std=c++20 -arch=native -I. -o sum_history .../sum_history.cu
///       -lbenchmark'
///       --case google/program/sum/4194304/manual_time

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

#include "kernels/sums/single_pass.hpp"

namespace {

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

void sum(benchmark::State& state) {
  namespace sums = apod::sums;
  using Total = sums::Plain<float>;
  constexpr int launches = 20;
  const auto n = static_cast<std::size_t>(state.range(0));
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const std::size_t tiles = (n + sums::single_pass_tile - 1) / sums::single_pass_tile;
  const auto blocks = std::min(
      tiles, static_cast<std::size_t>(sums::single_pass_resident<Total> * multiprocessors));
  float* values = nullptr;
  float* result = nullptr;
  void* slots = nullptr;
  cudaEvent_t begin;
  cudaEvent_t end;
  check(cudaMalloc(&values, n * sizeof(float)));
  check(cudaMalloc(&result, sizeof(float)));
  check(cudaMalloc(&slots, sums::Slots<Total>::bytes));
  check(cudaMemset(values, 0, n * sizeof(float)));
  check(cudaMemset(slots, 0, sums::Slots<Total>::bytes));
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  for (auto _ : state) {
    check(cudaEventRecord(begin));
    for (int k = 0; k < launches; ++k) {
      sums::single_pass<Total><<<static_cast<unsigned>(blocks), sums::single_pass_threads>>>(
          values, n, result, sums::Slots<Total>(slots));
    }
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    state.SetIterationTime(ms / 1e3);
  }
  check(cudaGetLastError());
  check(cudaFree(values));
  check(cudaFree(result));
  check(cudaFree(slots));
}
BENCHMARK(sum)->Arg(1 << 22)->Arg(1 << 24)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
