#pragma once

namespace apod {

/// The share of the processors that other processes must keep busy to be mentioned. Times of two
/// runs that differ by as much can't be compared.
inline constexpr double busy_share = 0.25;
/// The same for the mean number of other processes on the GPU: one such process in one run of
/// twenty.
inline constexpr double busy_gpu = 0.05;

}  // namespace apod
