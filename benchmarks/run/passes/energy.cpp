#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "benchmarks/base/text/units.hpp"
#include "benchmarks/run/passes/passes.hpp"
#include "benchmarks/run/sampler.hpp"
#include "benchmarks/run/settle.hpp"

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;
using trace::Color;
using trace::Phase;

// What was loaded and verified before must not count as idling.
constexpr auto calm = std::chrono::milliseconds(300);
constexpr auto nap = std::chrono::milliseconds(10);
// The device idles some 10 us between two batches.
constexpr double batch_s = 10e-3;
// Of each of the two watches: the counter of an H200 moves every 0.1 s.
constexpr double watched_s = 3;

double seconds_of(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// `runs` runs, hot: nothing is flushed between them.
void run_many(const PreparedCase& prepared, int runs) {
  if (prepared.item.experiment.scope == Scope::end_to_end) {
    for (int i = 0; i < runs; ++i) prepared.run_once();
    return;
  }
  for (int i = 0; i < runs; ++i) {
    prepared.pipeline.restore();
    prepared.pipeline.enqueue();
  }
  prepared.pipeline.stream().synchronize();
}

void keep(const EnergyEstimate& found, Measurement& measurement) {
  auto& facts = measurement.facts;
  facts["idle_power"] = found.idle_w;
  if (!found.is_resolvable()) {
    measurement.notes.push_back(
        "energy too small to measure: the power is " +
        text::format_quantity(found.power_w.value, text::Unit::watts) +
        " above the idle power of " + text::format_quantity(found.idle_w, text::Unit::watts) +
        ", +- " +
        text::format_quantity(found.power_w.high - found.power_w.value, text::Unit::watts));
    return;
  }
  const double energy_j = found.power_w.value * found.run_s;
  facts["power"] = found.power_w.value;
  facts["energy"] = energy_j;
  facts["energy_low"] = found.power_w.low * found.run_s;
  facts["energy_high"] = found.power_w.high * found.run_s;
  const double flops = measurement.traffic.flops();
  if (flops > 0) facts["flops_per_joule"] = flops / energy_j;
}

}  // namespace

void energy_pass(const PreparedCase& prepared) {
  auto& measurement = prepared.measurement;
  auto& backend = prepared.backend;
  prepared.stage("energy");
  Phase phase(prepared.timers, "energy", Color::sample);
  const auto counter = [&] { return backend.energy(); };
  counter();  // throws before any time is spent
  std::this_thread::sleep_for(calm);
  const auto idle = watch_energy(
      counter,
      [&] {
        std::this_thread::sleep_for(nap);
        return 0;
      },
      watched_s);
  const double once_s = seconds_of([&] { run_many(prepared, 1); });
  const int rough = once_s < batch_s ? static_cast<int>(batch_s / once_s) + 1 : 1;
  const double rough_s = seconds_of([&] { run_many(prepared, rough); });
  const int runs = static_cast<int>(std::max(1.0, std::round(rough * batch_s / rough_s)));
  const auto work = [&] {
    if (prepared.hooks.cancelled()) throw Cancelled{};
    run_many(prepared, runs);
    return runs;
  };
  if (!settle(work, [&] { return backend.clock(); }).settled)
    measurement.notes.push_back("energy: clock and power did not settle before the measurement");
  const auto busy = watch_energy(counter, work, watched_s);
  if (prepared.variant.needs_restore())
    measurement.notes.push_back("energy: includes the energy for restoring the kernel's buffers");
  if (prepared.item.info.params.integer_or("programs", 1) > 1) {
    measurement.notes.push_back(
        "energy: measured while the other programs (axis programs) did not run");
  }
  keep(estimate_energy(idle, busy), measurement);
}

}  // namespace apod::run
