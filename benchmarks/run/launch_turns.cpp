#include "benchmarks/run/launch_turns.hpp"

namespace apod::run {

std::uint64_t LaunchTurns::turn(std::uint64_t begun, std::uint64_t counted, bool counts) {
  if (!first_) first_ = begun;
  const auto launches = begun - *first_;
  if (counts) visited_.set(launches % launch_phases);
  if (visited_.all()) visited_.reset();
  // The launch that begins the next count is one more, unless something is launched in between.
  const auto soonest = launches + counted + 1;
  const auto next_open = [&](int empty) {
    while (visited_.test((soonest + static_cast<std::uint64_t>(empty)) % launch_phases)) ++empty;
    return empty;
  };
  // The nearest phase that is open, or the second nearest: few empty launches, and yet a draw.
  empty_ = next_open(0);
  const bool is_last = visited_.count() + 1 == launch_phases;
  if (!is_last && std::bernoulli_distribution()(random_)) empty_ = next_open(empty_ + 1);
  return launches;
}

}  // namespace apod::run
