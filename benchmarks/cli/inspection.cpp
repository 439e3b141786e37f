#include "benchmarks/cli/inspection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/look/findings.hpp"
#include "benchmarks/look/nsys_import.hpp"
#include "benchmarks/look/switches.hpp"
#include "benchmarks/look/trace/lanes.hpp"
#include "benchmarks/look/trace/profile_of.hpp"
#include "benchmarks/look/trace/step_parts.hpp"
#include "benchmarks/look/trace/timeline.hpp"
#include "benchmarks/look/trace/window.hpp"

namespace apod::cli {
namespace {

/// Leaves of the trace what belongs to the range of that name. Returns the range's own name where
/// the program has more like it, also beside what was kept: then it is one step.
std::string narrow_to_range(Recording& recording, const std::string& name) {
  auto& trace = recording.trace;
  if (const auto* found = trace::look_up_range(trace, name).range) {
    const NvtxRange range = *found;
    const std::array step{std::string("--step"), range.name};
    const bool repeats =
        trace::has_more_like(trace, range) || !std::ranges::search(recording.part, step).empty();
    trace = trace::window_of(std::move(trace), range);
    return repeats ? range.name : "";
  }
  trace::refuse_range(trace, "--range", "there is no", name);
}

void narrow_to_device(Trace& trace, int device) {
  auto used = trace::devices_of(trace);
  std::ranges::sort(used);
  const auto index = static_cast<std::uint32_t>(device);
  if (std::ranges::find(used, index) == used.end()) {
    throw std::runtime_error(
        fmt::format("--device {}: nothing ran on this device; {}", device,
                    used.empty() ? "nothing ran on any device"
                                 : fmt::format("devices with work: {}", fmt::join(used, ", "))));
  }
  trace = trace::on_device(std::move(trace), index);
}

DeviceFacts facts_of_device(const Recording& recording, std::uint32_t index) {
  for (const auto& device : recording.devices) {
    if (static_cast<std::uint32_t>(device.index) == index) return device;
  }
  return {};
}

void keep_steps(Inspection& inspection, const Steps& steps) {
  auto& kept = inspection.kept_steps;
  kept.name = steps.name;
  for (const auto& step : steps.steady) kept.lengths.push_back(step.parts.total_s());
  kept.parts = by_name(steps.mean());
  kept.wait = steps.wait;
  for (const auto& kernel : inspection.steady.kernels) {
    kept.families[std::string(to_string(kernel_family(kernel.name)))] +=
        kernel.time.total_s / static_cast<double>(steps.steady.size());
    kept.kernels[kernel.name].add(kernel.time);
  }
  for (const auto& copy : inspection.steady.copies) kept.copies[copy.name].add(copy.time);
  if (inspection.steps.size() < 2) return;
  for (const auto& [device, on_device] : inspection.steps) {
    if (!on_device.repeats()) continue;
    const auto name = fmt::format("device {}", device);
    kept.devices[name] = on_device.mean_s();
    for (const auto& [part, seconds] : by_name(on_device.mean())) {
      if (part != to_string(StepPart::recorder)) kept.devices[name + ": " + part] = seconds;
    }
    kept.devices[name + ": waiting for a later device"] = on_device.skew_s;
  }
}

/// Findings of the steady steps of the one device `inspection.device`; `trace` is of it alone,
/// `of_all` of all devices.
void judge(Inspection& inspection, Trace trace, const Trace& of_all) {
  inspection.facts = trace::facts_of(trace, inspection.device);
  inspection.ceilings = find_ceilings(inspection.device, inspection.notes);
  const auto graphs = look::graph_launches(trace);
  if (2 * graphs.unseen > graphs.all) {
    inspection.unseen_graphs = graphs.unseen;
    return;
  }
  if (graphs.unseen > 0) {
    inspection.notes.push_back(
        fmt::format("the recording has no device activity for {} of {} launches of CUDA graphs: "
                    "timeline and findings cover only the other work",
                    graphs.unseen, graphs.all));
  }
  if (inspection.steps.empty()) return;
  const auto& steps = inspection.steps.front().steps;
  if (steps.repeats()) {
    const double median = steps.median_s();
    const auto usual = std::ranges::min_element(steps.steady, [&](const Step& a, const Step& b) {
      return std::abs(a.parts.total_s() - median) < std::abs(b.parts.total_s() - median);
    });
    inspection.one_step = usual->name;
    inspection.one_step_s = usual->parts.total_s();
    inspection.step_lanes = trace::lanes_between(of_all, inspection.recording.thread_names,
                                                 usual->start_ns, usual->end_ns);
  }
  const auto steady = trace::steady_part(std::move(trace), steps);
  inspection.steady = trace::profile_of(steady);
  keep_steps(inspection, steps);
  const auto framework = look::framework_of(inspection.recording);
  const bool is_range = std::ranges::any_of(inspection.recording.part, [](const auto& flag) {
    return flag == "--range" || flag == "--capture-range";
  });
  const Ceilings* ceilings = inspection.ceilings ? &inspection.ceilings->ceilings : nullptr;
  inspection.findings = look::findings({.profile = inspection.steady,
                                        .facts = trace::facts_of(steady, inspection.device),
                                        .device = inspection.device,
                                        .ceilings = ceilings,
                                        .steps = &steps,
                                        .framework = framework,
                                        .is_range = is_range});
  look::name_switches(framework, inspection.device, inspection.findings);
}

}  // namespace

KeptRecording judged_recording(const std::string& file) {
  return inspection_of(recording_of(file), {});
}

std::string Inspection::why_no_findings() const {
  if (unseen_graphs > 0)
    return "No findings: the recording has no device activity of the CUDA graphs.";
  if (recording.trace.activities.empty())
    return "Nothing ran on a device, so there is nothing to explain.";
  return "";
}

Inspection inspection_of(KeptRecording kept, Part part) {
  // A range that was cut out before is all that there is.
  const std::array range{std::string("--range"), part.range};
  if (!std::ranges::search(kept.recording.part, range).empty()) {
    part.range.clear();
    part.flags.erase(part.flags.begin(), std::ranges::search(part.flags, range).end());
  }
  Inspection inspection;
  inspection.recording = std::move(kept.recording);
  inspection.tried = std::move(kept.tried);
  auto& trace = inspection.recording.trace;
  auto& flags = inspection.recording.part;
  std::string step;
  if (!part.range.empty()) step = narrow_to_range(inspection.recording, part.range);
  flags.insert(flags.end(), part.flags.begin(), part.flags.end());
  if (!step.empty() && part.step.empty()) flags.insert(flags.end(), {"--step", step});
  step = part.step;
  for (std::size_t i = 0; i + 1 < flags.size(); ++i) {  // the last one counts
    if (flags[i] == "--step") step = flags[i + 1];
    if (flags[i] == "--range") step.clear();
  }
  if (part.device) narrow_to_device(trace, *part.device);
  inspection.profile = trace::profile_of(trace, inspection.recording.thread_names);
  inspection.devices = trace::devices_of(trace);
  if (inspection.devices.empty()) {
    judge(inspection, trace, trace);
    return inspection;
  }
  const auto& threads = inspection.recording.thread_names;
  for (const auto device : inspection.devices)
    inspection.steps.push_back({device, trace::steps_of(trace, device, threads, step)});
  for (const auto& [device, ns] : trace::find_skew(trace, inspection.steps)) {
    inspection.notes.push_back(fmt::format(
        "the ends of collectives show that the clock of device {} is {} {} the clock of device {}: "
        "bench corrects the rank skew, but not the timeline",
        device, text::format_time(std::abs(static_cast<double>(ns)) * 1e-9, text::in_prose),
        ns > 0 ? "ahead of" : "behind", inspection.devices.front()));
  }
  const auto busiest = inspection.devices.front();
  inspection.device = facts_of_device(inspection.recording, busiest);
  judge(inspection, inspection.devices.size() == 1 ? trace : trace::on_device(trace, busiest),
        trace);
  inspection.collectives =
      trace::measured_collectives(trace, busiest, inspection.steps.front().steps);
  double link = inspection.ceilings ? slowest_link(inspection.ceilings->ceilings) : 0;
  // What was measured where the recording was made; all of its collectives have the same.
  if (!(link > 0) && !kept.collectives.empty()) link = kept.collectives[0].link_bytes_per_s;
  for (auto& one : inspection.collectives) one.link_bytes_per_s = link;
  if (inspection.devices.size() > 1) {
    inspection.notes.push_back(
        fmt::format("the program used {} devices; this report shows device {}, the busiest (to "
                    "show another: --device N)",
                    inspection.devices.size(), busiest));
  }
  return inspection;
}

}  // namespace apod::cli
