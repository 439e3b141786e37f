#include "kernels/api/operation.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace apod {
namespace {

using namespace std::string_literals;

Operation convolution() {
  return {"conv2d", "fprop", "32x64x56x56 * 64x64x3x3", "fp32", 7223640064, 51527680};
}

const std::string text =
    "op conv2d, fprop, 32x64x56x56 * 64x64x3x3, fp32, 7223640064 FLOPs, 51527680 bytes";

TEST(Operation, IsOneLineThatCanBeReadBack) {
  EXPECT_EQ(encode(convolution()), text);
  EXPECT_EQ(parse_operation(text), convolution());
  auto nothing = convolution();
  nothing.flops = 0;
  nothing.bytes = 0.4;
  EXPECT_EQ(encode(nothing), "op conv2d, fprop, 32x64x56x56 * 64x64x3x3, fp32, 0 FLOPs, 0 bytes");
}

TEST(Operation, WhatCouldNotBeReadBackIsNotWritten) {
  for (const auto& bad : {""s, "a, b"s, "a\nb"s, "caf\xc3\xa9"s, std::string(201, 'x')}) {
    for (auto member :
         {&Operation::name, &Operation::direction, &Operation::shapes, &Operation::type}) {
      auto operation = convolution();
      operation.*member = bad;
      EXPECT_THROW(encode(operation), std::invalid_argument) << bad;
    }
  }
  for (const double bad : {-1.0, 1e19, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    auto operation = convolution();
    operation.flops = bad;
    EXPECT_THROW(encode(operation), std::invalid_argument) << bad;
  }
}

TEST(Operation, OtherRangesAreNone) {
  const std::string rest = ", fprop, 4x4, fp32, 1 FLOPs, 2 bytes";
  const std::string relu = "op relu, fprop, 4x4, fp32, ";
  ASSERT_TRUE(parse_operation("op relu" + rest));
  for (const std::string& other :
       {std::string(), "op "s, "op"s, "sample"s, "relu" + rest, "op " + rest,
        "op relu" + rest + " ", "op relu" + rest + ", more", "op " + std::string(201, 'x') + rest,
        "op re\nlu" + rest, "op re\x80lu" + rest, relu + "1 FLOPs", relu + "2 bytes, 1 FLOPs",
        relu + "-1 FLOPs, 2 bytes", relu + "1e9 FLOPs, 2 bytes", relu + " FLOPs, 2 bytes",
        relu + "99999999999999999999999 FLOPs, 2 bytes", relu + "1 FLOPs, nan bytes"}) {
    EXPECT_EQ(parse_operation(other), std::nullopt) << other;
  }
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_EQ(parse_operation(std::string_view(text).substr(0, length)), std::nullopt) << length;
  }
}

class Recorder : public OperationListener {
 public:
  bool listens() override { return attached; }
  void begin(const std::string& range) override { heard.push_back(range); }
  void end() override { heard.emplace_back("end"); }

  bool attached = true;
  std::vector<std::string> heard;
};

TEST(OperationScope, TellsWhoeverListens) {
  Recorder recorder;
  show_operations(&recorder);
  {
    const OperationScope scope([] { return convolution(); });
  }
  show_operations(nullptr);
  EXPECT_EQ(recorder.heard, (std::vector<std::string>{text, "end"}));
}

TEST(OperationScope, DescribesNothingWithoutAProfiler) {
  Recorder recorder;
  int described = 0;
  const auto describe = [&] {
    ++described;
    return convolution();
  };
  { const OperationScope nobody(describe); }
  show_operations(&recorder);
  recorder.attached = false;
  {
    const OperationScope unheard(describe);
    recorder.attached = true;  // whoever comes in between did not see it begin
  }
  show_operations(nullptr);
  EXPECT_EQ(described, 0);
  EXPECT_TRUE(recorder.heard.empty());
}

}  // namespace
}  // namespace apod
