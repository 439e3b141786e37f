#include "benchmarks/run/passes/passes.hpp"
#include "benchmarks/run/sampler.hpp"
#include "benchmarks/run/spot_checks.hpp"

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;
using trace::Color;
using trace::Phase;

// A GPU that idled runs at a fraction of its clock until it has been busy for a while.
constexpr double wake_up_s = 0.3;
constexpr double idle_s = 0.5;

SamplerHooks hooks_of(const PreparedCase& prepared, std::function<Sample()> take, Peers& peers) {
  return {.take = std::move(take),
          .clock = [&] { return prepared.backend.clock(); },
          .stage = [&](const std::string& name) { prepared.stage(name); },
          .cancelled =
              [&] {
                peers.look();
                return prepared.hooks.cancelled();
              },
          .places = prepared.pipeline.places(),
          .has_clock = prepared.item.info.backend == BackendKind::cuda,
          .highest_mhz = static_cast<double>(prepared.device.max_sm_clock_mhz)};
}

Launcher make_launcher(const PreparedCase& prepared) {
  return Launcher(prepared.backend, prepared.pipeline, prepared.item, prepared.variant,
                  prepared.measurement);
}

/// The samples, and how busy other processes kept the processors and the device.
void sample(const PreparedCase& prepared, const SamplerHooks& hooks, const Peers& peers,
            ProcessState& process) {
  const auto& item = prepared.item;
  auto& facts = prepared.measurement.facts;
  // Data and references are made on the host; a device that idled meanwhile is slow again.
  const std::chrono::duration<double> idle = Clock::now() - process.last_device_work;
  const bool asleep = item.info.backend == BackendKind::cuda && idle.count() > idle_s;
  const auto processor_times = [&] { return read_processor_times(peers.processor_seconds()); };
  process.others.look(processor_times());  // from here on
  sample_case(item.info.id, item.experiment.measure, asleep ? wake_up_s : 0, hooks, prepared.timers,
              prepared.measurement);
  process.last_device_work = Clock::now();
  if (const auto load = process.others.look(processor_times())) facts["other_load"] = *load;
  if (const auto processes = prepared.backend.processes())
    facts["other_gpu_processes"] = static_cast<double>(others_on_gpu(*processes, peers.count()));
}

}  // namespace

void measure_pass(const PreparedCase& prepared, ProcessState& process) {
  prepared.beside_peers([&](Peers& peers) {
    auto launcher = make_launcher(prepared);
    prepared.pipeline.poison();  // what is there in the end was written by the timed runs
    if (!prepared.item.experiment.kernel) {
      auto hooks = hooks_of(
          prepared, [&] { return launcher.take(); }, peers);
      hooks.begin = [&] { launcher.begin(); };
      return sample(prepared, hooks, peers, process);
    }
    SpotChecks checks(prepared, prepared.fresh,
                      {.sample = [&](bool counts) { return launcher.take(counts); },
                       .aside = [&](const auto& work) { launcher.aside(work); }});
    auto hooks = hooks_of(
        prepared, [&] { return checks.take(); }, peers);
    hooks.begin = [&] {
      checks.begin();
      launcher.begin();
    };
    sample(prepared, hooks, peers, process);
    prepared.stage("check");
    checks.finish();
  });
  // After the other programs have ended: what they do beside this is not part of their facts.
  prepared.stage("verify");
  Phase phase(prepared.timers, "verify", Color::verify);
  prepared.pipeline.each_used_place([&] { prepared.verify("wrong answer after the timed runs"); });
  const auto used = std::min(prepared.pipeline.places(), prepared.measurement.samples_s.size());
  prepared.measurement.facts["memory_places"] = static_cast<double>(used);
}

void profile_pass(const PreparedCase& prepared) {
  prepared.beside_peers([&](Peers& peers) {
    auto launcher = make_launcher(prepared);
    sample_fixed(prepared.item.info.id, prepared.item.profile_runs,
                 hooks_of(
                     prepared, [&] { return launcher.take(); }, peers),
                 prepared.timers, prepared.measurement);
  });
  prepared.measurement.notes.push_back(
      "--profile makes few runs without warm-up: do not compare these times");
}

void peer_pass(const PreparedCase& prepared) {
  prepared.stage(Peers::running);
  while (!prepared.hooks.cancelled()) {
    Phase phase(prepared.timers, Peers::run_phase, Color::sample);
    prepared.run_once();
  }
}

}  // namespace apod::run
