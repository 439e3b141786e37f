#include <algorithm>
#include <string_view>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

namespace apod::look {
namespace {

bool allocates(const CallProfile& call) {
  // Stream-ordered allocation is meant for loops.
  return call.name.find("Async") == std::string::npos &&
         text::begins_with_any(call.name,
                               {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaHostRegister",
                                "cuMemAlloc", "cuMemFree", "cuMemHostAlloc", "cuMemHostRegister"});
}

bool loads_code(const CallProfile& call) {
  return text::begins_with_any(call.name,
                               {"cuModuleLoad", "cuLibraryLoad", "cuLink", "cudaLibraryLoad"});
}

/// A case is traced after its setup, so every allocation in the trace repeats with each execution.
/// Gain: time of the calls / time, as the device waits meanwhile; none in kernel scope, whose time
/// leaves the host out.
void allocation_in_loop(const Evidence& evidence, Findings& found) {
  Tally calls;
  std::string names;
  for (const auto& call : evidence.profile.calls) {
    if (call.time.empty() || !allocates(call)) continue;
    calls.add(call.time);
    names += (names.empty() ? "" : ", ") + call.name + " " +
             plural(static_cast<double>(call.time.count), "time", "times");
  }
  const double span = span_s(evidence);
  if (evidence.asked == nullptr || calls.empty() || !(span > 0)) return;
  const bool end_to_end = evidence.asked->end_to_end;
  const double time = end_to_end ? evidence.asked->time_s : span;
  const double share = time > 0 ? calls.total_s / time : 0;
  if (share < threshold::matters.value) return;
  found.push_back({"allocation-in-loop", Severity::warning, "",
                   names + ": " + seconds(calls.total_s) + " of " + seconds(time),
                   "allocate once and reuse the memory, or use cudaMallocAsync with a memory pool",
                   end_to_end ? gain(evidence, share) : 0});
}

/// Gain: time of compiling and loading / (that + span), as the device mostly waits for it before
/// its work begins.
void jit_at_start(const Evidence& evidence, Findings& found) {
  Tally work;
  std::string what;
  const auto add = [&](const std::string& name, const Tally& time) {
    if (time.count == 0) return;
    work.add(time);
    what += (what.empty() ? "" : ", ") + name + " " + seconds(time.total_s);
  };
  for (const auto& [kind, time] : evidence.profile.overheads) {
    if (kind.find("compiler") != std::string::npos || kind.find("loading") != std::string::npos)
      add(kind, time);
  }
  // An overhead record covers what the calls did; without one the calls themselves count.
  if (work.count == 0) {
    for (const auto& call : evidence.profile.calls) {
      if (loads_code(call)) add(call.name, call.time);
    }
  }
  const double span = span_s(evidence);
  if (work.count == 0 || !(span > 0) || work.total_s < threshold::matters.value * span) return;
  if (work.total_s < threshold::load_seconds.value) return;
  found.push_back({"jit-at-start", Severity::warning, "",
                   what + "; the device then works for " + seconds(span),
                   "build machine code for this device (CMAKE_CUDA_ARCHITECTURES), keep compiled "
                   "code, and run every kernel once before the measured part",
                   work.total_s / (work.total_s + span)});
}

/// Gain: unknown, because the time at the full clock is unknown.
void throttled(const Evidence& evidence, Findings& found) {
  const double slowed = fact(evidence, "throttled").value_or(0);
  const double used = fact(evidence, "samples").value_or(0);
  if (!(slowed > 0) || slowed < threshold::throttled.value * (slowed + used)) return;
  auto text = plural(slowed, "sample was", "samples were") +
              " taken while the device was throttled for heat or power";
  if (const auto clock = fact(evidence, "sm_clock")) {
    text += ", at a mean clock of " + count(*clock) + " MHz";
    if (evidence.device.max_sm_clock_mhz > 0)
      text += " of " + count(evidence.device.max_sm_clock_mhz);
  }
  found.push_back(
      {"throttled", Severity::warning, "", text,
       "improve the cooling, raise the power limit, or lock the clock (nvidia-smi -lgc)", 0});
}

/// A note: it is how a busy device works, but its figures are those of this clock. Gain: unknown.
void power_capped(const Evidence& evidence, Findings& found) {
  const double capped = fact(evidence, "power_capped").value_or(0);
  const double clock = fact(evidence, "sm_clock").value_or(0);
  const double highest = evidence.device.max_sm_clock_mhz;
  if (!(capped > 0) || !(clock > 0) || clock >= threshold::full_clock.value * highest) return;
  found.push_back({"power-capped", Severity::note, "",
                   "the power limit held the SM clock at " + count(clock) + " MHz of " +
                       count(highest) + " in " + percent(capped) + " of the processes",
                   "compare only times at the same clock; for repeatable times, lock the clock "
                   "below the limit (nvidia-smi -lgc)",
                   0});
}

}  // namespace

void host_rules(const Evidence& evidence, Findings& found) {
  if (!on_gpu(evidence)) return;
  allocation_in_loop(evidence, found);
  jit_at_start(evidence, found);
  throttled(evidence, found);
  power_capped(evidence, found);
}

}  // namespace apod::look
