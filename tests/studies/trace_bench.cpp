// What tracing costs: 100,000 launches of an empty-handed kernel without and with a trace, on a
// GPU, and what is made of such a trace, on any machine. See docs/harness.md.

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/look/trace/profile_of.hpp"
#include "benchmarks/look/trace/timeline.hpp"
#include "benchmarks/run/pipeline.hpp"
#include "kernels/api/registry.hpp"

namespace apod {
namespace {

constexpr int launches = 100'000;

double peak_memory_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void analyze(const Trace& trace, const DeviceFacts& device) {
  std::size_t made = 0;
  const double facts_s = seconds_of([&] { made += trace::facts_of(trace, device).size(); });
  const double profile_s = seconds_of([&] { made += trace::profile_of(trace).kernels.size(); });
  std::string line;
  const double encode_s = seconds_of([&] { line = record::encode(trace); });
  const double decode_s = seconds_of([&] { made += record::decode_trace(line).calls.size(); });
  std::printf(
      "facts %.3f s, profile %.3f s (%zu made), to the parent %.1f MB: written in %.3f s, "
      "read in %.3f s\n",
      facts_s, profile_s, made, static_cast<double>(line.size()) / 1e6, encode_s, decode_s);
}

/// As a tracer would see so many launches.
Trace made_up() {
  Trace trace;
  Activity kernel;
  kernel.name = "void apod::copy_grid_stride(float const*, float*, unsigned long)";
  kernel.grid = {1280, 1, 1};
  kernel.block = {256, 1, 1};
  for (std::int64_t i = 0; i < launches; ++i) {
    kernel.start_ns = 3000 * i + 2500;
    kernel.end_ns = kernel.start_ns + 2000;
    kernel.correlation = static_cast<std::uint32_t>(i + 1);
    trace.activities.push_back(kernel);
    trace.calls.push_back(
        {"cudaLaunchKernel", false, 3000 * i, 3000 * i + 2000, 1, kernel.correlation});
  }
  return trace;
}

int measure_on_device() {
  const auto& registry = Registry::instance();
  const auto* entry = registry.backend(BackendKind::cuda);
  std::string why = "built without CUDA";
  if (entry == nullptr || entry->devices(why).empty()) {
    std::printf("no launches were traced: %s\n", why.c_str());
    return 0;
  }
  const auto backend = entry->open(0);
  const auto* family = registry.family("copy");
  const auto variant = registry.variant("copy", "grid_stride")->make();
  Params params;
  params.set("size", std::int64_t{1024});
  const auto problem = family->make(params, {.kind = DataSpec::Kind::ones});
  trace::PhaseTimers timers;
  run::Pipeline pipeline(*backend, *problem, *variant, params, Scope::kernel, timers);
  const auto work = [&] {
    for (int i = 0; i < launches; ++i) pipeline.enqueue();
    pipeline.stream().synchronize();
  };
  work();  // loads the kernel, wakes the device
  for (int round = 0; round < 3; ++round) {
    const double plain_s = seconds_of(work);
    const double plain_mb = peak_memory_mb();
    Trace trace;
    const double traced_s = seconds_of([&] { trace = backend->trace(work); });
    for (const auto& note : trace.notes) std::printf("note: %s\n", note.c_str());
    std::printf(
        "%zu operations, %zu calls: run %.3f s, traced %.3f s, over the run %.3f s; peak "
        "%.0f MB before, %.0f MB after\n",
        trace.activities.size(), trace.calls.size(), plain_s, traced_s, traced_s - plain_s,
        plain_mb, peak_memory_mb());
    analyze(trace, backend->facts());
    if (trace.activities.size() != launches) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace apod

int main() {
  std::printf("made up: ");
  apod::analyze(apod::made_up(), {});
  return apod::measure_on_device();
}
