#include "benchmarks/run/prepared_case.hpp"

#include <algorithm>
#include <stdexcept>

#include "benchmarks/run/sampler.hpp"

namespace apod::run {

namespace {

constexpr auto look_interval = std::chrono::milliseconds(20);

}  // namespace

Peers::~Peers() {
  for (auto& peer : peers_) peer->link.kill();
}

void Peers::fail(const Peer& peer, const std::string& reason) const {
  std::size_t number = 1;
  while (number < peers_.size() && peers_[number - 1].get() != &peer) ++number;
  throw std::runtime_error("peer program " + std::to_string(number) + " of " +
                           std::to_string(wanted_) + ": " + reason);
}

void Peers::start(const record::WorkItem& item, std::size_t count, Clock::time_point deadline) {
  auto work = item;
  work.pass = record::Pass::peer;
  wanted_ = count;
  try {
    while (peers_.size() < count) peers_.push_back(std::make_unique<Peer>());
  } catch (const std::system_error& error) {
    throw std::runtime_error("peer program " + std::to_string(peers_.size() + 1) + " of " +
                             std::to_string(count) + ": " + error.what());
  }
  for (auto& peer : peers_) peer->link.send(work);
  for (auto& peer : peers_) {
    if (listen(*peer, deadline, [&] { return peer->stage == running; })) continue;
    fail(*peer, "did not begin its run before the timeout (measure: timeout); it was still in " +
                    peer->stage + peer->link.last_words());
  }
}

void Peers::look() {
  if (peers_.empty()) return;
  const auto now = Clock::now();
  if (now - last_look_ < look_interval) return;
  last_look_ = now;
  for (auto& peer : peers_) {
    const bool done = listen(*peer, now, [&] { return peer->measurement.has_value(); });
    if (done) fail(*peer, "stopped too early");
  }
}

Tally Peers::stop(Clock::time_point deadline) {
  for (auto& peer : peers_) peer->link.close_input();
  Tally all;
  for (auto& peer : peers_) {
    if (!listen(*peer, deadline, [&] { return peer->measurement.has_value(); }))
      fail(*peer, "still running after the request to stop" + peer->link.last_words());
    for (const auto& phase : peer->measurement->phases) {
      if (phase.name == run_phase) all.add(phase.time);
    }
  }
  peers_.clear();  // each has sent its measurement, and ends
  return all;
}

double Peers::processor_seconds() const {
  double seconds = 0;
  for (const auto& peer : peers_) seconds += peer->link.processor_seconds();
  return seconds;
}

bool Peers::listen(Peer& peer, Clock::time_point deadline, const std::function<bool()>& enough) {
  std::string line;
  while (!enough()) {
    switch (peer.link.next_line(deadline, cancelled_, line)) {
      case WorkerLink::Wait::line:
        take(peer, line);
        break;
      case WorkerLink::Wait::timeout:
        return false;
      case WorkerLink::Wait::cancelled:
        throw Cancelled{};
      case WorkerLink::Wait::closed:
        // A signal to the whole process group may have reached the peer first.
        if (cancelled_()) throw Cancelled{};
        fail(peer, "the process " + peer.link.how_it_ended() + " (in " + peer.stage + ")");
    }
  }
  return true;
}

void Peers::take(Peer& peer, const std::string& line) {
  const auto content = line.size() > 2 ? line.substr(2) : std::string();
  switch (line.empty() ? '?' : line[0]) {
    case 'S':
      peer.stage = content;
      break;
    case 'M':
    case 'X':
      peer.measurement = record::decode_measurement(content);
      if (!peer.measurement->failed.empty())
        fail(peer, peer.measurement->failed + " (in " + peer.stage + ")");
      break;
    default:  // the facts of its device are known
      break;
  }
}

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
  const auto check = problem.verify(pipeline.download(), pipeline.chunks());
  auto& worst = measurement.verification;
  if (!check.passed || !worst.passed || check.error > worst.error) worst = check;
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
