#include "benchmarks/run/executor.hpp"

#include <benchmark/benchmark.h>

#include <exception>

namespace apod::run {
namespace {

/// Our own reporters read the raw samples; Google Benchmark's summary of them is not shown.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace

void execute(const std::string& name, std::size_t iterations,
             const std::function<double()>& iteration) {
  std::exception_ptr failure;
  benchmark::RegisterBenchmark(name.c_str(),
                               [&](benchmark::State& state) {
                                 try {
                                   for ([[maybe_unused]] auto _ : state) {
                                     state.SetIterationTime(iteration());
                                   }
                                 } catch (...) {
                                   failure = std::current_exception();
                                   state.SkipWithError("failed");
                                 }
                               })
      ->UseManualTime()
      ->Iterations(static_cast<benchmark::IterationCount>(iterations))
      ->Repetitions(1);  // whatever BENCHMARK_REPETITIONS in the environment says
  SilentReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, ".");
  benchmark::ClearRegisteredBenchmarks();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace apod::run
