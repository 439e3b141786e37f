#include "benchmarks/base/kernel_operations.hpp"

#include <gtest/gtest.h>

#include <string>

namespace apod {
namespace {

std::string range_of(const std::string& name, double flops) {
  return encode({name, "fprop", "4x4", "fp32", flops, 100});
}

/// A kernel that was launched at `call_ns`.
void launch(Trace& trace, const std::string& name, std::int64_t call_ns, std::int64_t length_ns,
            std::uint32_t thread = 7) {
  Activity kernel;
  kernel.name = name;
  kernel.start_ns = 10000 + call_ns;
  kernel.end_ns = kernel.start_ns + length_ns;
  kernel.grid = {1, 1, 1};
  kernel.correlation = static_cast<std::uint32_t>(trace.calls.size() + 1);
  trace.activities.push_back(kernel);
  trace.calls.push_back(
      {"cudaLaunchKernel", false, call_ns, call_ns + 1, thread, kernel.correlation});
}

TEST(KernelOperations, AKernelBelongsToTheInnermostOfItsThread) {
  Trace trace;
  trace.ranges = {{"apod", range_of("block", 7), 0, 1000, 7},
                  {"apod", "compute", 50, 950, 7},
                  {"apod", range_of("conv2d", 1), 100, 200, 7},
                  {"apod", range_of("other", 1), 0, 1000, 8},
                  {"", range_of("foreign", 1), 300, 400, 7}};
  launch(trace, "inner", 150, 10);
  launch(trace, "outer", 350, 10);
  launch(trace, "outside", 2000, 10);
  const KernelOperations operations(trace);
  ASSERT_NE(operations.of(trace.activities[0]), nullptr);
  EXPECT_EQ(operations.of(trace.activities[0])->name, "conv2d");
  ASSERT_NE(operations.of(trace.activities[1]), nullptr);
  EXPECT_EQ(operations.of(trace.activities[1])->name, "block");
  EXPECT_EQ(operations.of(trace.activities[2]), nullptr);
}

TEST(KernelOperations, TheLongestKernelDoesTheWorkAndItsEqualsShareIt) {
  Trace trace;
  trace.ranges = {{"apod", range_of("conv2d", 60), 0, 1000, 7}};
  launch(trace, "transpose", 10, 5);
  launch(trace, "gemm", 20, 500);
  launch(trace, "gemm", 30, 400);
  launch(trace, "gemm", 40, 1);
  trace.activities[3].grid = {2, 1, 1};
  const KernelOperations operations(trace);
  const auto flops = [&](std::size_t i) { return operations.of(trace.activities[i])->flops; };
  EXPECT_EQ(flops(0), 0);
  EXPECT_EQ(flops(1), 30);
  EXPECT_EQ(flops(2), 30);
  EXPECT_EQ(flops(3), 0) << "another grid";
  EXPECT_EQ(operations.of(trace.activities[1])->bytes, 50);
}

TEST(KernelOperations, EachTimeAnOperationIsDoneItIsDoneWhole) {
  Trace trace;
  trace.ranges = {{"apod", range_of("relu", 8), 0, 100, 7},
                  {"apod", range_of("relu", 8), 200, 300, 7},
                  {"apod", range_of("add", 2), 400, 500, 7}};
  launch(trace, "k", 50, 5);
  launch(trace, "k", 250, 500);
  launch(trace, "k", 450, 1);
  const KernelOperations operations(trace);
  EXPECT_EQ(operations.of(trace.activities[0])->flops, 8);
  EXPECT_EQ(operations.of(trace.activities[0]), operations.of(trace.activities[1]));
  EXPECT_LT(operations.of(trace.activities[1]), operations.of(trace.activities[2]));
}

TEST(KernelOperations, HostileRangesAreNotBelieved) {
  Trace trace;
  trace.ranges = {{"apod", "op conv2d, fprop, 4x4, fp32, 1e400 FLOPs, 2 bytes", 0, 1000, 7},
                  {"apod", "op ,,,,,", 1, 1000, 7}};
  launch(trace, "k", 50, 5);
  EXPECT_EQ(KernelOperations(trace).of(trace.activities[0]), nullptr);
}

}  // namespace
}  // namespace apod
