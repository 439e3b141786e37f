/// Instruction mixes of recorded listings of this project's own kernels, and of lines that are
/// easily mistaken for something else.

#include "benchmarks/look/sass.hpp"

#include <gtest/gtest.h>

#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

std::string recorded(const std::string& name) {
  return content_of(APOD_SOURCE_DIR "/tests/data/sass/" + name);
}

Listing listing_of(const std::string& text) {
  Listing listing;
  for (const auto& line : lines_of(text)) listing.add_line(line);
  return listing;
}

/// The mix of one kernel's machine code, given without the head of a listing.
InstructionMix mix_of_sass(const std::string& code) {
  return listing_of("code for sm_90\nFunction : kernel\n" + code).kernels().front().mix;
}

/// The mix of the PTX between a kernel's braces.
InstructionMix mix_of_ptx(const std::string& code) {
  return listing_of(".entry kernel() {\n" + code).kernels().front().mix;
}

InstructionMix sass(const std::string& instruction) {
  return mix_of_sass("        /*04d0*/   " + instruction + " ;   /* 0x000000061c098981 */");
}

TEST(Sass, AnAccidentalDoubleAddsAndDoesNotMultiply) {
  const auto listing = listing_of(recorded("direct_double.sass"));
  ASSERT_EQ(listing.kernels().size(), 1u);
  const auto& kernel = listing.kernels().front();
  EXPECT_EQ(kernel.architecture, "sm_90");
  EXPECT_EQ(kernel.name,
            "void apod::convolution::convolve_direct<float, double, (apod::convolution::Along)0>"
            "(float const*, float const*, float*, apod::convolution::Part)");
  const auto& mix = kernel.mix;
  EXPECT_EQ(mix.source, "SASS");
  EXPECT_EQ(mix.fp32, 7u) << "products";
  EXPECT_EQ(mix.fp64_add, 7u);
  EXPECT_EQ(mix.fp64_mul, 0u);
  EXPECT_EQ(mix.fp64_fma, 0u);
  EXPECT_EQ(mix.conversions_to_fp64, 7u);
  EXPECT_EQ(mix.global_loads, 14u);
  EXPECT_EQ(mix.global_stores, 1u);
  EXPECT_EQ(mix.local_accesses, 0u);
  EXPECT_EQ(mix.all, 182u) << "its ten NOPs are none";
}

TEST(Sass, TheSameInFloatsHasNoDouble) {
  const auto mix = mix_of_sass(recorded("direct_float.nvdisasm"));
  EXPECT_EQ(mix.fp32, 7u) << "fused";
  EXPECT_EQ(mix.fp64(), 0u);
  EXPECT_EQ(mix.conversions_to_fp64, 0u);
  EXPECT_EQ(mix.fp16, 0u) << "HFMA2 that set registers";
  EXPECT_EQ(mix.global_loads, 14u);
  EXPECT_EQ(mix.global_stores, 1u);
  EXPECT_EQ(mix.all, 167u);
}

