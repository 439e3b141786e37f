#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "benchmarks/look/trace/counters.hpp"
#include "benchmarks/look/trace/profile_of.hpp"
#include "benchmarks/look/trace/timeline.hpp"
#include "benchmarks/run/passes/passes.hpp"

namespace apod::run {
namespace {

using trace::Color;
using trace::Phase;

constexpr const char* rival = "another profiler is attached to this process";

// The program's machine code is read once, within the time limit of the first case that is traced.
constexpr double longest_reading_s = 20;

Trace traced(const PreparedCase& prepared) {
  const auto work = [&] { prepared.run_restored(); };
  if (!left_to_a_profiler(prepared.item.info.backend)) return prepared.backend.trace(work);
  work();
  return {{}, {std::string("nothing traced: ") + rival}};
}

Counters counted(const PreparedCase& prepared) {
  if (left_to_a_profiler(prepared.item.info.backend))
    return {{}, {std::string("nothing counted: ") + rival}};
  return prepared.backend.count(
      prepared.item.experiment.measure.metrics,
      [&] {
        prepared.pipeline.restore();
        prepared.flush_cache();
      },
      [&] { prepared.run_restored(); });
}

/// Says what the traced kernels are made of, where that can be read from this program's own file.
void add_instructions(const PreparedCase& prepared, ProcessState& process) {
  auto& measurement = prepared.measurement;
  auto& kernels = measurement.profile.kernels;
  if (kernels.empty()) return;
  // Not /proc/self, which in the program that reads it would be that program.
  if (!process.mixes) {
    process.mixes.emplace("/proc/" + std::to_string(::getpid()) + "/exe",
                          prepared.device.compute_capability);
  }
  const double limit_s = prepared.item.experiment.measure.timeout_s;
  const std::chrono::duration<double> patience(std::min(longest_reading_s, limit_s / 4));
  const auto why_not = process.mixes->describe(
      kernels, std::chrono::duration_cast<std::chrono::milliseconds>(patience));
  if (!why_not.empty()) measurement.notes.push_back("instructions not read: " + why_not);
}

void add(const std::map<std::string, double>& facts, Measurement& measurement) {
  for (const auto& [name, value] : facts) measurement.facts[name] = value;
}

}  // namespace

bool left_to_a_profiler(BackendKind backend) {
  return backend == BackendKind::cuda && trace::profiler_attached();
}

void trace_pass(const PreparedCase& prepared, ProcessState& process) {
  prepared.beside_peers([&](Peers&) {
    auto& measurement = prepared.measurement;
    prepared.stage("trace");
    Phase phase(prepared.timers, "trace", Color::sample);
    prepared.pipeline.restore();
    prepared.flush_cache();
    prepared.pipeline.stream().synchronize();  // what comes before is not traced
    auto seen = traced(prepared);
    measurement.notes = seen.notes;
    measurement.kernel_code = trace::kernel_code_of(seen);
    measurement.profile = trace::profile_of(seen);
    if (prepared.item.info.backend == BackendKind::cuda) add_instructions(prepared, process);
    add(trace::facts_of(seen, prepared.device), measurement);
    if (prepared.item.keep_trace) prepared.hooks.traced(std::move(seen));
  });
}

void counters_pass(const PreparedCase& prepared) {
  auto& measurement = prepared.measurement;
  prepared.stage("counters");
  Phase phase(prepared.timers, "counters", Color::sample);
  prepared.pipeline.forget_graphs();  // whose kernels can't be counted
  auto seen = counted(prepared);
  measurement.notes = std::move(seen.notes);
  if (prepared.item.info.params.integer_or("programs", 1) > 1) {
    measurement.notes.push_back(
        "counters: counted while the other programs (axis programs) did not run");
  }
  measurement.profile = trace::profile_of(seen);
  add(trace::facts_of(seen), measurement);
}

}  // namespace apod::run
