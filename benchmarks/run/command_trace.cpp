#include "benchmarks/run/command_trace.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/look/trace/kernel_code.hpp"
#include "benchmarks/look/trace/profile_of.hpp"
#include "benchmarks/look/trace/timeline.hpp"
#include "benchmarks/look/trace/window.hpp"
#include "benchmarks/run/inspected_program.hpp"

namespace apod::run {
namespace {

struct Seen {
  Trace trace;
  DeviceFacts device;
};

/// Each note once, however many processes have it.
void note(Measurement& measurement, const std::string& text) {
  auto& notes = measurement.notes;
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
}

/// Of the busiest device; none where nothing ran on any.
std::optional<Seen> traced(const record::WorkItem& item, const std::string& library,
                           const TracedRun& run, Measurement& measurement) {
  const os::TemporaryFolder parts;
  run(item, recording_variables({.library = library}, parts.path()));
  auto recording = recorded_in(parts.path());
  for (const auto& text : recording.trace.notes) note(measurement, text);
  const auto devices = trace::devices_of(recording.trace);
  if (devices.empty()) return std::nullopt;
  Seen seen;
  for (const auto& one : recording.devices) {
    if (static_cast<std::uint32_t>(one.index) == devices.front()) seen.device = one;
  }
  if (devices.size() == 1) {
    seen.trace = std::move(recording.trace);
    return seen;
  }
  note(measurement, "traced on " + std::to_string(devices.size()) +
                        " devices: the facts are those of the busiest");
  seen.trace = trace::on_device(std::move(recording.trace), devices.front());
  return seen;
}

std::string why_none(const record::WorkItem& item, const Tracing& tracing) {
  const auto reads = item.experiment.command->reads;
  if (item.experiment.command->finds_cases() &&
      (reads != Reads::google || item.info.wanted.empty())) {
    return "a process of this command is of several cases";
  }
  return tracing.why_none;
}

}  // namespace

void trace_command(const record::WorkItem& item, const Tracing& tracing, const TracedRun& run,
                   const CaseHooks& hooks, Measurement& measurement) {
  const auto why = why_none(item, tracing);
  if (!why.empty()) return measurement.notes.push_back("nothing traced: " + why);
  if (!item.experiment.command->finds_cases()) {
    auto seen = traced(item, tracing.library, run, measurement);
    if (!seen) return;
    measurement.facts = trace::facts_of(seen->trace, seen->device);
    measurement.kernel_code = trace::kernel_code_of(seen->trace);
    measurement.profile = trace::profile_of(seen->trace);
    if (item.keep_trace) hooks.traced(std::move(seen->trace));
    return;
  }
  for (const auto& name : item.info.wanted) {
    auto alone = item;
    alone.info.wanted = {name};
    const auto seen = traced(alone, tracing.library, run, measurement);
    if (!seen) return;
    measurement.found.push_back({.name = name,
                                 .facts = trace::facts_of(seen->trace, seen->device),
                                 .kernel_code = trace::kernel_code_of(seen->trace),
                                 .profile = trace::profile_of(seen->trace)});
  }
}

}  // namespace apod::run