TEST(Sass, VariantsOfAnInstructionCountAsIt) {
  for (const char* text : {"FADD R0, R1, R2", "FADD.FTZ R0, -R1, R2", "FMUL R0, R1, 2",
                           "FFMA.SAT R0, R1, R2, R3", "FFMA32I R0, R1, 0x3f, R3",
                           "FADD32I R0, R1, 1", "FMUL32I R0, R1, 2", "FFMA2 R0, R2, R4, R6",
                           "@!P0 FMUL R6, R9, R6", "@UP3 FMUL R6, R9, R6", "{ FADD R0, R1, R2"}) {
    EXPECT_EQ(sass(text).fp32, 1u) << text;
    EXPECT_EQ(sass(text).all, 1u) << text;
  }
  EXPECT_EQ(sass("DADD R2, R4, -R6").fp64_add, 1u);
  EXPECT_EQ(sass("DMUL R2, R4, R6").fp64_mul, 1u);
  EXPECT_EQ(sass("@P1 DFMA.RM R2, R4, R6, R8").fp64_fma, 1u);
  for (const char* text : {"HADD2 R0, R1, R2", "HMUL2.BF16_V2 R0, R1, R2", "HFMA2 R0, R1, R2, R3",
                           "HFMA2.MMA R0, R1, R2, R3"}) {
    EXPECT_EQ(sass(text).fp16, 1u) << text;
  }
  for (const char* text : {"HMMA.16816.F32 R8, R4, R2, R8", "IMMA.16832.S8.S8 R8, R4, R2, R8",
                           "DMMA.884 R8, R4, R2, R8", "HGMMA.64x256x16.F32 R24, gdesc[UR4], R24",
                           "QGMMA.64x64x32.F32.E4M3.E4M3 R24, R20, gdesc[UR4], R24",
                           "UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8], tmem[UR10], idesc[UR11]",
                           "UTCOMMA gdesc[UR4], gdesc[UR6], tmem[UR8]"}) {
    EXPECT_EQ(sass(text).tensor, 1u) << text;
  }
  EXPECT_EQ(sass("DMMA.884 R8, R4, R2, R8").fp64(), 0u) << "it is the tensor cores that compute";
}

TEST(Sass, WhatOnlyLooksLikeArithmeticIsNone) {
  EXPECT_EQ(sass("HFMA2.MMA R0, -RZ, RZ, 0, 0").fp16, 0u) << "sets a register";
  EXPECT_EQ(sass("HFMA2 R3, -RZ, RZ, 0, 0.00048828125").fp16, 0u) << "sets a register";
  EXPECT_EQ(sass("HADD2.F32 R4, -RZ, R5.H0_H0").fp16, 0u) << "widens";
  for (const char* text :
       {"FMNMX R0, R1, R2, PT", "FSETP.GT.AND P0, PT, R1, R2, PT", "IADD3 R0, R1, R2, R3",
        "IMAD.WIDE R2, R3, 0x4, R4", "MUFU.RCP R0, R1", "FSEL R0, R1, R2, P0"}) {
    const auto mix = sass(text);
    EXPECT_EQ(mix.fp32 + mix.fp64() + mix.fp16 + mix.tensor, 0u) << text;
    EXPECT_EQ(mix.all, 1u) << text;
  }
  EXPECT_EQ(sass("NOP").all, 0u);
}

TEST(Sass, OnlyWhatBecomesADoubleIsAConversionToOne) {
  for (const char* text :
       {"F2F.F64.F32 R22, R6", "F2F.FTZ.F64.F32 R2, R4", "I2F.F64 R2, R4", "I2F.F64.U32 R2, R4"}) {
    EXPECT_EQ(sass(text).conversions_to_fp64, 1u) << text;
  }
  for (const char* text : {"F2F.F32.F64 R4, R6", "F2F.F64.F64.FLOOR R2, R4", "I2F.U32 R4, R6",
                           "F2I.F64.TRUNC R4, R6", "F2F.F16.F32 R4, R6", "F2F R4, R6"}) {
    EXPECT_EQ(sass(text).conversions_to_fp64, 0u) << text;
  }
}

TEST(Sass, MemoryIsToldByItsKind) {
  for (const char* text : {"LDG.E R9, desc[UR6][R28.64]",
                           "LDGSTS.E.BYPASS.128 [R1], desc[UR6][R2.64]", "LD.E R0, [R2.64]"}) {
    EXPECT_EQ(sass(text).global_loads, 1u) << text;
  }
  EXPECT_EQ(sass("LDG.E R9, desc[UR6][R28.64]").asynchronous_loads, 0u);
  EXPECT_EQ(sass("LDGSTS.E.BYPASS.128 [R1], desc[UR6][R2.64]").asynchronous_loads, 1u);
  EXPECT_EQ(sass("STG.E desc[UR6][R28.64], R2").global_stores, 1u);
  EXPECT_EQ(sass("LDL.64 R4, [R1]").local_accesses, 1u);
  EXPECT_EQ(sass("STL [R1+0x8], R4").local_accesses, 1u);
  for (const char* text : {"LDS R4, [R1]", "LDC R1, c[0x0][0x28]", "ULDC UR4, c[0x0][0x0]",
                           "LDGDEPBAR", "RED.E.ADD.F32 desc[UR4][R2.64], R5"}) {
    const auto mix = sass(text);
    EXPECT_EQ(mix.global_loads + mix.global_stores + mix.local_accesses, 0u) << text;
  }
}

