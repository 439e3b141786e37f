/// A program of Google Benchmark's whose first two benchmarks take STEPS / 1000 of the time of a
/// build with 1000, and whose third takes the same: what docs/any-command.md compares.

#include <benchmark/benchmark.h>

#include <cstdint>

namespace {

/// So many steps of a xorshift generator (Marsaglia 2003), each of which needs the one before.
std::uint64_t steps(std::int64_t count) {
  std::uint64_t state = 88172645463325252ULL;
  for (std::int64_t i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

void changed(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(steps(state.range(0) * STEPS / 1000));
  }
}

void unchanged(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(steps(state.range(0)));
}

constexpr double least_s = 0.02;

BENCHMARK(changed)->Arg(20'000)->Arg(200'000)->MinTime(least_s);
BENCHMARK(unchanged)->Arg(20'000)->MinTime(least_s);

}  // namespace

BENCHMARK_MAIN();
