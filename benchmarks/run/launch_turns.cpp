#include "benchmarks/run/launch_turns.hpp"

namespace apod::run {

std::optional<std::uint64_t> LaunchTurns::turn(const LaunchNumbers& counted) {
  // Numbers grow, and no sample has as many launches as that.
  constexpr std::uint64_t most = std::uint64_t{1} << 20;
  const bool is_later = !last_ || counted.begin > last_->end;
  if (!is_later || counted.end <= counted.begin || counted.end - counted.begin > most) return {};
  if (!last_) first_ = counted.begin;
  last_ = counted;
  const auto launches = counted.begin - first_;
  visited_.set(launches % launch_phases);
  if (visited_.all()) visited_.reset();
  // If nothing comes between, the launch that begins the next count is one more.
  const auto soonest = counted.end - first_ + 1;
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
