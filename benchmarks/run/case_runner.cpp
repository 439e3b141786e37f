#include "benchmarks/run/case_runner.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "benchmarks/run/launcher.hpp"
#include "benchmarks/run/pipeline.hpp"
#include "benchmarks/trace/counters.hpp"
#include "benchmarks/trace/kernel_code.hpp"
#include "benchmarks/trace/profile.hpp"
#include "benchmarks/trace/ranges.hpp"
#include "benchmarks/trace/timeline.hpp"

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;
using trace::Color;
using trace::Phase;

// A GPU that idled runs at a fraction of its clock until it has been busy for a while.
constexpr double wake_up_s = 0.3;
constexpr double idle_s = 0.5;

// The program's machine code is read once, within the time limit of the first case that is traced.
constexpr double longest_reading_s = 20;

// Problems are kept for the next variant of the same data; more than this many would hold memory
// that the next ones need.
constexpr std::size_t problems_kept = 2;

// Peers that are late are found before the whole case is, whose end names no peer.
constexpr double share_for_peers = 0.9;
constexpr double share_to_stop = 0.1;
constexpr std::chrono::duration<double> least_to_stop(1);

Clock::duration as_time(std::chrono::duration<double> seconds) {
  return std::chrono::duration_cast<Clock::duration>(seconds);
}

/// Whether the other programs of a case run beside this pass. A check takes no time, and counters
/// are those of the device, whoever uses it.
bool has_peers(record::Pass pass) {
  return pass == record::Pass::measure || pass == record::Pass::trace ||
         pass == record::Pass::profile;
}

/// A process has room for one profiler of CUDA, and that of the user comes first.
bool left_to_a_profiler(BackendKind backend) {
  return backend == BackendKind::cuda && trace::profiler_attached();
}
constexpr const char* rival = "another profiler is attached to this process";

Trace traced(Backend& backend, BackendKind kind, const std::function<void()>& work) {
  if (!left_to_a_profiler(kind)) return backend.trace(work);
  work();
  return {{}, {std::string("nothing traced: ") + rival}};
}

Counters counted(Backend& backend, BackendKind kind, const std::function<void()>& prepare,
                 const std::function<void()>& work) {
  if (!left_to_a_profiler(kind)) return backend.count(prepare, work);
  return {{}, {std::string("nothing counted: ") + rival}};
}

void note(const PeerRuns& seen, Measurement& measurement) {
  measurement.facts["peer_runs"] = static_cast<double>(seen.runs);
  if (seen.runs > 0) measurement.facts["peer_time"] = seen.seconds_a_run;
}

}  // namespace

CaseRunner::CaseRunner(const Registry& registry) : registry_(registry) {
  trace::annotate_operations();
}

const DeviceFacts* CaseRunner::facts(BackendKind kind) const {
  const auto found = facts_.find(kind);
  return found == facts_.end() ? nullptr : &found->second;
}

void CaseRunner::profiler_start() {
  for (const auto& [kind, backend] : backends_) backend->profiler_start();
}

void CaseRunner::profiler_stop() {
  for (const auto& [kind, backend] : backends_) backend->profiler_stop();
}

Backend& CaseRunner::open(BackendKind kind, int device) {
  auto& slot = backends_[kind];
  if (!slot) {
    const auto* entry = registry_.backend(kind);
    if (entry == nullptr) {
      throw BackendError(BackendError::Code::unsupported,
                         "backend " + std::string(to_string(kind)) + " not built");
    }
    slot = entry->open(kind == BackendKind::host ? 0 : device);
    facts_[kind] = slot->facts();
  }
  return *slot;
}

std::shared_ptr<const Problem> CaseRunner::problem(const record::WorkItem& item) {
  const auto* family = registry_.family(item.experiment.workload);
  if (family == nullptr) throw std::runtime_error("unknown workload " + item.experiment.workload);
  // Only the family's own axes make a problem: 4 streams and 8 streams share one.
  Params own;
  for (const auto& axis : family->axes()) {
    if (const auto* value = item.info.params.find(axis.name)) own.set(axis.name, *value);
  }
  const auto same = [&](const CachedProblem& cached) {
    return cached.workload == item.experiment.workload && cached.params == own &&
           cached.data == item.experiment.data;
  };
  const auto found = std::find_if(problems_.begin(), problems_.end(), same);
  if (found != problems_.end()) {
    problems_.splice(problems_.begin(), problems_, found);
    return problems_.front().problem;
  }
  while (problems_.size() >= problems_kept) problems_.pop_back();
  problems_.push_front({item.experiment.workload, own, item.experiment.data,
                        family->make(own, item.experiment.data)});
  return problems_.front().problem;
}

