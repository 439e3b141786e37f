#include <algorithm>
#include <string_view>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

namespace apod::look {
namespace {

/// Calls of one kind: "cudaMalloc 3 times, cudaFree 3 times".
struct NamedCalls {
  Tally time;
  std::string names;

  void add(const std::string& name, const Tally& of_name, const std::string& what) {
    if (of_name.empty()) return;
    time.add(of_name);
    names += (names.empty() ? "" : ", ") + name + " " + what;
  }
};

/// A case is traced after its setup, so every allocation in the trace repeats with each execution.
/// Gain: time of the calls / time, as the device waits meanwhile; none in kernel scope, whose time
/// leaves the host out.
void allocation_in_loop(View& view) {
  NamedCalls calls;
  for (const auto& call : view.profile.calls) {
    // Stream-ordered allocation is meant for loops.
    const bool allocates =
        call.name.find("Async") == std::string::npos &&
        text::begins_with_any(
            call.name, {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaHostRegister", "cuMemAlloc",
                        "cuMemFree", "cuMemHostAlloc", "cuMemHostRegister"});
    if (allocates)
      calls.add(call.name, call.time,
                plural(static_cast<double>(call.time.count), "time", "times"));
  }
  if (view.asked == nullptr || calls.time.empty() || !(view.span_s > 0)) return;
  const bool end_to_end = view.asked->end_to_end;
  const double time = end_to_end ? view.asked->time_s : view.span_s;
  const double share = time > 0 ? calls.time.total_s / time : 0;
  if (share < threshold::matters.value) return;
  view.warn("allocation-in-loop", "",
            calls.names + ": " + seconds(calls.time.total_s) + " of " + seconds(time),
            "allocate once and reuse the memory, or use cudaMallocAsync with a memory pool",
            end_to_end ? share : 0);
}

/// Gain: time of compiling and loading / (that + span), as the device mostly waits for it before
/// its work begins.
void jit_at_start(View& view) {
  NamedCalls work;
  for (const auto& [kind, time] : view.profile.overheads) {
    if (text::holds_any(kind, {"compiler", "loading"})) work.add(kind, time, seconds(time.total_s));
  }
  // An overhead record covers what the calls did; without one the calls themselves count.
  const bool known = !work.time.empty();
  for (const auto& call : view.profile.calls) {
    if (!known && text::begins_with_any(
                      call.name, {"cuModuleLoad", "cuLibraryLoad", "cuLink", "cudaLibraryLoad"}))
      work.add(call.name, call.time, seconds(call.time.total_s));
  }
  const double span = view.span_s;
  const double load_s = work.time.total_s;
  if (work.time.empty() || !(span > 0) || load_s < threshold::matters.value * span) return;
  if (load_s < threshold::load_seconds.value) return;
  view.warn("jit-at-start", "", work.names + "; the device then works for " + seconds(span),
            "build machine code for this device (CMAKE_CUDA_ARCHITECTURES), keep compiled "
            "code, and run every kernel once before the measured part");
  view.found.back().gain = load_s / (load_s + span);  // not of the case's own time
}

/// Gain: unknown, because the time at the full clock is unknown.
void throttled(View& view) {
  const double slowed = view.fact("throttled").value_or(0);
  const double used = view.fact("samples").value_or(0);
  if (!(slowed > 0) || slowed < threshold::throttled.value * (slowed + used)) return;
  auto text = plural(slowed, "sample was", "samples were") +
              " taken while the device was throttled for heat or power";
  if (const auto clock = view.fact("sm_clock")) {
    text += ", at a mean clock of " + count(*clock) + " MHz";
    if (view.device.max_sm_clock_mhz > 0) text += " of " + count(view.device.max_sm_clock_mhz);
  }
  view.warn("throttled", "", text,
            "improve the cooling, raise the power limit, or lock the clock (nvidia-smi -lgc)");
}

/// A note: it is how a busy device works, but its figures are those of this clock. Gain: unknown.
void power_capped(View& view) {
  const double capped = view.fact("power_capped").value_or(0);
  const double clock = view.fact("sm_clock").value_or(0);
  const double highest = view.device.max_sm_clock_mhz;
  if (!(capped > 0) || !(clock > 0) || clock >= threshold::full_clock.value * highest) return;
  view.note("power-capped", "",
            "the power limit held the SM clock at " + count(clock) + " MHz of " + count(highest) +
                " in " + percent(capped) + " of the processes",
            "compare only times at the same clock; for repeatable times, lock the clock "
            "below the limit (nvidia-smi -lgc)");
}

}  // namespace

void host_rules(View& view) {
  if (view.steps != nullptr || !view.on_gpu()) return;
  allocation_in_loop(view);
  jit_at_start(view);
  throttled(view);
  power_capped(view);
}

}  // namespace apod::look