TEST(Sass, WhatIsNoInstructionIsNotCounted) {
  for (const char* text :
       {"", "\n\n", "        /* 0x000fea0003800000 */", "/*", "/**/ FADD", "/*00g0*/ FADD R0",
        ".L_x_9:", "\t.headerflags\t@\"EF_CUDA_SM90\"", "FADD R0, R1, R2 ;", "/*0010*/",
        "/*0010*/ ;", "/*0010*/ @P0 ;", "/*0010*/ { ;", "binary \x01\xff\x7f"}) {
    EXPECT_EQ(mix_of_sass(text).all, 0u) << text;
  }
  EXPECT_EQ(mix_of_sass("/*0010*/ FADD").fp32, 1u) << "cut off";
}

TEST(Ptx, TheAccidentalDoubleShowsToo) {
  const auto listing = listing_of(recorded("direct_double.ptx"));
  ASSERT_EQ(listing.kernels().size(), 1u);
  const auto& kernel = listing.kernels().front();
  EXPECT_EQ(kernel.architecture, "compute_75");
  EXPECT_TRUE(kernel.name.starts_with("void apod::convolution::convolve_direct<float, double,"))
      << kernel.name;
  EXPECT_EQ(kernel.mix.source, "PTX");
  EXPECT_EQ(kernel.mix.fp32, 7u);
  EXPECT_EQ(kernel.mix.fp64_add, 7u);
  EXPECT_EQ(kernel.mix.fp64_mul, 0u);
  EXPECT_EQ(kernel.mix.fp64_fma, 0u);
  EXPECT_EQ(kernel.mix.conversions_to_fp64, 7u);
  EXPECT_EQ(kernel.mix.global_loads, 14u) << "and none of its parameters";
  EXPECT_EQ(kernel.mix.global_stores, 1u);
}

TEST(Ptx, StatementsAreTakenApart) {
  const auto mix = mix_of_ptx(R"(
    .reg .f64 %fd<9>;   // add.f64 in a comment
    .loc 1 28 31
    @%p1 add.f64 %fd1, %fd2, %fd3; sub.rn.f64 %fd1, %fd2, %fd3;
    mul.f64 %fd1, %fd2, %fd3;
    $L__BB0_2: fma.rn.f64 %fd1, %fd2, %fd3, %fd4;
    fma.rn.ftz.f32 %f1, %f2, %f3, %f4;
    mul.wide.s32 %rd1, %r1, 4;
    fma.rn.f16x2 %r1, %r2, %r3, %r4;
    mov.b32 {%rs1, %rs2}, %r1;
    { .reg .pred p; cvt.f64.f32 %fd1, %f1; }
    cvt.rn.f32.f64 %f1, %fd1; cvt.rni.f64.f64 %fd1, %fd2; cvt.rn.f64.s32 %fd1, %r1;
    ld.param.u64 %rd1, [p]; ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]; ld.f32 %f1, [%rd1];
    ld.shared.f32 %f1, [x]; ld.local.f32 %f1, [%rd1]; st.local.f32 [%rd1], %f1; st.global.f32 [%rd1], %f1;
    cp.async.ca.shared.global [%r1], [%rd1], 16; cp.async.commit_group;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4},
      {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
    call.uni (retval0),
      vprintf, (param0, param1);
    ret;)");
  EXPECT_EQ(mix.fp64_add, 2u);
  EXPECT_EQ(mix.fp64_mul, 1u);
  EXPECT_EQ(mix.fp64_fma, 1u);
  EXPECT_EQ(mix.fp32, 1u);
  EXPECT_EQ(mix.fp16, 1u);
  EXPECT_EQ(mix.conversions_to_fp64, 2u);
  EXPECT_EQ(mix.global_loads, 3u);
  EXPECT_EQ(mix.asynchronous_loads, 1u);
  EXPECT_EQ(mix.global_stores, 1u);
  EXPECT_EQ(mix.local_accesses, 2u);
  EXPECT_EQ(mix.tensor, 1u);
  EXPECT_EQ(mix.all, 24u);
}