/// Says what the traced kernels are made of, where that can be read from this program's own file.
void CaseRunner::add_instructions(Measurement& traced, double limit_s) {
  auto& kernels = traced.profile.kernels;
  if (kernels.empty()) return;
  // Not /proc/self, which in the program that reads it would be that program.
  if (!mixes_) {
    mixes_.emplace("/proc/" + std::to_string(::getpid()) + "/exe",
                   facts_.at(BackendKind::cuda).compute_capability);
  }
  const std::chrono::duration<double> patience(std::min(longest_reading_s, limit_s / 4));
  const auto why_not =
      mixes_->describe(kernels, std::chrono::duration_cast<std::chrono::milliseconds>(patience));
  if (!why_not.empty()) traced.notes.push_back("instructions not read: " + why_not);
}

/// Timed samples, and what else kept the machine busy meanwhile.
void CaseRunner::measure(const record::WorkItem& item, const SamplerHooks& sampler,
                         Backend& backend, const Peers& peers, trace::PhaseTimers& timers,
                         Measurement& measurement) {
  // Data and references are made on the host; a device that idled meanwhile is slow again.
  const auto on_host = std::chrono::duration<double>(Clock::now() - last_device_work_).count();
  const auto processor_times = [&] { return read_processor_times(peers.processor_seconds()); };
  others_.look(processor_times());  // from here on
  const bool asleep = item.info.backend == BackendKind::cuda && on_host > idle_s;
  sample_case(item.info.id, item.experiment.measure, asleep ? wake_up_s : 0, sampler, timers,
              measurement);
  last_device_work_ = Clock::now();
  if (const auto load = others_.look(processor_times())) measurement.facts["other_load"] = *load;
  if (const auto processes = backend.processes()) {
    measurement.facts["other_gpu_processes"] =
        static_cast<double>(others_on_gpu(*processes, peers.count()));
  }
}

