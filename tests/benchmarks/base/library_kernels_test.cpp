#include "benchmarks/base/library_kernels.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace apod::test {
namespace {

TEST(LibraryKernels, NamesTellOfTensorCores) {
  for (const char* name :
       {"volta_fp16_s884cudnn", "ampere_s16816gemm_fp16_128x64", "turing_h1688gemm",
        "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm>(T)",
        "void cutlass::Kernel<ImplicitGemmConvolution<MmaTensorOp<half_t>>>(T1::Params)",
        "sm80_xmma_gemm_f16f16_tensor16x8x16_execute", "nvjet_sm90_hsh_16x64",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute",
        "void cutlass::device_kernel<GemmUniversal<MainloopSm90TmaGmmaWarpSpecialized<4>>>(T)",
        "void cutlass::device_kernel<GemmUniversal<MainloopSm100TmaUmmaWarpSpecialized<4>>>(T)"}) {
    EXPECT_EQ(tensor_cores_by_name(name), TensorCores::used) << name;
  }
  for (const char* name : {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_ffma_aligna4",
                           "volta_sgemm_128x64_nn", "volta_scudnn_128x64_relu_interior_nn_v1",
                           "void implicit_convolve_sgemm<__half>(int)",
                           "void cudnn::detail::dgrad_engine<float, 512>(int)",
                           "void cutlass::Kernel<MmaSimt<float>>(T)"}) {
    EXPECT_EQ(tensor_cores_by_name(name), TensorCores::unused) << name;
  }
  for (const char* name : {"reduce<1688>", "multi_tensor_apply_kernel", "k_18840", "s16880",
                           "ReduceSplitK", "summary_kernel", ""}) {
    EXPECT_EQ(tensor_cores_by_name(name), TensorCores::unknown) << name;
  }
}

TEST(LibraryKernels, AFamilyIsThatOfTheNameBeforeThatOfItsArguments) {
  using enum KernelFamily;
  EXPECT_EQ(kernel_family("void vllm::fused_add_rms_norm_kernel<vllm::_typeConvert<half>>(T*)"),
            normalization);
  EXPECT_EQ(kernel_family("void at::native::elementwise_kernel<128, direct_copy_kernel_cuda>(int)"),
            copying);
  EXPECT_EQ(kernel_family("void cutlass::Kernel<cutlass_80_tensorop_fprop>(T)"), convolution);
  EXPECT_EQ(kernel_family("void cutlass::device_kernel<flash::Forward>(T)"), attention);
  EXPECT_EQ(kernel_family("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_MT256x192x64"), matrix_product);
  EXPECT_EQ(kernel_family("triton_poi_fused_mul_silu_2"), elementwise);
  EXPECT_EQ(kernel_family("triton_red_fused_add_3"), reduction);
  EXPECT_TRUE(is_library_kernel("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_MT256x192x64"));
}

TEST(LibraryKernels, SomeOnlyCopy) {
  for (const char* name :
       {"void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda>(int)",
        "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, int, 2>(float*)",
        "cupy_copy__complex128_complex128", "transpose_tile"})
    EXPECT_TRUE(only_copies(name)) << name;
  // A table that is looked up is no layout.
  for (const char* name :
       {"void at::native::vectorized_gather_kernel<16, long>(char*)",
        "void at::native::index_elementwise_kernel<128, 4>(long)",
        "void at::native::vectorized_elementwise_kernel<4, add>(int)",
        "triton_per_fused__to_copy_add_mean_transpose_8", "input_concatenate_fusion", "mine"})
    EXPECT_FALSE(only_copies(name)) << name;
}

TEST(LibraryKernels, SomeComputeInDoublePrecision) {
  for (const char* name :
       {"void regular_fft_factor<1024u, unsigned int, double, "
        "Config>(kernel_arguments_t<unsigned>)",
        "cupy_true_divide__float64_float_float64", "cupy_multiply__complex64_complex128",
        "cutlass_80_tensorop_d884gemm_64x32_16x4_nn", "volta_dgemm_64x64_nn", "step(double*, int)",
        "step(double const*, float*)", "step(double2*)", "Cijk_Ailk_Bljk_DB_MT64x64x16",
        "f<copy()::[lambda(double) (instance 1)]>(int)",
        "void at::native::multi_tensor_apply_kernel<AddFunctor<double>, double>(int)",
        "void at::native::elementwise_kernel<4, copy()::{lambda()#7}::{lambda(double)#1}>(int)"})
    EXPECT_TRUE(is_in_double(name)) << name;
  // One number, or a word that begins like it, is no arithmetic.
  for (const char* name :
       {"scale(float*, double)",
        "void normal<f(TensorBase const&, double, double)::{lambda()#1}>(int)",
        "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4>, float const*, "
        "double, double>(int)",
        "f<nan_to_num(TensorIterator&, optional<double>)::{lambda(float)#1}>(int)",
        "double_buffered(float*)", "f<doubles>(int)", "void g<double2float>(float*)",
        "cupy_add__float32_float32"})
    EXPECT_FALSE(is_in_double(name)) << name;
}

TEST(LibraryKernels, AMangledNameIsToldWithoutItsArguments) {
  EXPECT_EQ(short_kernel_name("_ZN7ck_tile6kentryILi1ENS_12NormIS1_EEEvDpT1_"), "ck_tile::kentry");
  EXPECT_EQ(short_kernel_name("_ZN"), "_ZN");
  EXPECT_EQ(short_kernel_name("_ZN99short"), "_ZN99short");
}

TEST(LibraryKernels, WithoutCodeAndCountersTheNameTells) {
  EXPECT_EQ(uses_tensor_cores({.name = "turing_h1688gemm"}), true);
  EXPECT_EQ(uses_tensor_cores({.name = "volta_sgemm_128x64_nn"}), false);
  EXPECT_EQ(uses_tensor_cores({.name = "mine"}), std::nullopt);
}

TEST(LibraryKernels, CountersAreBelievedMoreThanTheName) {
  KernelProfile kernel{.name = "turing_h1688gemm"};
  kernel.counters = {{"tensor_instructions", 0}};
  EXPECT_EQ(uses_tensor_cores(kernel), false);
  kernel.counters = {{"tensor_instructions", 8}};
  kernel.name = "volta_sgemm_128x64_nn";
  EXPECT_EQ(uses_tensor_cores(kernel), true);
}

TEST(LibraryKernels, CodeWithoutMatrixInstructionsIsBelievedMost) {
  KernelProfile kernel{.name = "turing_h1688gemm"};
  kernel.instructions = InstructionMix{.fp32 = 10};
  kernel.counters = {{"tensor_instructions", 8}};
  EXPECT_EQ(uses_tensor_cores(kernel), false) << "the tensor pipe counts HFMA2 too";
  kernel.counters.clear();
  EXPECT_EQ(uses_tensor_cores(kernel), false);
}

TEST(LibraryKernels, MatrixInstructionsMustBeExecutedWhereThatWasCounted) {
  KernelProfile kernel{.name = "mine"};
  kernel.instructions = InstructionMix{.tensor = 1};
  EXPECT_EQ(uses_tensor_cores(kernel), true);
  kernel.counters = {{"tensor_instructions", 0}};
  EXPECT_EQ(uses_tensor_cores(kernel), false);
}

}  // namespace
}  // namespace apod::test