TEST(Ptx, DivisionsAndRootsAreArithmetic) {
  for (const std::string operation : {"div.rn", "rcp.rn", "sqrt.rn", "rsqrt.approx"}) {
    const auto fp64 = mix_of_ptx(operation + ".f64 %fd1, %fd2;");
    EXPECT_EQ(fp64.fp64(), 1u) << operation;
    EXPECT_EQ(fp64.fp32, 0u) << operation;
    const auto fp32 = mix_of_ptx(operation + ".ftz.f32 %f1, %f2;");
    EXPECT_EQ(fp32.fp64(), 0u) << operation;
    EXPECT_EQ(fp32.fp32, 1u) << operation;
  }
  const auto whole = mix_of_ptx("div.s32 %r1, %r2, %r3; rem.u32 %r1, %r2, %r3;");
  EXPECT_EQ(whole.fp64() + whole.fp32, 0u);
}

TEST(Listing, HoldsEachKernelByItself) {
  const auto listing = listing_of(
      "Fatbin ptx code:\n.version 9.0\n.target sm_80, debug\n"
      ".global .align 4 .b8 table[4] = {1, 2, 3, 4};\n"
      ".func (.param .b32 out) helper(.param .b32 in)\n{\nadd.f64 %fd1, %fd2, %fd3;\nret;\n}\n"
      ".visible .entry first(\n.param .u64 p\n)\n.maxntid 32, 1, 1\n{\nadd.f32 %f1, %f2, %f3;\n}\n"
      ".entry second()\n{\nret;\n}\n"
      "Fatbin elf code:\n\tcode for sm_80\n\t\tFunction : third\n/*0000*/ DADD R0, R2, R4 ;\n"
      "Fatbin elf code:\n\tcode for sm_90\n\t\tFunction : third\n/*0000*/ EXIT ;\n");
  ASSERT_EQ(listing.kernels().size(), 4u);
  EXPECT_EQ(listing.kernels()[0].name, "first");
  EXPECT_EQ(listing.kernels()[0].architecture, "compute_80");
  EXPECT_EQ(listing.kernels()[0].mix.fp32, 1u);
  EXPECT_EQ(listing.kernels()[0].mix.fp64(), 0u) << "the helper's";
  EXPECT_EQ(listing.kernels()[1].mix.all, 1u);
  EXPECT_EQ(listing.kernels()[2].architecture, "sm_80");
  EXPECT_EQ(listing.kernels()[2].mix.fp64_add, 1u);
  EXPECT_EQ(listing.kernels()[3].architecture, "sm_90");
  EXPECT_EQ(listing.kernels()[3].mix.fp64_add, 0u);
}

TEST(Listing, HostileTextDoesNoHarm) {
  for (const std::string text :
       {"}}}}}}", "{{{{{{", ".entry", ".entry {", ".entry (", "code for ",
        "Function : ", ".target ", ".target sm_\n.entry x(){add.f32 a,b,c;", ";;;;",
        "code for sm_90\nFunction : \n/*0*/"}) {
    EXPECT_NO_THROW(listing_of(text)) << text;
  }
  Listing endless;
  for (int i = 0; i < 1000; ++i) endless.add_line(std::string(10'000, 'x'));
  EXPECT_TRUE(endless.kernels().empty());
}

}  // namespace
}  // namespace apod::look
