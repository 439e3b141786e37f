// Blocks that fit a multiprocessor. The numbers are those of CUDA's own occupancy calculator
// (cuda_occupancy.h of the toolkit 13.0).

#include "benchmarks/look/residency.hpp"

#include <gtest/gtest.h>

namespace apod::look {
namespace {

constexpr MultiprocessorLimits h200{65536, 233472, 64, 32, 32, 9};

Activity residency(std::uint32_t threads, std::uint32_t registers, std::uint32_t shared,
                   const MultiprocessorLimits& limits = h200) {
  Activity kernel;
  kernel.block = {threads, 1, 1};
  kernel.registers_per_thread = registers;
  kernel.dynamic_shared_bytes = shared;
  set_residency(limits, kernel);
  return kernel;
}

TEST(Residency, TheScarcestResourceLimits) {
  struct Example {
    Activity kernel;
    std::uint32_t blocks;
    OccupancyLimiter limiter;
  };
  for (const auto& [kernel, blocks, limiter] :
       {Example{residency(256, 32, 0), 8, OccupancyLimiter::threads},
        Example{residency(1, 18, 0), 32, OccupancyLimiter::blocks},
        Example{residency(256, 255, 0), 1, OccupancyLimiter::registers},
        Example{residency(128, 32, 100 * 1024), 2, OccupancyLimiter::shared_memory}}) {
    EXPECT_EQ(kernel.resident_blocks, blocks);
    EXPECT_EQ(kernel.limiter, limiter);
  }
}

TEST(Residency, RegistersAreHandedOutByWarpAndPartition) {
  // 33 registers count as 40: 48 warps fit, 1024 threads are 32 of them.
  EXPECT_EQ(residency(1024, 33, 0).resident_blocks, 1u);
  EXPECT_EQ(residency(96, 33, 0).resident_blocks, 16u);
}

TEST(Residency, WhatIsNotKnownOrCantBeStaysUnknown) {
  for (const auto& kernel :
       {residency(0, 32, 0), residency(4096, 32, 0), residency(128, 32, 1 << 20),
        residency(128, 32, 0, {}), residency(1024, 4000000000U, 0)}) {
    EXPECT_EQ(kernel.resident_blocks, 0u);
    EXPECT_EQ(kernel.limiter, OccupancyLimiter::unknown);
  }
}

}  // namespace
}  // namespace apod::look
