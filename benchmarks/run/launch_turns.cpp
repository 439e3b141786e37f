#include "benchmarks/run/launch_turns.hpp"

namespace apod::run {

std::uint64_t LaunchTurns::turn(std::uint64_t counted, bool counts) {
  const auto launches = launches_;
  if (counts) visited_.set(launches % launch_phases);
  if (visited_.all()) visited_.reset();
  choose(launches + counted + 1);  // the launch that begins the next count is one more
  return launches;
}

void LaunchTurns::skip(std::uint64_t launches) {
  choose(launches_ - static_cast<std::uint64_t>(empty_) + launches);
}

/// The nearest phase that is open, or the second nearest: few empty launches, and yet a draw.
void LaunchTurns::choose(std::uint64_t soonest) {
  const auto next_open = [&](int empty) {
    while (visited_.test((soonest + static_cast<std::uint64_t>(empty)) % launch_phases)) ++empty;
    return empty;
  };
  empty_ = next_open(0);
  const bool is_last = visited_.count() + 1 == launch_phases;
  if (!is_last && std::bernoulli_distribution()(random_)) empty_ = next_open(empty_ + 1);
  launches_ = soonest + static_cast<std::uint64_t>(empty_);
}

}  // namespace apod::run
