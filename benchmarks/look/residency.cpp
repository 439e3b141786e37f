#include "benchmarks/look/residency.hpp"

#include <algorithm>

namespace apod::look {
namespace {

constexpr std::uint64_t register_unit = 256;
constexpr std::uint64_t partitions = 4;
/// The same on every device so far.
constexpr std::uint64_t largest_block = 1024;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t blocks_by_registers(const MultiprocessorLimits& limits, const Activity& kernel,
                                  std::uint64_t warps) {
  const auto of_a_warp =
      round_up(kernel.registers_per_thread * limits.threads_per_warp, register_unit);
  if (of_a_warp == 0) return limits.blocks;
  const auto held = limits.registers / partitions / of_a_warp * partitions;
  return held / warps;
}

std::uint64_t blocks_by_shared_memory(const MultiprocessorLimits& limits, const Activity& kernel) {
  const bool recent = limits.compute_major >= 8;
  const auto asked = std::uint64_t{kernel.static_shared_bytes} + kernel.dynamic_shared_bytes;
  const auto of_a_block = round_up(asked + (recent ? 1024 : 0), recent ? 128 : 256);
  return of_a_block == 0 ? limits.blocks : limits.shared_bytes / of_a_block;
}

}  // namespace

void set_residency(const MultiprocessorLimits& limits, Activity& kernel) {
  const bool known = limits.registers > 0 && limits.shared_bytes > 0 && limits.warps > 0 &&
                     limits.blocks > 0 && limits.threads_per_warp > 0;
  const auto possible = [](std::uint64_t size) { return size > 0 && size <= largest_block; };
  if (!known || !std::ranges::all_of(kernel.block, possible)) return;
  const auto threads = std::uint64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  const auto warps = round_up(threads, limits.threads_per_warp) / limits.threads_per_warp;
  const auto by_warps = limits.warps / warps;
  const auto by_registers = blocks_by_registers(limits, kernel, warps);
  const auto by_shared_memory = blocks_by_shared_memory(limits, kernel);
  const auto resident = std::min({by_warps, limits.blocks, by_registers, by_shared_memory});
  if (resident == 0) return;
  kernel.resident_blocks = static_cast<std::uint32_t>(resident);
  // Of several limits, name first the one that no change to the kernel lifts.
  kernel.limiter = resident == by_warps        ? OccupancyLimiter::threads
                   : resident == limits.blocks ? OccupancyLimiter::blocks
                   : resident == by_registers  ? OccupancyLimiter::registers
                                               : OccupancyLimiter::shared_memory;
}

}  // namespace apod::look
