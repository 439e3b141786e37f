#include "benchmarks/run/launcher.hpp"

#include <chrono>

#include "benchmarks/base/launch_phase.hpp"

namespace apod::run {

using Clock = std::chrono::steady_clock;

Launcher::Launcher(Backend& backend, Pipeline& pipeline, const record::WorkItem& item,
                   const Variant& variant, Measurement& measurement)
    : backend_(backend),
      pipeline_(pipeline),
      spec_(item.experiment.measure),
      end_to_end_(item.experiment.scope == Scope::end_to_end),
      mode_(spec_.launch),
      restores_(variant.needs_restore()),
      start_(backend.create_event()),
      stop_(backend.create_event()) {
  if (end_to_end_) {
    measurement.launch = "end_to_end";
    return;
  }
  if (mode_ != LaunchMode::stream && variant.waits(item.info.params)) {
    mode_ = LaunchMode::stream;
    measurement.notes.push_back("launch: stream, because the variant waits for the device");
  }
  if (mode_ == LaunchMode::graph) {
    const auto why_not = record_graph();
    if (why_not.empty()) {
      measurement.launches_per_sample = spec_.graph_launches;
    } else {
      mode_ = LaunchMode::stream;
      measurement.notes.push_back("launch: stream, because " + why_not);
    }
  }
  // ncu waits for each kernel to end before it launches the next, and the blocking one would never
  // end.
  if (mode_ == LaunchMode::blocked && item.pass == record::Pass::profile) {
    mode_ = LaunchMode::stream;
  }
  // What a flush needs is made and loaded at the first: behind a held stream that would wait.
  if (mode_ == LaunchMode::blocked) {
    backend_.flush_cache(pipeline_.stream(), spec_.cache);
    pipeline_.stream().synchronize();
  }
  if (mode_ == LaunchMode::blocked && !can_block()) {
    mode_ = LaunchMode::stream;
    measurement.notes.push_back(
        "launch: stream, because the work can't be enqueued behind a held stream "
        "(CUDA_LAUNCH_BLOCKING, or more launches than a stream takes)");
  }
  measurement.launch = std::string(to_string(mode_));
  // Where the launch itself is timed, launches before it would hide it. A graph has no phases, and
  // a profiler is to see the work alone.
  has_phases_ = item.pass != record::Pass::profile &&
                (mode_ == LaunchMode::blocked ||
                 (mode_ == LaunchMode::stream && spec_.cache != CacheMode::hot));
}

std::string Launcher::record_graph() {
  if (restores_) return "its buffers must be restored between two launches";
  try {
    graph_ = backend_.capture(pipeline_.stream(), [&] {
      for (int i = 0; i < spec_.graph_launches; ++i) pipeline_.enqueue();
    });
    return graph_ ? "" : "the backend has no graphs";
  } catch (const BackendError& error) {
    if (error.code() != BackendError::Code::unsupported) throw;
    return error.what();
  }
}

/// Whether the case's own work can be enqueued behind a held stream. A busy host gets a second try.
bool Launcher::can_block() {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!backend_.block(pipeline_.stream())) return false;
    pipeline_.restore();
    pipeline_.enqueue();
    const bool in_time = backend_.unblock();
    pipeline_.stream().synchronize();
    if (in_time) return true;
  }
  return false;
}

Sample Launcher::take_end_to_end() {
  pipeline_.restore();
  if (spec_.cache != CacheMode::hot) backend_.end_persistence();
  backend_.flush_cache(pipeline_.stream(), spec_.cache);
  pipeline_.stream().synchronize();
  const auto begin = Clock::now();
  const double device = pipeline_.transfer_and_compute();
  return {std::chrono::duration<double>(Clock::now() - begin).count(), device};
}

std::optional<std::uint8_t> Launcher::turn() {
  const auto counted = has_phases_ ? backend_.counted_launches() : std::nullopt;
  if (!counted) return std::nullopt;
  const auto phase = static_cast<std::uint8_t>(launches_ % launch_phases);
  empty_launches_ = static_cast<int>((launch_phases - *counted % launch_phases) % launch_phases);
  // What was counted, and before the next count begins the empty ones and its own.
  launches_ += *counted + static_cast<std::uint64_t>(empty_launches_) + 1;
  return phase;
}

Sample Launcher::take_kernel() {
  auto& stream = pipeline_.stream();
  // The blocking kernel ends by itself after a second. If the launch took longer, the sample
  // includes launch time, and is taken again.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (spec_.cache != CacheMode::hot) backend_.end_persistence();
    if (has_phases_) backend_.begin_launches(stream, empty_launches_);
    const bool held = mode_ == LaunchMode::blocked && backend_.block(stream);
    pipeline_.restore();
    backend_.flush_cache(stream, spec_.cache);
    start_->record(stream);
    if (graph_) {
      graph_->launch(stream);
    } else {
      pipeline_.enqueue();
    }
    stop_->record(stream);
    const bool valid = !held || backend_.unblock();
    if (has_phases_) backend_.end_launches(stream);
    stream.synchronize();
    const auto phase = turn();
    if (valid) {
      const int launches = graph_ ? spec_.graph_launches : 1;
      return {.seconds = backend_.seconds_between(*start_, *stop_) / launches,
              .mhz = held ? backend_.held_clock_mhz() : 0,
              .phase = phase};
    }
  }
  throw BackendError(BackendError::Code::other,
                     "the blocking kernel ended before the launch three times in a row: the host "
                     "is too slow for launch: blocked (try launch: stream)");
}

}  // namespace apod::run
