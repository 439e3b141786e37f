#include "benchmarks/run/launch_turns.hpp"

namespace apod::run {

std::uint64_t LaunchTurns::turn(std::uint64_t counted) {
  const auto launches = launches_;
  visited_.set(launches % launch_phases);
  if (visited_.all()) visited_.reset();
  // The launch that begins the next count is one more.
  const auto soonest = launches + counted + 1;
  const auto next_open = [&](int empty) {
    while (visited_.test((soonest + static_cast<std::uint64_t>(empty)) % launch_phases)) ++empty;
    return empty;
  };
  // The nearest phase that is open, or the second nearest: few empty launches, and yet a draw.
  empty_ = next_open(0);
  const bool is_last = visited_.count() + 1 == launch_phases;
  if (!is_last && std::bernoulli_distribution()(random_)) empty_ = next_open(empty_ + 1);
  launches_ = soonest + static_cast<std::uint64_t>(empty_);
  return launches;
}

}  // namespace apod::run