Measurement CaseRunner::run(const record::WorkItem& item, const CaseHooks& hooks) {
  Measurement measurement;
  measurement.case_index = item.info.index;
  measurement.case_id = item.info.id;
  measurement.process = item.process;
  const auto begin = Clock::now();
  trace::PhaseTimers timers;
  trace::Range experiment(item.experiment.name, Color::experiment, item.info.experiment);
  trace::Range range(item.info.id, Color::case_, item.info.index);
  const auto stage = [&](const std::string& name) {
    measurement.stage = name;
    hooks.stage(name);
  };
  try {
    stage("open");
    Backend* backend = &open(item.info.backend, item.device);
    if (item.pass == record::Pass::trace && !left_to_a_profiler(item.info.backend)) {
      backend->expect_traces();
    }
    stage("setup");
    const std::chrono::duration<double> limit(item.experiment.measure.timeout_s);
    const auto opened = Clock::now();
    std::unique_ptr<Variant> variant;
    std::shared_ptr<const Problem> made;
    std::unique_ptr<Pipeline> pipeline;
    {
      Phase phase(timers, "setup", Color::setup);
      const auto* entry = registry_.variant(item.experiment.workload, item.info.variant);
      if (entry == nullptr || !entry->make) {
        throw std::runtime_error("variant " + item.info.variant + " was not built");
      }
      variant = entry->make();
      made = problem(item);
      pipeline = std::make_unique<Pipeline>(*backend, *made, *variant, item.info.params,
                                            item.experiment.scope, timers);
    }
    measurement.traffic = registry_.family(item.experiment.workload)->traffic(item.info.params);

    const bool end_to_end = item.experiment.scope == Scope::end_to_end;
    const auto once = [&] {
      if (end_to_end) {
        pipeline->transfer_and_compute();
      } else {
        pipeline->enqueue();
        pipeline->stream().synchronize();
      }
    };
    const auto verify_output = [&](const char* what) {
      const auto& check = measurement.verification =
          made->verify(pipeline->download(), pipeline->chunks());
      if (!check.passed) throw std::runtime_error(what + (": " + check.detail));
    };
    // A profiled pass has been checked before, outside of what the profiler sees.
    if (item.pass != record::Pass::profile) {
      stage("verify");
      Phase phase(timers, "verify", Color::verify);
      pipeline->poison();
      once();
      verify_output("wrong answer");
    }
    measurement.facts = pipeline->facts();

    // As the timed runs find the caches.
    const auto flush = [&] {
      if (item.experiment.measure.cache == CacheMode::cold) {
        backend->flush_cache(pipeline->stream());
      }
    };
    Peers peers(hooks.cancelled);
    const auto others = item.info.params.integer_or("programs", 1) - 1;
    if (others > 0 && has_peers(item.pass)) {
      stage("peers");
      Phase phase(timers, "peers", Color::setup);
      peers.start(item, static_cast<std::size_t>(others),
                  opened + as_time(limit * share_for_peers));
    }
    if (item.pass == record::Pass::peer) {
      stage(Peers::running);
      while (!hooks.cancelled()) {
        Phase phase(timers, Peers::run_phase, Color::sample);
        once();
      }
    } else if (item.pass == record::Pass::trace) {
      stage("trace");
      Phase phase(timers, "trace", Color::sample);
      flush();
      pipeline->stream().synchronize();  // what comes before is not traced
      auto seen = traced(*backend, item.info.backend, once);
      measurement.notes = seen.notes;
      measurement.kernel_code = trace::kernel_code_of(seen);
      measurement.profile = trace::profile_of(seen);
      if (item.info.backend == BackendKind::cuda) {
        add_instructions(measurement, item.experiment.measure.timeout_s);
      }
      for (const auto& [name, value] : trace::facts_of(seen, facts_.at(item.info.backend))) {
        measurement.facts[name] = value;
      }
      if (item.keep_trace) hooks.traced(std::move(seen));
    } else if (item.pass == record::Pass::counters) {
      stage("counters");
      Phase phase(timers, "counters", Color::sample);
      pipeline->forget_graphs();  // whose kernels can't be counted
      auto seen = counted(*backend, item.info.backend, flush, once);
      measurement.notes = std::move(seen.notes);
      if (others > 0) {
        measurement.notes.push_back(
            "counted without the other programs: the counters would count their work too");
      }
      measurement.profile = trace::profile_of(seen);
      for (const auto& [name, value] : trace::facts_of(seen)) measurement.facts[name] = value;
    } else if (item.pass != record::Pass::check) {
      Launcher launcher(*backend, *pipeline, item, *variant, measurement);
      const SamplerHooks sampler{.take = [&] { return launcher.take(); },
                                 .clock = [&] { return backend->clock(); },
                                 .stage = stage,
                                 .cancelled =
                                     [&] {
                                       peers.look();
                                       return hooks.cancelled();
                                     }};
      if (item.pass == record::Pass::profile) {
        sample_fixed(item.info.id, item.profile_runs, sampler, timers, measurement);
        measurement.notes.push_back("--profile: few runs and no warm-up; not for comparison");
      } else {
        pipeline->poison();  // what is there in the end was written by the runs that were timed
        measure(item, sampler, *backend, peers, timers, measurement);
      }
    }
    if (peers.count() > 0) {
      const auto reached = measurement.stage;
      stage("peers");
      const auto seen =
          peers.stop(Clock::now() + as_time(std::max(limit * share_to_stop, least_to_stop)));
      // The facts of a traced run join those of the timed ones.
      if (item.pass != record::Pass::trace) note(seen, measurement);
      measurement.stage = reached;
    }
    // After the other programs have ended: what they do beside this is no part of their facts.
    if (item.pass == record::Pass::measure) {
      stage("verify");
      Phase phase(timers, "verify", Color::verify);
      verify_output("wrong answer after the timed runs");
    }
  } catch (const BackendError& error) {
    measurement.failed = error.what();
    device_lost_ = device_lost_ || error.code() == BackendError::Code::sticky;
  } catch (const std::bad_alloc&) {
    measurement.failed = "out of host memory";
  } catch (const std::exception& error) {
    measurement.failed = error.what();
  }
  if (!measurement.failed.empty()) {
    // What failed has no time, not even half of one.
    measurement.samples_s.clear();
    measurement.device_samples_s.clear();
    measurement.throttled.clear();
  }
  measurement.phases = timers.times();
  measurement.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return measurement;
}

}  // namespace apod::run
