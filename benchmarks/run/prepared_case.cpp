#include "benchmarks/run/prepared_case.hpp"

#include <algorithm>
#include <stdexcept>

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;
using trace::Color;
using trace::Phase;

// Late peers are found before the whole case is late, for that message would name no peer.
constexpr double share_for_peers = 0.9;
constexpr double share_to_stop = 0.1;
constexpr std::chrono::duration<double> least_to_stop(1);

Clock::duration as_time(std::chrono::duration<double> seconds) {
  return std::chrono::duration_cast<Clock::duration>(seconds);
}

}  // namespace

void PreparedCase::stage(const std::string& name) const {
  measurement.stage = name;
  hooks.stage(name);
}

void PreparedCase::run_once() const {
  pipeline.restore();
  run_restored();
}

void PreparedCase::run_restored() const {
  if (item.experiment.scope == Scope::end_to_end) {
    pipeline.transfer_and_compute();
  } else {
    pipeline.enqueue();
    pipeline.stream().synchronize();
  }
}

void PreparedCase::flush_cache() const {
  const auto cache = item.experiment.measure.cache;
  if (cache != CacheMode::hot) backend.end_persistence();
  backend.flush_cache(pipeline.stream(), cache);
}

void PreparedCase::check() const {
  stage("verify");
  Phase phase(timers, "verify", Color::verify);
  pipeline.poison();
  run_once();
  verify("wrong answer");
}

void PreparedCase::verify(const char* what) const {
  const auto& check = measurement.verification =
      problem.verify(pipeline.download(), pipeline.chunks());
  if (!check.passed) throw std::runtime_error(what + (": " + check.detail));
}

void PreparedCase::beside_peers(const std::function<void(Peers&)>& work) const {
  Peers peers(hooks.cancelled);
  const auto others = item.info.params.integer_or("programs", 1) - 1;
  const std::chrono::duration<double> limit(item.experiment.measure.timeout_s);
  if (others > 0) {
    stage("peers");
    Phase phase(timers, "peers", Color::setup);
    peers.start(item, static_cast<std::size_t>(others), begin + as_time(limit * share_for_peers));
  }
  work(peers);
  if (peers.count() == 0) return;
  const auto reached = measurement.stage;
  stage("peers");
  const auto seen =
      peers.stop(Clock::now() + as_time(std::max(limit * share_to_stop, least_to_stop)));
  measurement.stage = reached;
  if (item.pass == record::Pass::trace) return;  // its facts join those of the timed runs
  measurement.facts["peer_runs"] = static_cast<double>(seen.count);
  if (!seen.empty()) measurement.facts["peer_time"] = seen.mean_s();
}

}  // namespace apod::run
