// What variants of the CUDA backend say of a case before there is a device.

#include <gtest/gtest.h>

#include "kernels/network/operations.hpp"
#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

/// Null where it was not built: its library had no headers.
std::unique_ptr<Variant> built(const char* family, const char* name) {
  const auto* entry = Registry::instance().variant(family, name);
  return entry != nullptr && entry->make ? entry->make() : nullptr;
}

Params convolution(const Point& point) {
  return params_of(family("convolution"), point);
}

TEST(Limits, NppSumsInFp32AndRepeatsTheBorderForSmallMasks) {
  const auto npp = built("convolution", "npp");
  if (!npp) GTEST_SKIP() << "built without NPP";
  EXPECT_TRUE(npp->rejects(convolution({{"accumulator", "fp64"}})));
  for (const int mask : {1, 7, 13, 31}) EXPECT_FALSE(npp->rejects(convolution({{"mask", mask}})));
  for (const int mask : {3, 5}) EXPECT_TRUE(npp->rejects(convolution({{"mask", mask}})));
}

TEST(Limits, NppNeedsRoomForAPaddedImage) {
  const auto npp = built("convolution", "npp");
  if (!npp) GTEST_SKIP() << "built without NPP";
  // A row of 2048 values and 32 zeros before it, 2048 + 12 times, and 32 at the end.
  EXPECT_EQ(npp->most_scratch_bytes(convolution({{"size", "2048x2048"}, {"mask", 13}})),
            4U * (2080 * 2060 + 32));
  EXPECT_EQ(
      npp->most_scratch_bytes(convolution({{"size", "2048x2048"}, {"mask", 13}, {"streams", 4}})),
      4U * (2080 * 524 + 32));
}

TEST(Limits, CudnnNormalizesMultiplesOfFourChannels) {
  for (const char* name : {"cudnn", "cudnn_direct"}) {
    const auto cudnn = built("network", name);
    if (!cudnn) GTEST_SKIP() << "built without cuDNN";
    const auto rejects = [&](int channels) {
      return cudnn->rejects(params_of(family("network"), {{"channels", channels}})).has_value();
    };
    for (const int channels : {4, 60, 64}) EXPECT_FALSE(rejects(channels)) << channels;
    for (const int channels : {1, 6, 63}) EXPECT_TRUE(rejects(channels)) << channels;
  }
}

/// The tensors of the gradient of batch norm and a workspace, while the step's input and output are
/// there already.
TEST(Limits, CudnnsEnginesAreTriedInTheMemoryOfThePlan) {
  constexpr std::uint64_t values = 32ULL * 64 * 56 * 56;
  const Params params =
      params_of(family("network"), {{"size", "56x56"}, {"batch", 32}, {"channels", 64}});
  EXPECT_EQ(network::most_tried_bytes(network::dims_of(params)), 4 * (3 * values + 6 * 64));
  EXPECT_EQ(network::most_tried_bytes({1, 1024, 2, 2}), 4 * (2 * 4096 + 9 * 1024 * 1024));
  for (const char* name : {"cudnn", "cudnn_direct"}) {
    const auto cudnn = built("network", name);
    if (!cudnn) GTEST_SKIP() << "built without cuDNN";
    EXPECT_GE(cudnn->most_scratch_bytes(params), 4 * 6 * values + (std::uint64_t{256} << 20));
  }
}

/// Their rates are held against no ceiling.
TEST(Limits, TheseVariantsDoOtherOperationsThanTheirFamilyCounts) {
  const auto executes = [](const char* name, const Point& point) {
    const auto variant = built("convolution", name);
    return !variant || variant->executes_counted_work(convolution(point));
  };
  for (const char* name : {"fft", "fft_fp32", "tensor"}) {
    if (built("convolution", name)) {
      EXPECT_FALSE(executes(name, {{"mask", 13}})) << name;
    }
  }
  EXPECT_TRUE(executes("tensor", {{"accumulator", "fp64"}})) << "these are register_tile's";
  EXPECT_TRUE(executes("register_tile", {{"mask", 13}}));
  EXPECT_TRUE(executes("separable", {{"weights", "random"}}));
  if (built("convolution", "separable")) {
    EXPECT_FALSE(executes("separable", {{"weights", "separable"}}));
  }
  for (const auto& [name, counted] : {std::pair{"cudnn", false}, std::pair{"cudnn_direct", true}}) {
    const auto cudnn = built("network", name);
    if (cudnn) {
      EXPECT_EQ(cudnn->executes_counted_work(params_of(family("network"))), counted);
    }
  }
}

TEST(Limits, ATransformInFp32IsNoSumInFp64) {
  const auto fp32 = built("convolution", "fft_fp32");
  const auto fp64 = built("convolution", "fft");
  if (!fp32 || !fp64) GTEST_SKIP() << "built without cuFFT";
  EXPECT_TRUE(fp32->rejects(convolution({{"accumulator", "fp64"}})));
  EXPECT_FALSE(fp64->rejects(convolution({{"accumulator", "fp64"}})));
}

TEST(Limits, ASortNeedsTheRowsTwice) {
  const auto sort = built("groupby", "cub_sort");
  ASSERT_TRUE(sort);
  const auto params = params_of(family("groupby"), {{"size", 1 << 20}});
  EXPECT_GT(sort->most_scratch_bytes(params), 2U * 8 * (1 << 20));
}

}  // namespace
}  // namespace apod::test
