#include "kernels/backends/cuda/tracer/host_records.hpp"

#include <gtest/gtest.h>

#include "kernels/api/api_calls.hpp"

namespace apod::cuda {
namespace {

ApiCall runtime(std::int64_t start, std::int64_t end, std::uint32_t thread, std::uint32_t id) {
  return {"runtime", false, start, end, thread, id};
}
ApiCall driver(std::int64_t start, std::int64_t end, std::uint32_t thread, std::uint32_t id) {
  return {"driver", true, start, end, thread, id};
}

std::vector<std::uint32_t> correlations(const std::vector<ApiCall>& calls) {
  std::vector<std::uint32_t> all;
  for (const auto& call : calls) all.push_back(call.correlation);
  return all;
}
using Ids = std::vector<std::uint32_t>;

TEST(NameWithoutVersion, CutsTheVersionAndNothingElse) {
  EXPECT_EQ(name_without_version("cudaMemcpyAsync_v3020"), "cudaMemcpyAsync");
  EXPECT_EQ(name_without_version("cuMemAlloc_v2"), "cuMemAlloc");
  EXPECT_EQ(name_without_version("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel_ptsz");
  for (const auto* same : {"cudaFree", "cuCtx_version", "a_v", "a_v2x", "_v2", "v2", ""}) {
    EXPECT_EQ(name_without_version(same), same);
  }
}

TEST(InnerCalls, OfTheDriverWithinTheRuntimeAreDropped) {
  std::vector<ApiCall> calls{runtime(0, 100, 1, 1), driver(10, 90, 1, 1), driver(90, 100, 1, 1)};
  EXPECT_TRUE(drop_inner_calls(calls).empty()) << "they have the outer correlation already";
  EXPECT_EQ(correlations(calls), Ids{1});
}

TEST(InnerCalls, HandTheirCorrelationToTheOuterOne) {
  std::vector<ApiCall> calls{driver(10, 90, 1, 7), runtime(0, 100, 1, 1), driver(0, 100, 1, 8)};
  const auto outer_of = drop_inner_calls(calls);
  EXPECT_EQ(correlations(calls), Ids{1});
  EXPECT_EQ(outer_of.size(), 2u);
  EXPECT_EQ(outer_of.at(7), 1u);
  EXPECT_EQ(outer_of.at(8), 1u);
}

TEST(InnerCalls, AreNotThoseOfOtherThreadsNorThoseBesides) {
  std::vector<ApiCall> calls{runtime(0, 100, 1, 1), driver(10, 20, 2, 2), driver(100, 120, 1, 3),
                             driver(130, 140, 1, 4), driver(95, 105, 1, 5)};
  EXPECT_TRUE(drop_inner_calls(calls).empty());
  EXPECT_EQ(correlations(calls), (Ids{1, 2, 5, 3, 4})) << "by start";
}

TEST(InnerCalls, RuntimeCallsWithinOthersStay) {
  std::vector<ApiCall> calls{runtime(0, 100, 1, 1), runtime(10, 20, 1, 2), driver(12, 18, 1, 3),
                             driver(30, 40, 1, 4)};
  const auto outer_of = drop_inner_calls(calls);
  EXPECT_EQ(correlations(calls), (Ids{1, 2}));
  EXPECT_EQ(outer_of.at(3), 2u) << "the innermost";
  EXPECT_EQ(outer_of.at(4), 1u);
}

TEST(InnerCalls, NoCallsAreNoCalls) {
  std::vector<ApiCall> calls;
  EXPECT_TRUE(drop_inner_calls(calls).empty());
  calls = {driver(0, 0, 1, 1), driver(50, 20, 1, 2)};
  EXPECT_TRUE(drop_inner_calls(calls).empty());
  EXPECT_EQ(calls.size(), 2u) << "whatever their clocks say";
}

TEST(RangeEnds, MeetTheirStartsById) {
  RangeEnds ends;
  std::vector<NvtxRange> ranges;
  ends.start(1, {"apod", "outer", 10, 10, 3});
  ends.start(2, {"", "inner", 20, 20, 3});
  ends.end(2, 30, ranges);
  ends.end(9, 35, ranges);
  ends.end(1, 40, ranges);
  ends.end(1, 50, ranges);
  ASSERT_EQ(ranges.size(), 2u) << "an end without a start is none";
  EXPECT_EQ(ranges[0].name, "inner");
  EXPECT_EQ(ranges[0].end_ns, 30);
  EXPECT_EQ(ranges[1].domain, "apod");
  EXPECT_EQ(ranges[1].start_ns, 10);
  EXPECT_EQ(ranges[1].end_ns, 40);
  EXPECT_EQ(ranges[1].thread, 3u);
}

}  // namespace
}  // namespace apod::cuda
