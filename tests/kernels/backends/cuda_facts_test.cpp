/// The parts of the CUDA backend that are plain C++ and need neither toolkit nor GPU.

#include <gtest/gtest.h>

#include <array>

#include "kernels/backends/cuda/compiled_for.hpp"
#include "kernels/backends/cuda/peaks.hpp"
#include "kernels/backends/cuda/visibility.hpp"

namespace apod::cuda {
namespace {

const std::vector<std::string> kUuids{"GPU-aaaa1111", "GPU-aaaa2222", "GPU-bbbb3333"};

std::vector<int> indices(std::string_view list) {
  std::vector<int> result;
  for (const auto& device : visible_devices(list, kUuids)) result.push_back(device.index);
  return result;
}

using Indices = std::vector<int>;

TEST(VisibleDevices, IndicesKeepTheirOrder) {
  EXPECT_EQ(indices("0,1,2"), (Indices{0, 1, 2}));
  EXPECT_EQ(indices("2,0"), (Indices{2, 0}));
  EXPECT_EQ(indices(" 1 , 0 "), (Indices{1, 0}));
}

TEST(VisibleDevices, UuidsMayBeShortenedWhileTheyAreUnique) {
  EXPECT_EQ(indices("GPU-bbbb3333"), (Indices{2}));
  EXPECT_EQ(indices("GPU-b,GPU-aaaa1"), (Indices{2, 0}));
  EXPECT_EQ(indices("GPU-aaaa"), Indices{});
  EXPECT_EQ(indices("GPU-cccc"), Indices{});
}

TEST(VisibleDevices, TheFirstBadEntryEndsTheList) {
  EXPECT_EQ(indices("1,3,0"), (Indices{1}));
  EXPECT_EQ(indices("0,-1,2"), (Indices{0}));
  EXPECT_EQ(indices("0,one,2"), (Indices{0}));
  EXPECT_EQ(indices("0,,2"), (Indices{0}));
  EXPECT_EQ(indices("1x"), Indices{});
  EXPECT_EQ(indices("99999999999999999999"), Indices{});
  EXPECT_EQ(indices("-1"), Indices{});
  EXPECT_EQ(indices(""), Indices{});
}

TEST(VisibleDevices, ADeviceNamedTwiceLeavesNone) {
  EXPECT_EQ(indices("0,1,0"), Indices{});
  EXPECT_EQ(indices("0,GPU-aaaa1111"), Indices{});
}

TEST(VisibleDevices, MigInstancesAreLeftToTheDriver) {
  const auto devices = visible_devices("MIG-1234,MIG-5678", kUuids);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].index, -1);
  EXPECT_EQ(devices[0].mig_uuid, "MIG-1234");
  EXPECT_TRUE(visible_devices("MIG-1234,MIG-1234", kUuids).empty());
}

TEST(Peaks, FollowTheDataSheetOfAKnownGpu) {
  // H200 SXM: 132 SMs at 1980 MHz; 67 and 34 TFLOP/s, 4.8 TB/s.
  const auto cores = cores_per_multiprocessor(9, 0);
  EXPECT_NEAR(peak_flops(cores.fp32, 132, 1980), 66.9e12, 0.1e12);
  EXPECT_NEAR(peak_flops(cores.fp64, 132, 1980), 33.5e12, 0.1e12);
  EXPECT_NEAR(peak_memory_bytes_per_s(3.201e6, 6016), 4.814e12, 0.001e12);
}

TEST(Identity, AnInstanceHasAUuidOfItsOwnKind) {
  const std::array<unsigned char, 16> bytes{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                            0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
  EXPECT_EQ(uuid_text(bytes, false), "GPU-01234567-89ab-cdef-fedc-ba9876543210");
  EXPECT_EQ(uuid_text(bytes, true), "MIG-01234567-89ab-cdef-fedc-ba9876543210");
  EXPECT_TRUE(is_instance("NVIDIA H200 MIG 1g.18gb"));
  EXPECT_FALSE(is_instance("NVIDIA H200"));
  EXPECT_FALSE(is_instance("NVIDIA MIGHTY"));
}

TEST(CompiledFor, TheCodeDecidesAndNotTheDevice) {
  EXPECT_EQ(why_not_ampere(8, 80), "");
  EXPECT_EQ(why_not_ampere(12, 120), "");
  EXPECT_EQ(why_not_ampere(9, 80), "") << "PTX of 8.0, compiled by the driver";
  EXPECT_EQ(why_not_ampere(9, 75),
            "has no code for tensor cores: this build compiled the kernel for compute capability "
            "7.5; build it with -DCMAKE_CUDA_ARCHITECTURES=80 or later");
  EXPECT_EQ(why_not_ampere(7, 75), "needs a device of compute capability 8.0 or later");
  EXPECT_NE(why_not_ampere(8, 0), "") << "code of unknown origin";
}

TEST(Peaks, OfOtherGenerations) {
  // Jetson AGX Xavier has 512 FP32 units in 8 multiprocessors.
  EXPECT_EQ(cores_per_multiprocessor(7, 2).fp32 * 8, 512);
}

TEST(Peaks, AnUnknownArchitectureHasNone) {
  const auto cores = cores_per_multiprocessor(42, 0);
  EXPECT_EQ(peak_flops(cores.fp32, 132, 1980), 0);
  EXPECT_EQ(cores_per_multiprocessor(0, 0).fp64, 0);
}

TEST(Peaks, PcieGenerations) {
  EXPECT_NEAR(peak_pcie_bytes_per_s(3, 16), 15.75e9, 0.01e9);
  EXPECT_NEAR(peak_pcie_bytes_per_s(5, 16), 63.02e9, 0.01e9);
  EXPECT_DOUBLE_EQ(peak_pcie_bytes_per_s(1, 1), 0.25e9);
  EXPECT_EQ(peak_pcie_bytes_per_s(0, 16), 0);
  EXPECT_EQ(peak_pcie_bytes_per_s(7, 16), 0);
}

}  // namespace
}  // namespace apod::cuda
