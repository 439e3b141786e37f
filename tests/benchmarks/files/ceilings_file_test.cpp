#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "benchmarks/files/small_file.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::files {
namespace {

Ceilings some_ceilings() {
  Ceilings ceilings;
  ceilings.gpu = "NVIDIA H200";
  ceilings.driver = "580.95.05";
  ceilings.cuda = "13.0";
  ceilings.power_limit_w = 700;
  ceilings.read_bytes_per_s = 4.55e12;
  ceilings.fp32_flops = 62.8e12;
  ceilings.launch_s = 2.1e-6;
  return ceilings;
}

class CeilingsFile : public testing::Test {
 protected:
  std::string file(const std::string& text) const { return folder_.write("c.json", text); }
  static std::string text_of(const Ceilings& ceilings) {
    std::ostringstream out;
    write_ceilings(out, ceilings);
    return out.str();
  }
  /// What is said of such a file, behind its name.
  std::string refusal(const std::string& text) const {
    const auto path = file(text);
    const auto error = error_of([&] { read_ceilings(path); });
    return error.empty() ? "" : error.substr(path.size());
  }

  const TemporaryFolder folder_;
};

TEST_F(CeilingsFile, IsReadAsItWasWritten) {
  const auto back = read_ceilings(file(text_of(some_ceilings())));
  EXPECT_EQ(back.gpu, "NVIDIA H200");
  EXPECT_EQ(back.driver, "580.95.05");
  EXPECT_EQ(back.cuda, "13.0");
  EXPECT_EQ(back.power_limit_w, 700);
  EXPECT_EQ(back.read_bytes_per_s, 4.55e12);
  EXPECT_EQ(back.fp32_flops, 62.8e12);
  EXPECT_EQ(back.launch_s, 2.1e-6);
  EXPECT_EQ(back.fp64_flops, 0);
}

TEST_F(CeilingsFile, LinksAreReadAsTheyWereWritten) {
  auto ceilings = some_ceilings();
  ceilings.links = {{"GPU-a", "GPU-b", 3.7e11, 7e11}};
  EXPECT_EQ(read_ceilings(file(text_of(ceilings))).links, ceilings.links);
  ceilings.links[0].one_way_bytes_per_s = -1;
  EXPECT_EQ(refusal(text_of(ceilings)), ": GPU-b to GPU-a: is negative or not a number");
}

TEST_F(CeilingsFile, WhatIsNoneIsRefusedWithAReason) {
  EXPECT_EQ(refusal(""), ": is not JSON");
  EXPECT_EQ(refusal("[1,x]"), ": is not JSON");
  EXPECT_EQ(refusal("[1"), ": the file is cut off");
  EXPECT_EQ(refusal("[]"), ": has no ceilings (to make such a file: bench ceilings)");
  EXPECT_EQ(refusal("{\"apod_calibration\": 2}"),
            ": has no ceilings (to make such a file: bench ceilings)");
  EXPECT_EQ(refusal("{\"apod_ceilings\": 99}"), ": this bench reads only schema 1: measure again");
  EXPECT_EQ(refusal("{\"apod_ceilings\": 1}"), ": gpu: missing");
  auto negative = some_ceilings();
  negative.launch_s = -1;
  EXPECT_EQ(refusal(text_of(negative)), ": interval between launches: is negative or not a number");
  auto none = text_of(some_ceilings());
  none.replace(none.find("4550000000000.0"), 15, "null");
  EXPECT_EQ(refusal(none), ": device memory, read: is negative or not a number");
  EXPECT_EQ(refusal(text_of({})),
            ": none of its ceilings was measured: measure again with bench ceilings");
  EXPECT_EQ(refusal(std::string(1 << 17, ' ')), ": is larger than 65536 bytes");
  EXPECT_THROW(read_ceilings(folder_.path("absent.json")), std::runtime_error);
}

TEST(Contradiction, IsARateThatTheDeviceCantHave) {
  DeviceFacts device;
  device.peak_memory_bytes_per_s = 3.35e12;
  Ceilings ceilings;
  ceilings.read_bytes_per_s = 2.9e12;
  ceilings.tensor_fp16_flops = 8e14;
  EXPECT_EQ(contradiction(ceilings, device), "");
  ceilings.read_bytes_per_s = 2.9e9;
  EXPECT_TRUE(contradiction(ceilings, device)
                  .starts_with("device memory, read: 2.9 GB/s is not plausible"));
  ceilings.read_bytes_per_s = 2.9e13;
  EXPECT_NE(contradiction(ceilings, device), "");
  EXPECT_EQ(contradiction(ceilings, {}), "") << "its peak is not known";
}

TEST(MeasuredOnlyIn, NamesWhatTheOthersLack) {
  auto others = some_ceilings();
  others.launch_s = 0;
  others.fp64_flops = 1;
  EXPECT_EQ(measured_only_in(some_ceilings(), others),
            std::vector<std::string>{"interval between launches"});
  EXPECT_TRUE(measured_only_in(some_ceilings(), some_ceilings()).empty());
}

}  // namespace
}  // namespace apod::files
