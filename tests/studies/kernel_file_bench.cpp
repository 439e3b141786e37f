// What a kernel that comes in a file costs on the host, on all of its threads: making inputs, and
// holding an output against its reference. Two cases of configs/your_kernel.yaml, and one whose
// reference is an output of the device. Items are elements of the output.
//   build/host/tests/studies/kernel_file_bench

#include <benchmark/benchmark.h>

#include <cstring>

#include "kernels/files/kernel_family.hpp"

namespace {

using namespace apod;

constexpr std::int64_t side = 2048;

std::shared_ptr<const file::KernelFamily> family_of(const std::string& y, file::Role role,
                                                    file::ReferenceSpec reference) {
  file::KernelSpec spec;
  spec.axes = {{.name = "side", .help = "", .default_value = side}};
  spec.launches = {{.file = "k.cu", .kernel = "k", .grid = {"1"}, .block = {"1"}}};
  spec.args = {{.name = "y", .role = role, .shape = {"side", "side"}},
               {.name = "x", .shape = {"side", "side"}},
               {.name = "a", .value = "2.5"}};
  spec.reference = std::move(reference);
  if (!y.empty()) {
    spec.reference = {.kind = file::ReferenceSpec::Kind::formula, .outputs = {{"y", y}}};
  }
  spec.absolute = spec.relative = 1e-6;
  return std::make_shared<const file::KernelFamily>(std::move(spec));
}

std::shared_ptr<const file::KernelFamily> saxpy() {
  return family_of("a * x + y", file::Role::inout, {});
}
std::shared_ptr<const file::KernelFamily> stencil() {
  return family_of(
      "if(i % side == 0 or i % side == side - 1 or i < side or i >= side * (side - 1), x, "
      "0.2 * (x + x[max(0, i - 1)] + x[min(side * side - 1, i + 1)] + x[max(0, i - side)] + "
      "x[min(side * side - 1, i + side)]))",
      file::Role::out, {});
}
std::shared_ptr<const file::KernelFamily> device() {
  return family_of("", file::Role::out, {.kind = file::ReferenceSpec::Kind::itself});
}

Params params() {
  Params params;
  params.set("side", side);
  return params;
}

std::unique_ptr<Problem> make(const file::KernelFamily& family, std::uint64_t seed) {
  return family.make(params(), {.seed = seed});
}

void Make(benchmark::State& state, const std::shared_ptr<const file::KernelFamily>& family) {
  std::uint64_t seed = 0;
  for (auto _ : state) benchmark::DoNotOptimize(make(*family, ++seed));
  state.SetItemsProcessed(state.iterations() * side * side);
}

/// Of what is right: as the formula says, and for `device`, which is its own reference, zeros.
void Verify(benchmark::State& state, const std::shared_ptr<const file::KernelFamily>& family) {
  const auto problem = make(*family, 1);
  std::vector<std::byte> output(problem->output_bytes(1), std::byte{0xFF});
  const auto& layout = dynamic_cast<const file::KernelProblem&>(*problem).layout();
  std::vector<double> right(side * side);
  if (!problem->wants_output()) {
    family->shapes()
        .reference_formula("y", params(), layout, problem->input().data())
        .numbers(0, right);
  }
  const std::vector<float> y(right.begin(), right.end());
  std::memcpy(output.data() + layout.args[0].in_output, y.data(), layout.args[0].bytes);
  if (problem->wants_output()) problem->take_output(output);
  if (!problem->verify(output, 1).passed) return state.SkipWithError("what is right was refused");
  for (auto _ : state) benchmark::DoNotOptimize(problem->verify(output, 1));
  state.SetItemsProcessed(state.iterations() * side * side);
}

}  // namespace

BENCHMARK_CAPTURE(Make, saxpy, saxpy())
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Make, stencil, stencil())
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Make, device, device())
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Verify, saxpy, saxpy())
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Verify, stencil, stencil())
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Verify, device, device())
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
