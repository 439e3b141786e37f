// What the harness itself costs: its plan, its samples, its files. See
// docs/harness.md.
// Each benchmark also reports the process' peak memory so far, so run one at a time for that
// figure.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdio>

#include "benchmarks/base/summary.hpp"
#include "benchmarks/files/write_result.hpp"
#include "benchmarks/look/trace/ranges.hpp"
#include "benchmarks/plan/config/load.hpp"
#include "benchmarks/plan/expand.hpp"
#include "benchmarks/run/case_runner.hpp"
#include "kernels/api/operation.hpp"
#include "tests/support/scripted_backend.hpp"

namespace apod {
namespace {

double peak_memory_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// 100,000 cases from one file: 100 sizes x 10 repeats x 5 stream counts x 10 x 2.
void expand_100000_cases(benchmark::State& state) {
  std::string sizes, repeats;
  for (int i = 1; i <= 500; ++i) sizes += (i > 1 ? ", " : "") + std::to_string(1000 * i);
  for (int i = 1; i <= 10; ++i) repeats += (i > 1 ? ", " : "") + std::to_string(i);
  const std::string text =
      "schema: 1\nexperiments:\n  - workload: normalize\n    scope: end_to_end\n    axes:\n"
      "      variant: host\n      size: [" +
      sizes + "]\n      compute_repeats: [" + repeats +
      "]\n      streams: [1, 2, 4, 8, 16]\n      accumulator: [fp32, fp64]\n"
      "      host_memory: [pageable, pinned]\n    baseline: {streams: 1}\n";
  const auto& registry = Registry::instance();
  std::size_t cases = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto loaded = config::load_text(text, "bench.yaml", registry, {BackendKind::host, {}});
    const auto expanded = plan::expand(*loaded.config, registry, {});
    cases = expanded.plan->cases.size();
    benchmark::DoNotOptimize(cases);
  }
  state.counters["cases"] = static_cast<double>(cases);
  state.counters["peak_MB"] = peak_memory_mb();
}

/// A sample of a device that takes no time at all: what is left is the harness. Its own loop is a
/// Google Benchmark, and one can't run inside another, so this one is timed by hand. Microseconds.
double harness_time_per_sample() {
  test::Script script;
  Registry registry;
  test::fill_registry(registry, script);
  script.kernel_seconds = [](int call) { return 1e-6 * (1 + 0.3 * std::sin(call)); };
  MeasureSpec measure;
  measure.warmup_s = 0;
  measure.precision = 1e-6;
  measure.max_samples = 200'000;
  measure.cache = CacheMode::hot;
  measure.launch = LaunchMode::stream;
  const auto plan = test::echo_plan({"echo"}, measure);
  record::WorkItem item;
  item.info = plan.cases[0];
  item.experiment = plan.experiments[0];
  run::CaseRunner runner(registry);
  const auto measured =
      runner.run(item, {.stage = [](const std::string&) {}, .cancelled = [] { return false; }});
  // What the case took less the phases before the samples: the loop, its bookkeeping and its marks.
  double others = 0;
  for (const auto& phase : measured.phases) {
    if (phase.name != "sample") others += phase.time.total_s;
  }
  return 1e6 * (measured.wall_s - others) / static_cast<double>(measured.samples_s.size());
}

/// A result of 10,000 cases in three processes with fifty samples each, summarised and written.
void write_10000_cases(benchmark::State& state) {
  constexpr std::size_t cases = 10'000;
  Result result;
  result.plan = test::echo_plan(std::vector<std::string>(cases, "echo"), {});
  for (auto& c : result.plan.cases) c.id += "/" + std::to_string(c.index);
  for (const auto& c : result.plan.cases) {
    for (int process = 0; process < 3; ++process) {
      Measurement measurement;
      measurement.case_index = c.index;
      measurement.case_id = c.id;
      measurement.process = process;
      for (int i = 0; i < 50; ++i) measurement.samples_s.push_back(1e-3 * (1 + 0.01 * std::sin(i)));
      result.measurements.push_back(std::move(measurement));
    }
  }
  std::size_t bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    struct Counter : std::streambuf {
      std::size_t bytes = 0;
      int overflow(int c) override {
        ++bytes;
        return c;
      }
      std::streamsize xsputn(const char*, std::streamsize n) override {
        bytes += static_cast<std::size_t>(n);
        return n;
      }
    } counter;
    std::ostream out(&counter);
    files::write_json(out, result);
    bytes = counter.bytes;
  }
  state.counters["file_MB"] = static_cast<double>(bytes) / 1e6;
  state.counters["peak_MB"] = peak_memory_mb();
}

/// An annotation that no profiler listens to, which a build without annotations does not have.
void annotate_a_phase(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    const trace::Range range("sample", trace::Color::sample, 1);
    benchmark::ClobberMemory();
  }
}

/// Likewise for a variant's operation, which is made to text only for a listener; without
/// annotations it still asks whether there is one.
void annotate_an_operation(benchmark::State& state) {
  trace::annotate_operations();
  for ([[maybe_unused]] auto _ : state) {
    const OperationScope scope([] {
      return Operation{.name = "gemm", .shapes = to_string(Shape{8, 8})};
    });
    benchmark::ClobberMemory();
  }
}

}  // namespace
}  // namespace apod

int main(int argc, char** argv) {
  for (int i = 0; i < 3; ++i) {
    std::printf("harness_time_per_sample %.3f us\n", apod::harness_time_per_sample());
  }
  // Registered only now: the harness clears the register after each of its own cases.
  benchmark::RegisterBenchmark("expand_100000_cases", apod::expand_100000_cases)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("write_10000_cases", apod::write_10000_cases)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("annotate_a_phase", apod::annotate_a_phase);
  benchmark::RegisterBenchmark("annotate_an_operation", apod::annotate_an_operation);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
