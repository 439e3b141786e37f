// FP64 and tensor cores: where each rule speaks, and where it must not.

#include "benchmarks/look/switches.hpp"
#include "tests/benchmarks/look/evidence.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

TEST_F(FindingsTest, AccidentalDoublesAreAddsWithoutMultiplies) {
  facts["span"] = 1e-3;
  asked.traffic.flops_fp32 = 1e9;
  auto& kernel = add_kernel("convolve(float const*)", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 13, .fp64_add = 13};
  auto found = find("fp64-in-fp32");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence,
            "13 FP64 adds and no FP64 multiplies in SASS, but the case does not ask for FP64");
  EXPECT_TRUE(contains(found->advice, "make the accumulator a float"));
  EXPECT_EQ(found->gain, 0) << "code as written tells no time";

  profile.kernels.front().counters = {{"dadd", 1e9}, {"dmul", 0}, {"dfma", 0}, {"fmul", 1e9}};
  found = find("fp64-in-fp32");
  EXPECT_TRUE(contains(found->evidence, "1000000000 FP64 adds and no FP64 multiplies executed"));
  EXPECT_NEAR(found->gain, (2e9 / 33.2e12 - 2e9 / 62.8e12) / 1e-3, 1e-9);
}

TEST_F(FindingsTest, ConstantsOfDoubleAreAnotherAdvice) {
  asked.traffic.flops_fp32 = 1e9;
  add_kernel("k", 1e-3).instructions =
      InstructionMix{.source = "PTX", .fp64_mul = 2, .fp64_fma = 1};
  EXPECT_EQ(find("fp64-in-fp32")->severity, Severity::warning);
  EXPECT_EQ(
      find("fp64-in-fp32")->evidence,
      "no FP64 adds, 2 FP64 multiplies and 1 fused in PTX, but the case does not ask for FP64");
  EXPECT_TRUE(contains(find("fp64-in-fp32")->advice, "2.0f"));
}

TEST_F(FindingsTest, AMultiplicationInTheCodeMayBeThatOfSinf) {
  asked.traffic.flops_fp32 = 1e9;
  auto& kernel = add_kernel("k", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 20, .fp64_mul = 1};
  EXPECT_EQ(find("fp64-in-fp32")->severity, Severity::note);
  EXPECT_TRUE(contains(find("fp64-in-fp32")->advice, "--counters"));
  kernel.counters = {{"dadd", 0}, {"dmul", 1e6}, {"dfma", 0}, {"ffma", 1e6}};
  EXPECT_EQ(find("fp64-in-fp32")->severity, Severity::warning) << "it is executed";
  kernel.counters["dmul"] = 0;
  EXPECT_FALSE(find("fp64-in-fp32")) << "it is not";
}

TEST_F(FindingsTest, Fp64ThatWasAskedForIsNoFinding) {
  asked.traffic.flops_fp32 = 1e9;
  auto& kernel = add_kernel("k", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 20};
  EXPECT_FALSE(find("fp64-in-fp32")) << "there is none";
  kernel.instructions->fp64_add = 13;
  asked.traffic.flops_fp64 = 1e9;
  EXPECT_FALSE(find("fp64-in-fp32")) << "asked for";
  asked.traffic = {.flops_fp32 = 1e9};
  kernel.counters = {{"dadd", 1}, {"dmul", 0}, {"dfma", 0}, {"ffma", 1e9}};
  EXPECT_FALSE(find("fp64-in-fp32")) << "written, but next to never executed";
  foreign = true;
  EXPECT_FALSE(find("fp64-in-fp32")) << "nobody knows what was asked";
}

TEST_F(FindingsTest, Fp64OfARareKernelIsANoteAndOfACaseThatStatesNoArithmeticNothing) {
  asked.traffic.flops_fp32 = 1e9;
  facts["span"] = 1e-3;
  add_kernel("work", 1e-3);
  auto& kernel = add_kernel("init", 1e-6);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 20, .fp64_add = 1};
  EXPECT_EQ(find("fp64-in-fp32")->severity, Severity::note);
  asked.traffic.flops_fp32 = 0;
  EXPECT_FALSE(find("fp64-in-fp32")) << "a sort of doubles, say";
}

