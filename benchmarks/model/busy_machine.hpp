#pragma once

namespace apod {

/// From this share of the processors on, what other processes keep busy is worth a word; times of
/// runs that differ by it can't be compared.
inline constexpr double busy_share = 0.25;
/// Mean number of other processes on the GPU from which on the same holds: one that one of twenty
/// runs met.
inline constexpr double busy_gpu = 0.05;

}  // namespace apod
