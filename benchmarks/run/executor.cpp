#include "benchmarks/run/executor.hpp"

#include <benchmark/benchmark.h>

#include <exception>

namespace apod::run {
namespace {

/// Our own reporters read the raw samples. Of Google Benchmark's summary the processor time is
/// kept, which nothing else measures.
class ProcessorTime : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.iterations > 0)
        per_iteration_s = run.cpu_accumulated_time / static_cast<double>(run.iterations);
    }
  }
  double per_iteration_s = 0;
};

}  // namespace

double execute(const std::string& name, std::size_t iterations,
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
  ProcessorTime reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, ".");
  benchmark::ClearRegisteredBenchmarks();
  if (failure) std::rethrow_exception(failure);
  return reporter.per_iteration_s;
}

}  // namespace apod::run