TEST_F(FindingsTest, UnusedTensorCoresByShapeAndByType) {
  facts["span"] = 1e-3;
  params.set("m", std::int64_t{1001});
  params.set("n", std::int64_t{4096});
  params.set("k", std::int64_t{4096});
  auto& kernel = add_kernel("gemm", 1e-3);
  EXPECT_FALSE(find("unused-tensor-cores")) << "nothing is known of its instructions";
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 100};
  auto found = find("unused-tensor-cores");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::note) << "fp32 may be meant";
  EXPECT_TRUE(contains(found->evidence, "m 1001: not a multiple of 8"));
  EXPECT_EQ(found->advice.find("if the precision suffices, allow TF32"), 0U)
      << "no padding brings fp32 there";
  kernel.instructions->fp16 = 400;
  found = find("unused-tensor-cores");
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_EQ(found->advice, "pad the shape to multiples of 8");
  params.set("m", std::int64_t{1024});
  EXPECT_EQ(find("unused-tensor-cores")->severity, Severity::warning);
  kernel.instructions->tensor = 8;
  EXPECT_FALSE(find("unused-tensor-cores"));
}

TEST_F(FindingsTest, AProductInHalfPrecisionBelongsOnTheTensorCores) {
  facts["span"] = 1e-3;
  params.set("size", std::string("4096x1000"));  // m x k
  params.set("n", std::int64_t{4095});
  asked.traffic.flops_tensor = 1e9;
  add_kernel("gemm", 1e-3).instructions = InstructionMix{.source = "SASS", .fp32 = 100};
  auto found = find("unused-tensor-cores");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::warning) << "it converts, and computes in fp32";
  EXPECT_TRUE(contains(found->evidence, "arithmetic is fp32; n 4095: not a multiple of 8"));
  EXPECT_NEAR(found->gain, 1 - 1e9 / 600e12 / 1e-3, 1e-9) << "the bound holds for a slow kernel";
  EXPECT_FALSE(find("unaligned-product")) << "one finding is enough";
  asked.traffic.flops_tensor = 0;
  asked.traffic.flops_tf32 = 1e9;
  found = find("unused-tensor-cores");
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_NEAR(found->gain, 1 - 1e9 / 300e12 / 1e-3, 1e-9);
}

TEST_F(FindingsTest, UnalignedProducts) {
  facts["span"] = 1e-3;
  params.set("size", std::string("4096x4095"));
  params.set("n", std::int64_t{4100});
  asked.end_to_end = false;
  asked.time_s = 1e-3;
  asked.traffic.flops_tensor = 120e9;  // 20 % of the ceiling
  auto& kernel = add_kernel("gemm", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .tensor = 64};
  auto found = find("unaligned-product");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_TRUE(contains(found->evidence, "n 4100 and k 4095: not a multiple of 8; 20 %"));
  asked.traffic.flops_tensor = 480e9;
  EXPECT_EQ(find("unaligned-product")->severity, Severity::note) << "it costs little";
  asked.traffic.flops_tensor = 120e9;
  kernel.time = tally(1e-3, 200);
  EXPECT_EQ(find("unaligned-product")->severity, Severity::note) << "too small to be judged";
  kernel.time = tally(1e-3, 1);
  kernel.instructions.reset();
  EXPECT_EQ(find("unaligned-product")->severity, Severity::note) << "nothing is known of its code";
  kernel.name = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize32x32x8_ffma_aligna4";
  EXPECT_FALSE(find("unaligned-product")) << "unused-tensor-cores says it";
  EXPECT_TRUE(find("unused-tensor-cores"));
  kernel.name = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_tn";
  EXPECT_EQ(find("unaligned-product")->severity, Severity::warning) << "known by its name";
  with_ceilings = false;
  EXPECT_EQ(find("unaligned-product")->severity, Severity::note)
      << "nobody knows whether it is slow";
}

TEST_F(FindingsTest, AlignedProductsAndThoseOfFp32AreNotUnaligned) {
  facts["span"] = 1e-3;
  params.set("m", std::int64_t{1004});
  params.set("n", std::int64_t{1008});
  params.set("k", std::int64_t{1000});
  asked.end_to_end = false;
  asked.time_s = 1e-3;
  add_kernel("gemm", 1e-3).instructions = InstructionMix{.source = "SASS", .tensor = 64};
  asked.traffic.flops_tf32 = 1e9;
  EXPECT_FALSE(find("unaligned-product")) << "multiples of 4 are enough for TF32";
  asked.traffic.flops_tf32 = 0;
  asked.traffic.flops_tensor = 1e9;
  EXPECT_TRUE(find("unaligned-product")) << "of fp16 they are not";
  params.set("m", std::int64_t{1008});
  EXPECT_FALSE(find("unaligned-product"));
  params.set("m", std::int64_t{1001});
  asked.traffic.flops_tensor = 0;
  asked.traffic.flops_fp32 = 1e9;
  EXPECT_FALSE(find("unaligned-product")) << "fp32";
  asked.traffic.flops_tensor = 1e9;
  foreign = true;
  EXPECT_FALSE(find("unaligned-product")) << "nobody knows the sides";
}

TEST_F(FindingsTest, OnlyFloatingPointProductsMissTheTensorCores) {
  facts["span"] = 1e-3;
  for (const char* side : {"m", "n", "k"}) params.set(side, std::int64_t{1024});
  auto& kernel = add_kernel("gemm", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 2, .fp64_fma = 100};
  EXPECT_FALSE(find("unused-tensor-cores")) << "fp64";
  kernel.instructions = InstructionMix{.source = "SASS", .all = 500};
  EXPECT_FALSE(find("unused-tensor-cores")) << "integers";
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 100, .fp16 = 1};
  EXPECT_EQ(find("unused-tensor-cores")->severity, Severity::note) << "one conversion";
  add_kernel("wmma", 4e-3).instructions = InstructionMix{.source = "SASS", .tensor = 64};
  EXPECT_FALSE(find("unused-tensor-cores")) << "it adds up what the other one leaves";
}

TEST_F(FindingsTest, ArithmeticOfElementsNeedsNoTensorCores) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("scale", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 100, .fp16 = 4};
  EXPECT_FALSE(find("unused-tensor-cores"));
  kernel.instructions->fp16 = 400;
  EXPECT_TRUE(find("unused-tensor-cores"));
}

TEST_F(FindingsTest, LibrariesNameTheirProductsOnOrdinaryCores) {
  foreign = true;
  facts["span"] = 1e-3;
  add_kernel("void implicit_convolve_sgemm<__half, __half, 128>(int)", 0.1e-3);
  add_kernel("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_ffma_aligna4", 0.3e-3);
  add_kernel("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_tn", 0.6e-3);
  const auto found = find("unused-tensor-cores");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_TRUE(contains(found->evidence, "40 % of the device's time (2 kernels"));
  profile.kernels.erase(profile.kernels.begin());
  EXPECT_EQ(find("unused-tensor-cores")->severity, Severity::note) << "fp32 may be meant";
  EXPECT_TRUE(find("unused-tensor-cores")->advice.starts_with("allow TF32"));
  device.compute_capability = "7.5";
  EXPECT_TRUE(find("unused-tensor-cores")->advice.starts_with("use fp16")) << "it has no TF32";
  std::vector<Finding> findings{*find("unused-tensor-cores")};
  name_switches(Framework::pytorch, device, findings);
  EXPECT_FALSE(contains(findings[0].advice, "--try"));
  device.compute_capability = "6.1";
  EXPECT_FALSE(find("unused-tensor-cores")) << "it has no tensor cores";
  device.compute_capability = "9.0";
  profile.kernels.erase(profile.kernels.begin());
  EXPECT_FALSE(find("unused-tensor-cores"));
}

}  // namespace
}  // namespace apod::look
